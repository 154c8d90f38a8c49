import { guarded } from './guard';
import { DomWatch } from './page-events';

/** Tools for code that changes the page, returned by `gosset.getTools()`. */
export interface PageTools {
  /**
   * Waits until an element exists and its content has been parsed.
   * @param timeoutMs if absent, the wait ends only when the visitor leaves the page
   * @returns the first matching element of the document; rejects after the timeout and for an invalid selector
   */
  waitForElement(selector: string, timeoutMs?: number): Promise<Element>;
  /**
   * Reports when any part of an element is visible in the window.
   * @param target an element, or a selector whose first match is used
   * @param callback called once, as soon as the element exists and is visible
   */
  elementIsInView(target: Element | string, callback?: (element: Element) => void): boolean;
  /**
   * Calls a function after document changes, once for each batch of changes.
   * @returns a function that stops the calls
   */
  domChanged(callback: () => void): () => void;
}

function domChanged(callback: () => void): () => void {
  const watch = new DomWatch(guarded(callback));
  watch.watch(true);
  return () => watch.watch(false);
}

const waitForElement = (selector: string, timeoutMs?: number): Promise<Element> =>
  new Promise((resolve, reject) => {
    const isThere = (): boolean => {
      const element = document.querySelector(selector);
      const isRead = element !== null && hasBeenRead(element);
      if (isRead) {
        resolve(element);
      }
      return isRead;
    };
    if (isThere()) {
      return;
    }
    const check = (): void => {
      if (isThere()) {
        stop();
      }
    };
    const stopWatching = domChanged(check);
    const stop = (): void => {
      stopWatching();
      document.removeEventListener('readystatechange', check);
    };
    document.addEventListener('readystatechange', check);
    if (timeoutMs !== undefined) {
      const giveUp = (): void => {
        stop();
        reject(new Error(`No element matched ${selector} within ${timeoutMs} ms.`));
      };
      setTimeout(giveUp, timeoutMs);
    }
  });

/** While the document is being parsed, an element is complete only once another node follows it. */
function hasBeenRead(element: Element): boolean {
  let isFollowed = document.readyState !== 'loading';
  for (let node: Node | null = element; node !== null && !isFollowed; node = node.parentNode) {
    isFollowed = node.nextSibling !== null;
  }
  return isFollowed;
}

function elementIsInView(target: Element | string, callback?: (element: Element) => void): boolean {
  if (callback !== undefined) {
    const found = typeof target === 'string' ? waitForElement(target) : Promise.resolve(target);
    found.then((element) => onceInView(element, guarded(callback))).catch(() => undefined);
  }
  const element = typeof target === 'string' ? document.querySelector(target) : target;
  const { top, left, bottom, right, width, height } = element?.getBoundingClientRect() ?? new DOMRect();
  return width > 0 && height > 0 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
}

function onceInView(element: Element, callback: (element: Element) => void): void {
  const observer = new IntersectionObserver((entries) => {
    if (entries.some(({ isIntersecting }) => isIntersecting)) {
      observer.disconnect();
      callback(element);
    }
  });
  observer.observe(element);
}

export const pageTools: Readonly<PageTools> = Object.freeze({
  waitForElement,
  elementIsInView,
  domChanged,
});
