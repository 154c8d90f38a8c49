import { escapedPattern } from '../common/text/patterns';
import type { PageCondition, PageMatch } from './page-conditions';

/** A page's conditions, ready to be compared with addresses. */
export interface PageMatcher {
  /** At least one of these must match; every address does where neither list has any. */
  wanted: RegExp[];
  /** None of these may match. */
  unwanted: RegExp[];
}

/** An address as browsers write it; text that is none stays as it is. */
const normalized = (address: string): string => (URL.canParse(address) ? new URL(address).href : address);

/** Host and path of an address, whatever its scheme, query, fragment and trailing slash. */
function simplePattern(value: string): string {
  const isPath = value.startsWith('/');
  const address = value.replace(/^[a-z][a-z\d+.-]*:\/\//i, '');
  const absolute = `https://${isPath ? 'any.host' : ''}${address}`;
  const { host, pathname } = URL.canParse(absolute) ? new URL(absolute) : { host: address, pathname: '' };
  const path = pathname.replace(/\/+$/, '');
  return `^[a-z][a-z\\d+.-]*:\\/\\/${isPath ? '[^/?#]*' : escapedPattern(host)}${escapedPattern(path)}\\/*(?:[?#].*)?$`;
}

/** Each way to compare as the source of a regular expression for a whole address. */
const PATTERNS: Record<PageMatch, (value: string) => string> = {
  simple: simplePattern,
  exact: (value) => `^${escapedPattern(normalized(value))}$`,
  contains: escapedPattern,
  starts_with: (value) => `^${escapedPattern(value)}`,
  ends_with: (value) => `${escapedPattern(value)}$`,
  regex: (value) => value,
};

/** The conditions of a page as sources of regular expressions for a normalized address. */
export function pagePatterns(conditions: readonly PageCondition[]): Record<keyof PageMatcher, string[]> {
  const sources = (negate: boolean): string[] =>
    conditions
      .filter((condition) => condition.negate === negate)
      .map(({ match, value }) => PATTERNS[match](value));
  return { wanted: sources(false), unwanted: sources(true) };
}

/** Prepares conditions that passed their check. */
export function compilePage(conditions: readonly PageCondition[]): PageMatcher {
  const { wanted, unwanted } = pagePatterns(conditions);
  const compile = (sources: string[]): RegExp[] => sources.map((source) => new RegExp(source));
  return { wanted: compile(wanted), unwanted: compile(unwanted) };
}

/** Does an absolute address belong to the page? */
export function pageMatches({ wanted, unwanted }: PageMatcher, address: string): boolean {
  const url = normalized(address);
  const isWithoutConditions = wanted.length === 0 && unwanted.length === 0;
  const isWanted = isWithoutConditions || wanted.some((pattern) => pattern.test(url));
  return isWanted && !unwanted.some((pattern) => pattern.test(url));
}
