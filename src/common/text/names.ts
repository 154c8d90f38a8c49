import { createHash } from 'node:crypto';

/**
 * Case-folded form that searches and sorts by name use, the same on every database. A sigma has another lower case
 * at the end of a word, where a part of the word may end too.
 */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');
}

/**
 * The columns that are derived from a name. `name_key` is the SHA-256 of its NFC form: equal only when every byte
 * is, whatever the collation of the database says about case, accents and trailing blanks.
 */
export function nameColumns(name: string): { name: string; name_key: string; name_search: string } {
  return { name, name_key: nameKey(name), name_search: foldName(name) };
}

export function nameKey(name: string): string {
  return createHash('sha256').update(name.normalize('NFC')).digest('hex');
}

export const API_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const API_NAME_LENGTH = 64;

/** An api_name made from a name: lower-case ASCII words joined by hyphens, or the fallback where nothing is left. */
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

/** The wanted api_name, or with the first of `-2`, `-3` ... that is not taken. */
export function nextFreeApiName(wanted: string, taken: ReadonlySet<string>): string {
  let candidate = wanted;
  for (let number = 2; taken.has(candidate); number += 1) {
    const suffix = `-${number}`;
    candidate = wanted.slice(0, API_NAME_LENGTH - suffix.length) + suffix;
  }
  return candidate;
}

/** `<name> (Copy)`, then `(Copy 2)` ..., shortened where it would exceed 255 characters. */
export function nextFreeCopyName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? ' (Copy)' : ` (Copy ${number})`;
    const candidate = [...name].slice(0, 255 - suffix.length).join('') + suffix;
    if (!taken.has(candidate)) {
      return candidate;
    }
  }
}
