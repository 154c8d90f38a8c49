import { createContext, Script } from 'node:vm';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { translatedText } from './code-units';
import { LiteralPattern, translatePattern, UnsupportedSyntaxError } from './translation';

/** Matches a string in linear time. */
function linearly(pattern: string, text: string): boolean {
  return RE2JS.compile(translatePattern(pattern).source).test(translatedText(text));
}

/** Compares a string with fixed text, as the server does for patterns that consist of fixed text only. */
function compares({ text, atStart, atEnd }: LiteralPattern, given: string): boolean {
  const isAtStart = !atStart || given.startsWith(text);
  return (
    isAtStart &&
    (!atEnd || given.endsWith(text)) &&
    (!atStart || !atEnd || given === text) &&
    given.includes(text)
  );
}

const CHARACTERS = [
  ...'abcXYZ019_-./:?&=%#@ ,;!^$\\|*+(){}[]"\'~<>`',
  ...'\t\n\v\f\r\0\b\u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000\ufeff\u0085é\u212aſß\u{1F600}\u{10FFFF}',
  '\ud83d',
  '\ude00',
];
const character = fc.constantFrom(...CHARACTERS);
const text = fc.array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...'ab1 ') }, character), {
  maxLength: 12,
});

const ESCAPES = [
  ...['\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\t', '\\n', '\\v', '\\f', '\\r', '\\0'],
  ...['\\x41', '\\u0061', '\\u2028', '\\ud83d', '\\ude00', '\\cJ', '\\/', '\\-', '\\.', '\\]', '\\\\', '\\_'],
];
const escape = fc.constantFrom(...ESCAPES.filter((each) => each !== '\\_'));
const plainCharacter = fc.oneof(
  fc.constantFrom(...'aab1 '),
  character.filter((each) => !'^$\\|*+?(){}[].'.includes(each)),
);
const member = fc.oneof(
  plainCharacter,
  escape,
  fc.constantFrom(
    'a-c',
    '0-9',
    '\\x20-\\u2030',
    '\\ud7ff-\\ue000',
    '\\ud83d-\\ude00',
    '-',
    '\\b',
    '.',
    '$',
    '(',
  ),
);
const characterClass = fc
  .tuple(fc.boolean(), fc.array(member, { minLength: 1, maxLength: 4 }))
  .map(([isNegated, members]) => `[${isNegated ? '^' : ''}${members.join('')}]`);
const quantifier = fc.constantFrom(
  '',
  '',
  '',
  '*',
  '+',
  '?',
  '*?',
  '+?',
  '??',
  '{2}',
  '{0,2}',
  '{1,}',
  '{2,3}?',
  '{0}',
);
const { pattern } = fc.letrec<{ pattern: string; term: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: 'small' },
    fc.array(tie('term'), { maxLength: 4 }).map((terms) => terms.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map((sides) => sides.join('|')),
  ),
  term: fc.oneof(
    { depthSize: 'small' },
    fc
      .tuple(
        fc.oneof(plainCharacter, escape, characterClass, fc.constantFrom('.', '{', '}', ']')),
        quantifier,
      )
      .map((parts) => parts.join('')),
    fc.constantFrom('^', '$', '\\b', '\\B'),
    fc
      .tuple(fc.constantFrom('(', '(?:'), tie('pattern'), quantifier)
      .map(([open, inside, times]) => `${open}${inside})${times}`),
  ),
}));

/** The pattern as a native regular expression; null if it is not valid both in browsers and on the server. */
function native(source: string): RegExp | null {
  try {
    translatePattern(source);
    return new RegExp(source);
  } catch {
    return null;
  }
}

const subject = createContext({ pattern: /./, texts: [''] });
const matching = new Script('texts.map((text) => pattern.test(text))');
const NATIVE_TIME_LIMIT_MS = 500;

/** The native results; null if backtracking takes longer than the test's timeout. */
function natively(pattern: RegExp, texts: string[]): boolean[] | null {
  Object.assign(subject, { pattern, texts });
  try {
    return [...(matching.runInContext(subject, { timeout: NATIVE_TIME_LIMIT_MS }) as boolean[])];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      return null;
    }
    throw error;
  }
}

describe('translatePattern', () => {
  it('matches what browsers match', () => {
    let accepted = 0;
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 8 }), (source, texts) => {
        const browser = native(source);
        fc.pre(browser !== null);
        const given = texts.map((parts) => parts.join(''));
        const expected = natively(browser, given);
        fc.pre(expected !== null);
        accepted += 1;
        expect([source, given, given.map((each) => linearly(source, each))]).toEqual([
          source,
          given,
          expected,
        ]);
      }),
      { numRuns: 3_000 },
    );
    expect(accepted).toBe(3_000);
  });

  it('recognises patterns that consist of fixed text only', () => {
    fc.assert(
      fc.property(pattern, text, (source, parts) => {
        const expected = native(source);
        const literal = expected === null ? null : translatePattern(source).literal;
        fc.pre(literal !== null);
        const given = parts.join('');
        expect([source, given, compares(literal, given)]).toEqual([source, given, expected!.test(given)]);
      }),
      { numRuns: 2_000 },
    );
    expect(translatePattern('^https:\\/\\/a\\.b\\/$').literal).toEqual({
      text: 'https://a.b/',
      atStart: true,
      atEnd: true,
    });
    expect(translatePattern('a|b').literal).toBeNull();
  });

  it.each([
    ['a(?=b)', 'a look-ahead at character 2'],
    ['(?!b)', 'a look-ahead at character 1'],
    ['\u{1F600}(?<=b)', 'a look-behind at character 2'],
    ['(?<!b)', 'a look-behind at character 1'],
    ['(a)\\1', 'the back-reference \\1 at character 4'],
    ['(?<n>a)\\k<n>', 'the back-reference \\k at character 8'],
    ['(?i)a', 'the group (?i at character 1'],
    ['(?i:a)', 'the group (?i at character 1'],
    ['(?>a)', 'the group (?> at character 1'],
    ['(?P<n>a)', 'a group written as (?P at character 1'],
    ['(?<ä>a)', 'a group name with characters other than letters, digits and underscores at character 1'],
    ['\\Aa', 'the escape \\A at character 1'],
    ['a\\z', 'the escape \\z at character 2'],
    ['\\Qa\\E', 'the escape \\Q at character 1'],
    ['\\pL', 'the escape \\p at character 1'],
    ['[\\p{L}]', 'the escape \\p at character 2'],
    ['\\u{61}', 'the escape \\u at character 1'],
    ['\\x4', 'the escape \\x at character 1'],
    ['\\c1', 'the escape \\c at character 1'],
    ['\\01', 'the escape \\0 at character 1'],
    ['[]', 'the empty class [] at character 1'],
    ['a[^]', 'the empty class [^] at character 2'],
    ['[[:alpha:]]', 'the class [: at character 2'],
    ['[a-\\d]', 'a range that ends with a class at character 3'],
    ['a{1001}', 'a repetition of more than 1000 times at character 2'],
    ['a{1,1001}', 'a repetition of more than 1000 times at character 2'],
    [`${'('.repeat(101)}${')'.repeat(101)}`, 'a group nested in 100 others at character 101'],
  ])('rejects %j: %s', (source, reason) => {
    expect(() => translatePattern(source)).toThrow(new UnsupportedSyntaxError(reason));
  });

  it('finishes immediately where a backtracking engine would take years', () => {
    const text = 'a'.repeat(60);
    expect([natively(/((a*)*)*b/, [text]), linearly('((a*)*)*b', text)]).toEqual([null, false]);
  });

  it('includes repetitions in the cost', () => {
    expect(translatePattern('(?:a[bc]{3}){10}d?').atoms).toBe(41);
    expect(translatePattern('(?:(?:a{0,10}){0,10}){2,}').atoms).toBe(200);
  });
});
