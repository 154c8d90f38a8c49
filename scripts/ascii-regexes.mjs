import { parse } from 'acorn';

const BEYOND_ASCII = /[^\0-\x7f]/g;
const ESCAPED = /(?<!\\)(?:\\\\)*\\[^\0-\x7f]/;

/* Characters beyond the basic multilingual plane become two escapes, which the `u` flag reads as one character. */
const escape = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Escapes non-ASCII characters in regular expressions, because esbuild does not. The bundle is read as ASCII, so
 * unescaped expressions would match different characters.
 * @throws Error if other non-ASCII characters are left
 */
export function withAsciiRegexes(text) {
  const literals = [];
  parse(text, {
    ecmaVersion: 'latest',
    allowReturnOutsideFunction: true,
    onToken: ({ type, start, end }) => {
      if (type.label === 'regexp' && text.slice(start, end).search(BEYOND_ASCII) >= 0) {
        literals.push([start, end]);
      }
    },
  });
  const starts = [...literals.map(([start]) => start), text.length];
  const parts = literals.map(
    ([start, end], index) => asciiRegex(text.slice(start, end)) + text.slice(end, starts[index + 1]),
  );
  const ascii = text.slice(0, starts[0]) + parts.join('');
  const left = ascii.search(BEYOND_ASCII);
  if (left >= 0) {
    throw new Error(`A character beyond ASCII is left in the bundle: ${ascii.slice(left - 40, left + 40)}`);
  }
  return ascii;
}

function asciiRegex(literal) {
  if (ESCAPED.test(literal)) {
    throw new Error(`Write this regular expression without a backslash before its characters: ${literal}`);
  }
  return literal.replace(BEYOND_ASCII, escape);
}
