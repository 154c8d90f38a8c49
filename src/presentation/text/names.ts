/** Characters that turn the direction of the text around them, and control characters. */
const UNRULY = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;

const MAX_IN_SENTENCE = 60;
const ISOLATE = '\u2068';
const END_ISOLATE = '\u2069';

/** A user-defined name without characters that affect the surrounding text. */
export function plainName(name: string): string {
  const plain = name.replace(UNRULY, ' ').replace(/\s+/g, ' ').trim();
  return plain === '' ? '(no name)' : plain;
}

/** The name, truncated to a number of characters. */
export function shortName(name: string, length = MAX_IN_SENTENCE): string {
  const characters = [...plainName(name)];
  return characters.length > length
    ? `${characters
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`
    : characters.join('');
}

/** For sentences: shortened, and isolated for bidirectional text. */
export const nameInSentence = (name: string): string => `${ISOLATE}${shortName(name)}${END_ISOLATE}`;
