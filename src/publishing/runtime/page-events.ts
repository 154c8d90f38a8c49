import { guarded } from './guard';

const EVERYTHING = { subtree: true, childList: true, attributes: true, characterData: true };

/** While active, calls a function after each change to the document. */
export class DomWatch {
  private readonly observer: MutationObserver;

  constructor(onChange: () => void) {
    this.observer = new MutationObserver(onChange);
  }

  /** Whether the document has changed since the last call. Those changes are not reported to the function. */
  hasChanged(): boolean {
    return this.observer.takeRecords().length > 0;
  }

  /** Starts, continues or stops watching. Changes made before this call are ignored. */
  watch(isWanted: boolean): void {
    this.observer.disconnect();
    if (isWanted) {
      this.observer.observe(document, EVERYTHING);
    }
  }
}

/**
 * The URL that identifies a page view. Fragments are anchors within a page, so they are ignored unless they look like
 * routes of a client-side router.
 */
export const routeAt = (address: string): string => address.replace(/#(?![/!]).*$/, '');

/**
 * Calls a function when a single-page application has changed the URL.
 * @param onChange not called if only the history state has changed. `isRoute` is false if only an anchor has changed
 */
export function watchRoutes(onChange: (isRoute: boolean) => void): void {
  let address = location.href;
  const check = guarded(() => {
    if (location.href !== address) {
      const isRoute = routeAt(location.href) !== routeAt(address);
      address = location.href;
      onChange(isRoute);
    }
  });
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name].bind(history);
    history[name] = (...args) => {
      original(...args);
      check();
    };
  }
  // Applications that use the Navigation API call neither `pushState` nor `replaceState`.
  (window as { navigation?: EventTarget }).navigation?.addEventListener('currententrychange', check);
  addEventListener('popstate', check);
  addEventListener('hashchange', check);
}

/** Delays the callback until the page is visible, because browsers may prerender pages that visitors never see. */
export function whenSeen(callback: () => void): void {
  if ((document as { prerendering?: boolean }).prerendering === true) {
    document.addEventListener('prerenderingchange', callback, { once: true });
  } else {
    callback();
  }
}
