/** Sorts strings by their UTF-16 code units, the order in which databases sort ASCII ids. */
export const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/**
 * A copy of the beginning of a string, for values that outlive the request. Short strings are copied as well: a string
 * that was cut out of a longer one (`slice`, `split`, regular expressions, parsed URLs) points into it in V8, and keeps
 * all of it in memory.
 * @param max in UTF-16 code units. Unpaired surrogates, such as half of a pair at the end, become U+FFFD
 */
export const cutCopy = (text: string, max: number): string => Buffer.from(text.slice(0, max)).toString();

/** Escapes a string for use in a regular expression. */
export const escapedPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** `Green button` for `green button`. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `A`, `A and B`, `A, B and C` */
export function listed(items: readonly string[], word = 'and'): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} ${word} ${items.at(-1) ?? ''}`;
}
