import { guarded } from './guard';
import { DomWatch } from './page-events';

/**
 * Tools for code that changes the page, returned by `gosset.getTools()`. When a variation is reverted, the tools that its
 * code got stop: promises remain pending, and callbacks are no longer called.
 */
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

/** Aborted when the variation whose code is running is reverted. Undefined while no such code is running. */
let current: AbortSignal | undefined;

/** Runs variation code, whose tools stop when the signal is aborted. */
export function runWithTools(signal: AbortSignal, code: () => void): void {
  current = signal;
  try {
    code();
  } finally {
    current = undefined;
  }
}

/** The tools for the code that is running. */
export function pageTools(): Readonly<PageTools> {
  const signal = current;
  return Object.freeze<PageTools>({
    waitForElement: (selector, timeoutMs) => waitForElement(signal, selector, timeoutMs),
    elementIsInView: (target, callback) => elementIsInView(signal, target, callback),
    domChanged: (callback) => domChanged(signal, callback),
  });
}

type Signal = AbortSignal | undefined;

/**
 * Ends something when the signal is aborted, or immediately if the signal is already aborted.
 * @returns a function that ends it earlier, after which the signal keeps nothing of it
 */
function stopper(signal: Signal, end: () => void): () => void {
  const stop = (): void => {
    signal?.removeEventListener('abort', stop);
    end();
  };
  signal?.addEventListener('abort', stop);
  if (signal?.aborted === true) {
    stop();
  }
  return stop;
}

function domChanged(signal: Signal, callback: () => void): () => void {
  const watch = new DomWatch(guarded(callback));
  watch.watch(true);
  return stopper(signal, () => watch.watch(false));
}

const waitForElement = (signal: Signal, selector: string, timeoutMs?: number): Promise<Element> =>
  new Promise((resolve, reject) => {
    const isThere = (): boolean => {
      const element = document.querySelector(selector);
      const isRead = element !== null && hasBeenRead(element);
      if (isRead) {
        resolve(element);
      }
      return isRead;
    };
    if (signal?.aborted === true || isThere()) {
      return;
    }
    const check = (): void => {
      if (isThere()) {
        stop();
      }
    };
    const giveUp = (): void => {
      stop();
      reject(new Error(`No element matched ${selector} within ${timeoutMs} ms.`));
    };
    const timer = timeoutMs === undefined ? timeoutMs : setTimeout(giveUp, timeoutMs);
    const stopWatching = domChanged(undefined, check);
    document.addEventListener('readystatechange', check);
    const stop = stopper(signal, () => {
      clearTimeout(timer);
      stopWatching();
      document.removeEventListener('readystatechange', check);
    });
  });

/** While the document is being parsed, an element is complete only once another node follows it. */
function hasBeenRead(element: Element): boolean {
  let isFollowed = document.readyState !== 'loading';
  for (let node: Node | null = element; node !== null && !isFollowed; node = node.parentNode) {
    isFollowed = node.nextSibling !== null;
  }
  return isFollowed;
}

function elementIsInView(
  signal: Signal,
  target: Element | string,
  callback?: (element: Element) => void,
): boolean {
  if (callback !== undefined) {
    const found = typeof target === 'string' ? waitForElement(signal, target) : Promise.resolve(target);
    found.then((element) => onceInView(signal, element, guarded(callback))).catch(() => undefined);
  }
  const element = typeof target === 'string' ? document.querySelector(target) : target;
  const { top, left, bottom, right, width, height } = element?.getBoundingClientRect() ?? new DOMRect();
  return width > 0 && height > 0 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
}

function onceInView(signal: Signal, element: Element, callback: (element: Element) => void): void {
  const observer = new IntersectionObserver((entries) => {
    if (entries.some(({ isIntersecting }) => isIntersecting)) {
      stop();
      callback(element);
    }
  });
  observer.observe(element);
  const stop = stopper(signal, () => observer.disconnect());
}
