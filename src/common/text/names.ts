import { createHash } from 'node:crypto';

/** Maximum length of the names of users and records, in characters. */
export const MAX_NAME = 255;

/**
 * Whether a string consists only of white space, control characters and characters without a glyph, such as the
 * zero-width space.
 */
export const isInvisible = (text: string): boolean => INVISIBLE.test(text);

const INVISIBLE = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}]*$/u;

/**
 * The case-folded form for searching and sorting by name, the same on every database. A final sigma is folded to the
 * ordinary sigma, because lower-casing keeps the two apart and the search text may end in the middle of a word.
 */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');
}

/**
 * The columns derived from a name. `name_key` is the SHA-256 hash of its NFC form, so two names have the same key only
 * if this form is the same byte for byte, whatever the database's collation does with case, accents and trailing
 * spaces.
 */
export function nameColumns(name: string): { name: string; name_key: string; name_search: string } {
  return { name, name_key: nameKey(name), name_search: foldName(name) };
}

export function nameKey(name: string): string {
  return createHash('sha256').update(name.normalize('NFC')).digest('hex');
}

/** The names of records in messages: `Green buy button (1), Cart (6)`. */
export const withIds = (records: readonly { id: number; name: string }[]): string =>
  records.map(({ id, name }) => `${name} (${id})`).join(', ');

export const API_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const API_NAME_LENGTH = 64;
/** Number of characters that are reserved for the suffix, which can go up to `-9999999`. */
const SUFFIX_LENGTH = 8;

/** An `api_name` derived from a name: lower-case ASCII words joined by hyphens, or the fallback if nothing remains. */
export function apiNameFrom(name: string, fallback: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^[-_]+|-+$/g, '')
    .slice(0, API_NAME_LENGTH)
    .replace(/-+$/, '');
  return words === '' ? fallback : words;
}

/** The requested `api_name` if it is free, otherwise with the first free suffix: `-2`, `-3` ... */
export function nextFreeApiName(wanted: string, taken: ReadonlySet<string>): string {
  let candidate = wanted;
  for (let number = 2; taken.has(candidate); number += 1) {
    const suffix = `-${number}`;
    candidate = wanted.slice(0, API_NAME_LENGTH - suffix.length) + suffix;
  }
  return candidate;
}

/** Whether `nextFreeApiName` can return this `api_name` for the requested one. */
export function isNumbered(apiName: string, wanted: string): boolean {
  const [suffix = ''] = /-[1-9]\d*$/.exec(apiName) ?? [];
  return apiName === wanted || apiName === wanted.slice(0, API_NAME_LENGTH - suffix.length) + suffix;
}

/** The common prefix of all names that `nextFreeApiName` may return. */
export const apiNameStem = (wanted: string): string => wanted.slice(0, API_NAME_LENGTH - SUFFIX_LENGTH);

/** `<name> (Copy)`, then `<name> (Copy 2)` and so on. The name is shortened if the result would be too long. */
export function nextFreeCopyName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? ' (Copy)' : ` (Copy ${number})`;
    const candidate = [...name].slice(0, MAX_NAME - suffix.length).join('') + suffix;
    if (!taken.has(candidate)) {
      return candidate;
    }
  }
}
