const MYSQL = /^mysql:\/\/(?:([^/]*)@)?([^/@]+)(\/[^/?#]+)$/;

/** Parameters such as `?ssl=` would have no effect: connections would not be encrypted. */
function isHostUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && url.hostname !== '' && url.search === '' && url.hash === '';
}

/**
 * The URLs of a database with several hosts, `mysql://user:password@a:3306,b:3307,c/name`: one per host, in the given
 * order.
 * @returns null if it is not such a URL
 */
export function hostUrls(value: string): string[] | null {
  const [, credentials, hosts, rest] = MYSQL.exec(value) ?? [];
  if (hosts === undefined) {
    return null;
  }
  const prefix = credentials === undefined ? 'mysql://' : `mysql://${credentials}@`;
  const urls = hosts.split(',').map((host) => `${prefix}${host}${rest}`);
  return urls.every(isHostUrl) ? urls : null;
}
