import { domainToASCII } from 'node:url';
import { linearPattern, TextTest } from '../../common/patterns/linear-pattern';
import { UnsupportedSyntaxError } from '../../common/patterns/translation';
import { escapedPattern } from '../../common/text/strings';
import type { PageCondition, PageMatch } from './page-conditions';

/** The conditions of a page as sources of regular expressions. */
export interface PagePatterns {
  wanted: string[];
  unwanted: string[];
}

/** A page's compiled conditions. */
export interface PageMatcher {
  /** At least one of these must match. If both lists are empty, every URL matches. */
  wanted: TextTest[];
  /** None of these may match. */
  unwanted: TextTest[];
}

/** A URL as browsers normalise it. Other text stays unchanged. */
export const normalized = (address: string): string =>
  URL.canParse(address) ? new URL(address).href : address;

/** The characters that browsers percent-encode, according to the URL Standard's sets for paths and queries. */
const IN_PATH = /[^\x21-\x7e]+|["<>`{}]/g;
const IN_QUERY = /[^\x21-\x7e]+|["'<>]/g;

const encode = (text: string, characters: RegExp): string =>
  text.toWellFormed().replace(characters, (found) => encodeURIComponent(found).replaceAll("'", '%27'));

/** Encodes a string that begins within a path, as browsers do. */
function encodedPath(text: string): string {
  const query = text.indexOf('?');
  const end = query === -1 ? text.length : query;
  return encode(text.slice(0, end), IN_PATH) + encode(text.slice(end), IN_QUERY);
}

/** Scheme, host and port at the beginning of a string. */
const ORIGIN = /^https?:\/\/[^/?#]+/i;

/** Encodes the beginning of a URL, as browsers do. The text may end within the host, but not before a port. */
function encodedStart(start: string): string {
  const [given] = ORIGIN.exec(start) ?? [''];
  const rest = encodedPath(start.slice(given.length));
  if (!URL.canParse(given)) {
    return encodedPath(start);
  }
  const { origin } = new URL(given);
  const hasPath = rest.startsWith('/') || (rest === '' && !/:\d+$/.test(given));
  return hasPath ? origin + rest : `${origin}/${rest}`;
}

/** The characters that browsers leave as they are in some cases and percent-encode in others, such as `^` in paths. */
const VARYING = '^|~';
const ESCAPES = /(%[\da-f]{2}|[\^|~])/i;

/** A pattern for a part of a URL in all of its encodings: `%c3` also matches `%C3`, and `~` also matches `%7E`. */
const addressPattern = (text: string): string =>
  text
    .split(ESCAPES)
    .map((part, index) => (index % 2 === 0 ? escapedPattern(part) : anyEncoding(part)))
    .join('');

/** A pattern for one escape or one varying character. The hexadecimal digits of an escape can have any case. */
function anyEncoding(given: string): string {
  const code = given.startsWith('%') ? Number.parseInt(given.slice(1), 16) : given.charCodeAt(0);
  const character = String.fromCharCode(code);
  const escape = `%${code.toString(16).padStart(2, '0')}`;
  const inAnyCase = escape.replace(/[a-f]/g, (digit) => `[${digit.toUpperCase()}${digit}]`);
  return VARYING.includes(character) ? `(?:${escapedPattern(character)}|${inAnyCase})` : inAnyCase;
}

/** Text that could be a host name. */
const HOST_NAME = /[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu;

/** The forms in which browsers may encode a part of a URL: in the path, in the query, or together with the host. */
function encodedParts(part: string): string[] {
  const inAscii = part.toWellFormed().replace(HOST_NAME, (name) => domainToASCII(name) || name);
  const isInAscii = /^[\x21-\x7e]*$/.test(part);
  const inQuery = part.includes('?') ? [] : [encode(part, IN_QUERY)];
  return [encodedPath(part), ...inQuery, ...(isInAscii ? [] : [encodedPath(inAscii)]), encodedStart(part)];
}

/**
 * Patterns that compare a part of a URL with a string in two forms: as entered, and as browsers encode it (`/käse`
 * becomes `/k%C3%A4se`). Audience conditions use these patterns too.
 */
export const PART_PATTERNS = {
  contains: (value: string): string => anyOf(value, ...encodedParts(value)),
  starts_with: (value: string): string => `^${anyOf(value, encodedStart(value))}`,
  ends_with: (value: string): string => `${anyOf(value, ...encodedParts(value))}$`,
} as const;

const anyOf = (...texts: string[]): string => {
  const [first, ...others] = new Set(texts.map(addressPattern));
  return others.length === 0 ? first : `(?:${[first, ...others].join('|')})`;
};

/** A pattern for the host and path of a URL, with any scheme, query, fragment and trailing slash. */
function simplePattern(value: string): string {
  const isPath = value.startsWith('/');
  const address = value.replace(/^[a-z][a-z\d+.-]*:\/\//i, '');
  // The URL parser needs the scheme in order to remove the scheme's default port, which is then not part of the host.
  const scheme = /^http:/i.test(value) ? 'http' : 'https';
  const absolute = `${scheme}://${isPath ? 'any.host' : ''}${address}`;
  const { host, pathname } = URL.canParse(absolute) ? new URL(absolute) : { host: address, pathname: '' };
  const path = pathname.replace(/\/+$/, '');
  return `^[a-z][a-z\\d+.-]*:\\/\\/${isPath ? '[^/?#]*' : escapedPattern(host)}${addressPattern(path)}\\/*(?:[?#].*)?$`;
}

/** Each comparison, as the source of a regular expression for a whole URL. */
const PATTERNS: Record<PageMatch, (value: string) => string> = {
  simple: simplePattern,
  exact: (value) => `^${addressPattern(normalized(value))}$`,
  ...PART_PATTERNS,
  regex: (value) => value,
};

/** A page's conditions as sources of regular expressions for a normalised URL. */
export function pagePatterns(conditions: readonly PageCondition[]): PagePatterns {
  const sources = (negate: boolean): string[] =>
    conditions
      .filter((condition) => condition.negate === negate)
      .map(({ match, value }) => PATTERNS[match](value));
  return { wanted: sources(false), unwanted: sources(true) };
}

const NOWHERE: PageMatcher = { wanted: [{ test: () => false }], unwanted: [] };

/** Compiles valid conditions. Pages with unsupported patterns that were saved by earlier releases match nothing. */
export function compilePage(conditions: readonly PageCondition[]): PageMatcher {
  const { wanted, unwanted } = pagePatterns(conditions);
  try {
    return { wanted: wanted.map(linearPattern), unwanted: unwanted.map(linearPattern) };
  } catch (error) {
    if (error instanceof UnsupportedSyntaxError) {
      return NOWHERE;
    }
    throw error;
  }
}

/** Whether an absolute URL matches the page. */
export const pageMatches = (page: PageMatcher, address: string): boolean =>
  matchesNormalized(page, normalized(address));

/** Like `pageMatches`, for a normalised URL. */
export function matchesNormalized({ wanted, unwanted }: PageMatcher, url: string): boolean {
  const isWithoutConditions = wanted.length === 0 && unwanted.length === 0;
  const isWanted = isWithoutConditions || wanted.some((pattern) => pattern.test(url));
  return isWanted && !unwanted.some((pattern) => pattern.test(url));
}
