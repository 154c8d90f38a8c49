/*
 * JavaScript patterns without flags treat each half of a surrogate pair as a character, whereas RE2 matches code
 * points. In RE2's input, each half is therefore mapped to a private code point.
 */

const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;
/** Offset from a surrogate to its private code point. */
const MOVED_SURROGATES = 0x100000 - FIRST_SURROGATE;

const isSurrogate = (unit: number): boolean => unit >= FIRST_SURROGATE && unit <= LAST_SURROGATE;
const moved = (unit: number): number => (isSurrogate(unit) ? unit + MOVED_SURROGATES : unit);

/** The text in the form that translated patterns match. */
export const translatedText = (text: string): string =>
  /[\ud800-\udfff]/.test(text)
    ? text.replace(/[\ud800-\udfff]/g, (half) => String.fromCodePoint(moved(half.charCodeAt(0))))
    : text;

/** A code unit as an RE2 literal that is also valid inside a character class. */
export const plain = (unit: number): string => {
  const character = String.fromCharCode(unit);
  return /[\w/:;,=&%#@!~ ]/.test(character) ? character : `\\x{${moved(unit).toString(16)}}`;
};

/** A range of code units, to be used inside a character class. */
export function range(from: number, to: number): string {
  const parts: [number, number][] = [
    [from, Math.min(to, FIRST_SURROGATE - 1)],
    [Math.max(from, FIRST_SURROGATE), Math.min(to, LAST_SURROGATE)],
    [Math.max(from, LAST_SURROGATE + 1), to],
  ];
  return parts
    .filter(([first, last]) => first <= last)
    .map(([first, last]) => `${plain(first)}-${plain(last)}`)
    .join('');
}
