import { addStyle } from './style-sheets';

const LONGEST_MS = 2_000;

/**
 * Hides the page until its changes have been made, if the script tag has `data-anti-flicker`.
 * @param wish value of the attribute: the maximum duration in milliseconds
 * @returns shows the page as soon as its document has been parsed
 */
export function hidePage(wish: string | null): () => void {
  if (wish === null) {
    return () => undefined;
  }
  const show = addStyle(':root{opacity:0!important}');
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
