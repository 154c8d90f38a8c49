/** Sorts texts by their UTF-16 units, as databases sort ASCII ids. */
export const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/**
 * The beginning of a text, for values that outlive the request. `slice` alone would keep the whole text in memory,
 * because V8 lets the slice point into its parent. @param max in UTF-16 code units; half of a surrogate pair at the end
 * becomes U+FFFD
 */
export const cutCopy = (text: string, max: number): string =>
  text.length <= max ? text : Buffer.from(text.slice(0, max)).toString();

/** Escapes a text for use in a regular expression. */
export const escapedPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** `Green button` for `green button`. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
