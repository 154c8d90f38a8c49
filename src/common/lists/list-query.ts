import { foldName } from '../text/names';
import { Failures } from '../validation/failures';

export interface PageRequest {
  /** Number of the page, from 1. */
  number: number;
  perPage: number;
}

export interface ListQuery {
  /** Filter by a substring of the name, case-insensitive; null for all. */
  search: string | null;
  sort: { column: SortColumn; descending: boolean };
  /** Null without pagination. */
  page: PageRequest | null;
}

/** Raw query parameters. The value of a repeated parameter is a list. */
export type RawQuery = Record<string, string | string[] | undefined>;

const SORTS = { id: 'id', name: 'name_search', created_at: 'created_at', updated_at: 'updated_at' } as const;
type SortColumn = (typeof SORTS)[keyof typeof SORTS];

export const SORT_VALUES = Object.keys(SORTS).flatMap((name) => [name, `-${name}`]);
export const MAX_PER_PAGE = 500;
export const DEFAULT_PER_PAGE = 100;
/**
 * Higher page numbers are treated as this one. No list is that long, so later pages would be empty anyway, and their
 * offsets would exceed the databases' number range.
 */
const LAST_PAGE = 1_000_000_000;
const IN_BRACKETS = /^(?:\[\d*\])?$/;

/** Reads a parameter that may be given only once; null if it is absent. */
export function singleValue(query: RawQuery, name: string, failures: Failures): string | null {
  const value = query[name];
  if (Array.isArray(value)) {
    failures.add(name, `The ${name} parameter may be given only once.`);
    return null;
  }
  return value ?? null;
}

/** The first value; empty if absent. For HTML pages, whose URLs users may edit. */
export function firstValue(query: RawQuery, name: string): string {
  const value = query[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

/** The first value as a whole number from 1; null for any other value. For HTML pages. */
export function firstNumber(query: RawQuery, name: string): number | null {
  const value = firstValue(query, name);
  return /^[1-9]\d{0,8}$/.test(value) ? Number(value) : null;
}

/**
 * A comma-separated parameter, which may also be repeated; null if it is absent. Empty entries are skipped. Axios and
 * PHP write lists as `name[]` or `name[0]`. If these forms were ignored like unknown parameters, the response would be
 * unfiltered.
 */
export const listValue = (query: RawQuery, name: string): string[] | null =>
  entriesOf(query, name, (value) => value.split(','));

/** Like `listValue`, for strings that may contain commas: each value of `name[]` is one entry. */
export const textsValue = (query: RawQuery, name: string): string[] | null =>
  entriesOf(query, name, (value, isEntry) => (isEntry ? [value] : value.split(',')));

function entriesOf(
  query: RawQuery,
  name: string,
  split: (value: string, isEntry: boolean) => string[],
): string[] | null {
  const given = Object.keys(query).filter(
    (key) => key.startsWith(name) && IN_BRACKETS.test(key.slice(name.length)),
  );
  const entries = given.flatMap((key) =>
    [query[key] ?? []].flat().flatMap((value) => split(value, key.endsWith(']'))),
  );
  return given.length === 0 ? null : entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
}

/** Like `readListQuery`, for lists that have no other parameters. @throws ValidationError */
export function parseListQuery(query: RawQuery): ListQuery {
  const failures = new Failures();
  const list = readListQuery(query, failures);
  failures.throwIfAny();
  return list;
}

/**
 * The page of a list that is always paginated, because it only grows. The order of the list is fixed.
 * @throws ValidationError
 */
export function parsePage(query: RawQuery): PageRequest {
  const failures = new Failures();
  const page = readOwnPage(query, failures);
  failures.throwIfAny();
  return page;
}

/** Like `parsePage`, but for lists that have other parameters too. */
export const readOwnPage = (query: RawQuery, failures: Failures): PageRequest =>
  readPage(query, failures) ?? { number: 1, perPage: DEFAULT_PER_PAGE };

/** Reads the parameters that all lists have: `search`, `sort`, `page` and `per_page`. */
export function readListQuery(query: RawQuery, failures: Failures): ListQuery {
  const search = singleValue(query, 'search', failures);
  return {
    search: search === null || search.trim() === '' ? null : foldName(search.trim()),
    sort: readSort(singleValue(query, 'sort', failures), failures),
    page: readPage(query, failures),
  };
}

function readSort(value: string | null, failures: Failures): ListQuery['sort'] {
  const name = (value ?? 'id').replace(/^-/, '');
  if (!Object.hasOwn(SORTS, name)) {
    failures.add('sort', `The sort must be one of: ${SORT_VALUES.join(', ')}.`);
    return { column: 'id', descending: false };
  }
  return { column: SORTS[name as keyof typeof SORTS], descending: value?.startsWith('-') ?? false };
}

function readPage(query: RawQuery, failures: Failures): PageRequest | null {
  const number = readInteger(query, 'page', Infinity, failures);
  const perPage = readInteger(query, 'per_page', MAX_PER_PAGE, failures);
  return number === null && perPage === null
    ? null
    : { number: Math.min(number ?? 1, LAST_PAGE), perPage: perPage ?? DEFAULT_PER_PAGE };
}

function readInteger(query: RawQuery, name: string, max: number, failures: Failures): number | null {
  const value = singleValue(query, name, failures);
  if (value === null) {
    return null;
  }
  const number = /^\d+$/.test(value) ? Number(value) : 0;
  if (number < 1 || number > max) {
    const limits = max === Infinity ? 'of at least 1' : `from 1 to ${max}`;
    failures.add(name, `The ${name} must be a whole number ${limits}.`);
    return null;
  }
  return number;
}

/** `ORDER BY ... LIMIT ...` of the query; ties are broken by id. */
export function listTail(query: ListQuery): string {
  const { column, descending } = query.sort;
  const order = `ORDER BY ${column}${descending ? ' DESC' : ''}${column === 'id' ? '' : ', id'}`;
  if (query.page === null) {
    return order;
  }
  const { number, perPage } = query.page;
  return `${order} LIMIT ${perPage} OFFSET ${(number - 1) * perPage}`;
}
