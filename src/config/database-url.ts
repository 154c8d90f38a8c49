const MYSQL = /^mysql:\/\/(?:([^/]*)@)?([^/@]+)(\/[^/?]+.*)$/;

/**
 * The addresses of a database that several hosts serve, `mysql://user:password@a:3306,b:3307,c/name`: one for each
 * host, in the order given.
 * @returns null when it is no such address
 */
export function hostUrls(value: string): string[] | null {
  const [, credentials, hosts, rest] = MYSQL.exec(value) ?? [];
  if (hosts === undefined) {
    return null;
  }
  const prefix = credentials === undefined ? 'mysql://' : `mysql://${credentials}@`;
  const urls = hosts.split(',').map((host) => `${prefix}${host}${rest}`);
  return urls.every((url) => URL.canParse(url) && new URL(url).hostname !== '') ? urls : null;
}
