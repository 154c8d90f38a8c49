/** Browsers may prerender pages that are never seen. Counting waits until the page is visible. */
export function whenSeen(callback: () => void): void {
  if ((document as { prerendering?: boolean }).prerendering === true) {
    document.addEventListener('prerenderingchange', callback, { once: true });
  } else {
    callback();
  }
}
