import { isIP } from 'node:net';
import { hostUrls } from './database-url';
import type { SettingFormat } from './setting';

/* Formats of setting values. */

/** Tests whether a string has the format. */
export const SETTING_FORMATS: Readonly<Record<SettingFormat, (text: string) => boolean>> = {
  addresses: (text) => wrongAddresses(text).length === 0,
  proxies: (text) => text === 'false' || wrongProxies(text).length === 0,
  database: (text) => sqliteFile(text) !== null || hostUrls(text)?.every(isReadableUrl) === true,
  events: (text) => /^clickhouses?:\/\/[^/?#]+\/\w+$/.test(text) && isReadableUrl(text),
  header: (text) => /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(text),
  headers: (text) => headersIn(text) !== null,
  host: (text) => isIP(text) !== 0 || /^[\w.-]+$/.test(text),
  http: (text) => isBaseUrl(httpUrl(text)),
  issuer: (text) => isIssuer(text),
  membership: (text) => membershipIn(text) !== null,
  origin: (text) => `${httpUrl(text)?.origin}/` === httpUrl(text)?.href,
  redis: (text) => /^rediss?:\/\/[^/?#]+(\/\d{0,4})?(\?[^#]*)?$/.test(text) && isReadableUrl(text),
};

/**
 * The file of `sqlite:data/x.sqlite` or `sqlite:///srv/x.sqlite`; null if it names a folder or no file. Other URLs,
 * parameters, quotes, `file:` and `~` are rejected, because they would become part of the path.
 */
export function sqliteFile(text: string): string | null {
  const file = /^sqlite:(?:\/\/(?=\/)|(?!\/\/))((?!~(?:\/|$)|file:|["'])[^?]*[^/?])$/.exec(text)?.[1];
  return file === undefined || file === ':memory:' ? null : file;
}

/** The parsed URL; null unless it is an http(s) URL. */
export function httpUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && ['http:', 'https:'].includes(url.protocol) ? url : null;
}

/** Whether paths can be appended to the URL. It must not contain a password, because browsers do not load such URLs. */
const isBaseUrl = (url: URL | null): boolean => url !== null && url.href === `${url.origin}${url.pathname}`;

const MAX_ISSUER = 255;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

function isIssuer(text: string): boolean {
  const url = httpUrl(text);
  if (url === null || !SETTING_FORMATS.http(text) || text.length > MAX_ISSUER || url.username !== '') {
    return false;
  }
  return url.protocol === 'https:' || LOOPBACK.test(url.hostname);
}

/** `7:viewer` -> team and role; null if malformed. */
export function membershipIn(text: string): { teamId: number; role: string } | null {
  const [, teamId, role] = /^([1-9]\d{0,8}):(viewer|editor|publisher|admin)$/.exec(text) ?? [];
  return teamId === undefined || role === undefined ? null : { teamId: Number(teamId), role };
}

/** `10.0.0.0/8, ::1` -> its entries */
export const addressesIn = (text: string): string[] => text.split(',').map((entry) => entry.trim());

const HEADER = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/;
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * `x-key=secret, x-scheme=a%20b` -> their decoded values by name; null if an entry is not a valid header.
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/#specifying-headers-via-environment-variables
 */
export function headersIn(text: string): Record<string, string> | null {
  const entries = text.split(',').map(headerIn);
  return entries.includes(null) ? null : Object.fromEntries(entries.filter((entry) => entry !== null));
}

function headerIn(text: string): [name: string, value: string] | null {
  const [, name = '', encoded = ''] = HEADER.exec(text) ?? [];
  const value = percentDecoded(encoded);
  return value !== null && HEADER_VALUE.test(value) ? [name.toLowerCase(), value] : null;
}

function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** The entries that are neither an address nor a subnet. */
export const wrongAddresses = (text: string): string[] =>
  addressesIn(text).filter((entry) => !isAddressOrSubnet(entry));

/** The entries that cannot be trusted proxies. A subnet `/0` would trust every client to name its own address. */
export const wrongProxies = (text: string): string[] =>
  addressesIn(text).filter((entry) => !isAddressOrSubnet(entry) || /\/0+$/.test(entry));

function isAddressOrSubnet(text: string): boolean {
  const [address, prefix, ...rest] = text.split('/');
  const version = isIP(address ?? '');
  if (version === 0 || rest.length > 0) {
    return false;
  }
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

/** Whether a URL can be parsed, including its user and password. */
function isReadableUrl(value: string): boolean {
  try {
    const { username, password, hostname } = new URL(value);
    decodeURIComponent(username + password);
    return hostname !== '';
  } catch {
    return false;
  }
}
