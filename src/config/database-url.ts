import { isIP } from 'node:net';
import { hostOf } from '../common/http/addresses';

const MYSQL = /^mysql(s?):\/\/(?:([^/]*)@)?([^/@]+)(\/[^/?#]+)$/;

/** How `mysqls://` connects: with encryption, and only to a host that has a valid certificate for its name. */
export interface Encryption {
  ssl?: { verifyIdentity: true };
}

/**
 * Whether the text is the URL of a single host. Parameters such as `?ssl=` are rejected, because they would have no
 * effect. To encrypt connections, use `mysqls://`.
 */
function isHostUrl(text: string, isEncrypted: boolean): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.hostname === '' || url.search !== '' || url.hash !== '') {
    return false;
  }
  // The driver checks certificates only against names, not against IP addresses.
  return !isEncrypted || isIP(hostOf(url)) === 0;
}

/**
 * The URLs of a database with several hosts, `mysql://user:password@a:3306,b:3307,c/name`. There is one URL per host,
 * in the given order, and all begin with `mysql:`.
 * @returns null if the value is not such a URL
 */
export function hostUrls(value: string): string[] | null {
  const [, encrypted, credentials, hosts, rest] = MYSQL.exec(value) ?? [];
  if (hosts === undefined) {
    return null;
  }
  const prefix = credentials === undefined ? 'mysql://' : `mysql://${credentials}@`;
  const urls = hosts.split(',').map((host) => `${prefix}${host}${rest}`);
  return urls.every((url) => isHostUrl(url, encrypted === 's')) ? urls : null;
}

/** The encryption that a URL requires; empty for `mysql://`. @param value a valid `DATABASE_URL` */
export const encryptionOf = (value: string): Encryption =>
  value.startsWith('mysqls:') ? { ssl: { verifyIdentity: true } } : {};
