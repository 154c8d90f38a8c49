const NOWHERE = 'http://nowhere.invalid';
const PATH = /^\/[\x21-\x7e]*$/;
const NOT_AGAIN = /^\/(?:login|logout)(?:[/?]|$)/;

/**
 * Where somebody goes on after signing in: the path and query that were asked for when they lead to this server,
 * otherwise null. Browsers take `//host`, `/\host` and what becomes one of them for another server.
 */
export function ownPath(text: string | undefined): string | null {
  if (text === undefined || !PATH.test(text)) {
    return null;
  }
  const url = URL.canParse(text, NOWHERE) ? new URL(text, NOWHERE) : null;
  if (url?.origin !== NOWHERE || url.pathname.startsWith('//') || NOT_AGAIN.test(url.pathname)) {
    return null;
  }
  return url.pathname + url.search;
}
