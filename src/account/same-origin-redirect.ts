const NOWHERE = 'http://nowhere.invalid';
const PATH = /^\/[\x21-\x7e]*$/;
const NOT_AGAIN = /^\/(?:login|logout)(?:[/?]|$)/;

/**
 * The target of a same-origin redirect, for example after sign-in: the path and query of a URL on this server; null for
 * other URLs. Browsers interpret `//host`, `/\host` and similar forms as a different server.
 */
export function sameOriginPath(text: string | undefined): string | null {
  if (text === undefined || !PATH.test(text)) {
    return null;
  }
  const url = URL.canParse(text, NOWHERE) ? new URL(text, NOWHERE) : null;
  if (url?.origin !== NOWHERE || url.pathname.startsWith('//') || NOT_AGAIN.test(url.pathname)) {
    return null;
  }
  return url.pathname + url.search;
}
