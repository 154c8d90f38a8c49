import { LIFETIME_MS } from './visitor-record';

/** Stores one text for later pages. Any method can throw an error. */
export interface TextStore {
  maxLength: number;
  read(): string | null;
  /** @param text null removes the stored text */
  write(text: string | null): void;
}

export function localStorageStore(key: string): TextStore {
  return {
    maxLength: Infinity,
    read: () => localStorage.getItem(key),
    write: (text) => (text === null ? localStorage.removeItem(key) : localStorage.setItem(key, text)),
  };
}

/** A cookie for the site and all its subdomains. */
export function cookieStore(name: string): TextStore {
  const read = (): string | null => cookieValues().find(([given]) => given === name)?.[1] ?? null;
  return {
    // Browsers reject cookies over 4,096 bytes.
    maxLength: 3_800,
    read,
    write(text) {
      for (const domain of domains()) {
        setCookie(name, text, domain);
        if (text !== null && read() === text) {
          return;
        }
      }
    },
  };
}

/**
 * Stores JSON in a cookie. Cookies cannot contain quotes or commas, so these are replaced by characters that do not
 * occur in the JSON.
 */
export function jsonCookieStore(name: string): TextStore {
  const cookie = cookieStore(name);
  return {
    maxLength: cookie.maxLength,
    read: () => cookie.read()?.replace(/'/g, '"').replace(/\|/g, ',') ?? null,
    write: (text) => cookie.write(text?.replace(/"/g, "'").replace(/,/g, '|') ?? null),
  };
}

/** The names and values of the cookies that the page can read, not yet decoded. */
export const cookieValues = (): [name: string, value: string][] =>
  document.cookie.split('; ').map((cookie) => {
    const [name, ...value] = cookie.split('=');
    return [name, value.join('=')];
  });

/**
 * The domains to try, broadest first, because browsers reject public suffixes. The empty string means this host only.
 */
function domains(): string[] {
  const labels = location.hostname.split('.');
  return [...labels.slice(1).map((_, index) => labels.slice(-index - 2).join('.')), ''];
}

function setCookie(name: string, text: string | null, domain: string): void {
  const age = text === null ? 0 : LIFETIME_MS / 1000;
  document.cookie = [
    `${name}=${text ?? ''}`,
    'path=/',
    'samesite=lax',
    `max-age=${age}`,
    ...(domain === '' ? [] : [`domain=${domain}`]),
    ...(location.protocol === 'https:' ? ['secure'] : []),
  ].join(';');
}
