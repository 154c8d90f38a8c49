/* The script of the shop's pages. Without scripts, the pages work with links and a form. */

window.gosset = window.gosset || [];

/** Shows the steps of the checkout one after another. */
function walkThrough(checkout) {
  const button = checkout.querySelector('.next-step');
  button.addEventListener('click', () => {
    const [step, ...others] = checkout.querySelectorAll('.step + .step:not(.reached)');
    step.classList.add('reached');
    step.querySelector('h2').focus();
    if (others.length === 0) {
      button.remove();
    }
  });
}

/** Sends orders, the main goal of the shop's experiments. */
function takeOrders(checkout) {
  checkout.addEventListener('submit', (event) => {
    event.preventDefault();
    window.gosset.push({
      eventType: 'custom',
      eventName: 'order-placed',
      eventValue: Number(checkout.dataset.total),
    });
    const thanks = document.querySelector('.thanks');
    checkout.remove();
    thanks.hidden = false;
    thanks.focus();
  });
}

function takeSubscriptions(button) {
  button.addEventListener('click', () => {
    window.gosset.push({ eventType: 'custom', eventName: 'newsletter-subscribed' });
    button.textContent = 'Thank you';
    button.disabled = true;
  });
}

document.querySelectorAll('.checkout').forEach(walkThrough);
document.querySelectorAll('.checkout').forEach(takeOrders);
document.querySelectorAll('.subscribe').forEach(takeSubscriptions);
