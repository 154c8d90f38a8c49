import { isInvisible } from '../../common/text/names';
import { listed } from '../../common/text/strings';
import { formatCount } from './numbers';

/** Characters that change the direction of surrounding text, control characters, and characters that XML forbids. */
const UNRULY = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]+/g;

const MAX_IN_SENTENCE = 60;
const ISOLATE = '\u2068';
const END_ISOLATE = '\u2069';

/** A user-defined name without characters that affect the surrounding text. */
export function plainName(name: string): string {
  const plain = name.replace(UNRULY, ' ').replace(/\s+/g, ' ').trim();
  // Earlier releases allowed invisible names, whose links could not be clicked.
  return isInvisible(plain) ? '(no name)' : plain;
}

/** The name, truncated to a maximum number of characters. */
export function shortName(name: string, length = MAX_IN_SENTENCE): string {
  return truncated([...plainName(name)], length);
}

const truncated = (characters: readonly string[], length: number): string =>
  characters.length > length
    ? `${characters
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`
    : characters.join('');

/** Number of characters shown before the first difference between names that begin with the same text. */
const LEAD = 8;

/** A name that differs from the others in two places may need a second comparison, with those that are still alike. */
const COMPARISONS = 3;

/** Truncated names. Names that would look the same are truncated at the beginning, so that their difference is shown. */
export function shortNames(names: readonly string[], length: number): string[] {
  const plain = names.map((name) => [...plainName(name)]);
  let short = plain.map((characters) => truncated(characters, length));
  for (let count = 0; count < COMPARISONS; count += 1) {
    const shown = short;
    short = plain.map((characters, index) => {
      const alike = plain.filter((_, other) => shown[other] === shown[index]);
      const difference = differenceOf(characters, alike);
      return difference === null ? (shown[index] ?? '') : shortenedAround(characters, difference, length);
    });
  }
  return short;
}

/** The index of the first character in which the name differs from any of the others; null if all are equal. */
function differenceOf(characters: readonly string[], others: readonly (readonly string[])[]): number | null {
  const longest = Math.max(...others.map((other) => other.length));
  for (let index = 0; index < longest; index += 1) {
    if (others.some((other) => other[index] !== characters[index])) {
      return index;
    }
  }
  return null;
}

function shortenedAround(characters: readonly string[], difference: number, length: number): string {
  const start = Math.min(difference - LEAD, characters.length - length + 1);
  return start <= 0 || characters.length <= length
    ? truncated(characters, length)
    : `…${truncated(characters.slice(start), length - 1).trimStart()}`;
}

/** A name for use in sentences: truncated, and isolated for bidirectional text. */
export const nameInSentence = (name: string): string => `${ISOLATE}${shortName(name)}${END_ISOLATE}`;

/** Maximum number of names listed in a sentence. */
export const MAX_NAMES = 3;

/**
 * `A`, `A, B and C`, `A, B, C and 2 others`. If only one name would be left, it is listed, because counting it would not
 * be shorter.
 * @param others the text for the names that are not listed
 */
export function shortList(names: readonly string[], others: (count: number) => string): string {
  const rest = names.length - MAX_NAMES;
  return listed(rest > 1 ? [...names.slice(0, MAX_NAMES), others(rest)] : names);
}

/** `1 day`, `12 days` */
export function plural(count: number, one: string): string {
  return `${formatCount(count)} ${count === 1 ? one : `${one}s`}`;
}

const DAYS_PER_WEEK = 7;
const DAYS_PER_MONTH = 30.44;

/** An approximate duration: `less than a day`, `about 12 days`, `about 5 weeks`. */
export function roughDays(days: number): string {
  if (days < 1) {
    return 'less than a day';
  }
  if (days < 20.5) {
    return `about ${plural(Math.round(days), 'day')}`;
  }
  if (days < 11.5 * DAYS_PER_WEEK) {
    return `about ${plural(Math.round(days / DAYS_PER_WEEK), 'week')}`;
  }
  return days < 12 * DAYS_PER_MONTH
    ? `about ${plural(Math.round(days / DAYS_PER_MONTH), 'month')}`
    : 'more than a year';
}

/** Elapsed time in whole days: `12 days` */
export function passedDays(days: number): string {
  return days > 0 && days < 1 ? 'less than a day' : plural(Math.floor(days), 'day');
}
