// Events pushed before the snippet has loaded are queued. Without the snippet, the shop still works.
window.gosset = window.gosset || [];

document.querySelector('#order').addEventListener('submit', (event) => {
  event.preventDefault();
  // A conversion of the custom goal whose api_name is order-placed.
  window.gosset.push({ eventType: 'custom', eventName: 'order-placed', eventValue: 49.9 });
  event.target.hidden = true;
  document.querySelector('#thanks').hidden = false;
});
