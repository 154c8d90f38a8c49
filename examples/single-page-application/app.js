// Routes change without a page load. The snippet detects history.pushState and rechecks pages that have the activation
// url_change.
window.gosset = window.gosset || [];

const VIEWS = {
  home: '<h1>Home</h1>',
  plans: '<h1>Plans</h1><button class="subscribe">Subscribe</button>',
};

function render() {
  const page = new URLSearchParams(location.search).get('page') ?? 'home';
  document.querySelector('main').innerHTML = VIEWS[page] ?? VIEWS.home;
}

document.addEventListener('click', (event) => {
  const link = event.target.closest('nav a');
  if (link !== null) {
    event.preventDefault();
    history.pushState(null, '', link.href);
    render();
  }
  if (event.target.matches('.subscribe')) {
    window.gosset.push({ eventType: 'custom', eventName: 'subscribed' });
  }
});

const consent = document.querySelector('#consent');

function enableTracking() {
  window.gosset.push({ eventType: 'enableTrackingConsent' });
  consent.hidden = true;
}

// The snippet does not remember consent, so the application stores it and pushes it on every page load. When a visitor
// withdraws consent, remove the stored value and push disableTrackingConsent.
consent.addEventListener('click', () => {
  enableTracking();
  localStorage.setItem('consent', 'given');
});

// Values for audience conditions of type attribute.
window.gosset.push({ eventType: 'setAttributes', attributes: { plan: 'free' } });
window.addEventListener('popstate', render);
render();
if (localStorage.getItem('consent') === 'given') {
  enableTracking();
}
