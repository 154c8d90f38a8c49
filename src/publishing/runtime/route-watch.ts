import { guarded } from './guard';

/**
 * Calls back when a single-page application has changed the URL.
 * @param onChange not called if only the state of the history has changed
 */
export function watchRoutes(onChange: () => void): void {
  let address = location.href;
  const check = guarded(() => {
    if (location.href !== address) {
      address = location.href;
      onChange();
    }
  });
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name].bind(history);
    history[name] = (...args) => {
      original(...args);
      check();
    };
  }
  // Applications with the Navigation API call neither.
  (window as { navigation?: EventTarget }).navigation?.addEventListener('currententrychange', check);
  addEventListener('popstate', check);
  addEventListener('hashchange', check);
}
