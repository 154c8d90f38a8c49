/**
 * Adds a style sheet to the document. It is a constructed style sheet, which policies against inline styles allow.
 * @returns removes it
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
