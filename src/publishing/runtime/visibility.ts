/** Pages may be drawn in advance and never be seen; what counts waits until the visitor has come. */
export function whenSeen(callback: () => void): void {
  if ((document as { prerendering?: boolean }).prerendering === true) {
    document.addEventListener('prerenderingchange', callback, { once: true });
  } else {
    callback();
  }
}
