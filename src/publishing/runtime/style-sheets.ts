/**
 * Adds a style sheet to the document. Uses a constructed style sheet if the browser supports this, because a Content
 * Security Policy that forbids inline styles still allows constructed style sheets.
 * @returns a function that removes the style sheet
 */
export const addStyle = (css: string): (() => void) =>
  'adoptedStyleSheets' in Document.prototype ? adoptSheet(css) : addElement(css);

function adoptSheet(css: string): () => void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
  };
}

function addElement(css: string): () => void {
  const element = document.createElement('style');
  element.textContent = css;
  (document.head ?? document.documentElement).append(element);
  return () => element.remove();
}

const LONGEST_MS = 2_000;

/**
 * Hides the page until the experiments have changed it, if the script tag has `data-anti-flicker`.
 * @param wish the value of the attribute, which is the maximum duration in milliseconds
 * @returns a function that shows the page as soon as its document has been parsed
 */
export function hidePage(wish: string | null): () => void {
  if (wish === null) {
    return () => undefined;
  }
  let remove: (() => void) | undefined = addStyle(':root{opacity:0!important}');
  const show = (): void => {
    remove?.();
    remove = undefined;
  };
  const time = Number(wish);
  setTimeout(show, wish.trim() !== '' && time >= 0 ? Math.min(time, LONGEST_MS) : LONGEST_MS);
  return () => {
    if (document.readyState === 'loading') {
      document.addEventListener('DOMContentLoaded', show);
    } else {
      show();
    }
  };
}
