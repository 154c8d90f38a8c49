import { isIP } from 'node:net';
import { hostUrls } from './database-url';
import type { SettingFormat } from './settings';

/* What the texts of settings must be. */

/** Whether the text has the format. */
export const SETTING_FORMATS: Readonly<Record<SettingFormat, (text: string) => boolean>> = {
  addresses: (text) => wrongAddresses(text).length === 0,
  proxies: (text) => text === 'false' || wrongAddresses(text).length === 0,
  database: (text) => sqliteFile(text) !== null || hostUrls(text)?.every(isReadableUrl) === true,
  headers: (text) => headersIn(text) !== null,
  http: (text) => httpUrl(text)?.search === '' && httpUrl(text)?.hash === '',
  origin: (text) => `${httpUrl(text)?.origin}/` === httpUrl(text)?.href,
  redis: (text) => /^rediss?:\/\/[^/?#]+(\/\d{0,4})?(\?[^#]*)?$/.test(text) && isReadableUrl(text),
};

/** The file of `sqlite:data/x.sqlite`; null when it names none. */
export function sqliteFile(text: string): string | null {
  const file = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(text)?.[1];
  return file === undefined || file === ':memory:' ? null : file;
}

/** Null unless it is an http(s) address. */
export function httpUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && ['http:', 'https:'].includes(url.protocol) ? url : null;
}

/** `10.0.0.0/8, ::1` -> its entries */
export const addressesIn = (text: string): string[] => text.split(',').map((entry) => entry.trim());

const HEADER = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)\s*$/;

/** `x-key=secret, x-team=web` -> their values by name; null when one is no header. */
export function headersIn(text: string): Record<string, string> | null {
  const entries = text.split(',').map((entry) => HEADER.exec(entry));
  const isWrong = entries.some((entry) => entry === null);
  return isWrong
    ? null
    : (Object.fromEntries(entries.map((entry) => [entry?.[1]?.toLowerCase(), entry?.[2]])) as Record<
        string,
        string
      >);
}

/** Those entries that are neither an address nor a subnet. */
export const wrongAddresses = (text: string): string[] =>
  addressesIn(text).filter((entry) => !isAddressOrSubnet(entry));

function isAddressOrSubnet(text: string): boolean {
  const [address, prefix, ...rest] = text.split('/');
  const version = isIP(address ?? '');
  if (version === 0 || rest.length > 0) {
    return false;
  }
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

/** Whether an address can be taken apart, its user and password included. */
function isReadableUrl(value: string): boolean {
  try {
    const { username, password, hostname } = new URL(value);
    decodeURIComponent(username + password);
    return hostname !== '';
  } catch {
    return false;
  }
}
