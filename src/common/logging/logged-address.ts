/** Whoever has a share address sees the results, so its token is a secret and has no place in a log. */
const SHARE_TOKEN = /^(\/share\/)[^/?#]+/;

/** An address as it may be written to the log. */
export function loggedAddress(url: string): string {
  return url.replace(SHARE_TOKEN, '$1[token]');
}
