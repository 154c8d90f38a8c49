import { type Token, tokTypes } from 'acorn';
import { BoundedParser } from './bounded-parser';
import { checkScript, FUNCTION_BODY } from './code';

const DEEP = 200_000;

/** Nestable constructs, each handled by a different part of the parser. */
const NESTINGS = [
  '(',
  '[',
  '{',
  '({a:',
  '!',
  'void ',
  'new ',
  '`${',
  'a=>',
  'if(a)',
  'a?',
  'a+',
  'a**',
  'a(',
  'a[',
  'a=',
  'function a(){',
];

const NESTED_WHOLE = [
  ['(', ')'],
  ['[', ']'],
  ['b({c: ', '})'],
  ['`${', '}`'],
  ['a => ', ''],
  ['function b() {', '}'],
  ['if (b) {', '}'],
] as const;

describe('the nesting of scripts', () => {
  it.each(NESTINGS)('rejects deep nesting of %j, long before the stack overflows', (opening) => {
    expect(checkScript(opening.repeat(DEEP))).toBe('The script is nested too deeply.');
    expect(checkScript(opening.repeat(2_000))).toBe('The script is nested too deeply.');
  });

  it.each([
    ['let ', '['],
    ['let ', '{a:'],
    ['for (let ', '[[]='],
    ['a = ', 'class extends '],
    ['a = ', 'class{static{a = '],
    ['/', '(', '/'],
    ['/', '[', `${']'.repeat(1_000)}/v`],
    ['', '<!--\n'],
    ['', '\n-->'],
  ])('rejects code that begins with %j and nests %j deeply', (beginning, opening, ending = '') => {
    const code = beginning + opening.repeat(1_000) + ending;
    expect(checkScript(code)).toBe('The script is nested too deeply.');
  });

  it('accepts the nesting of hand-written and generated code', () => {
    const nested = (opening: string, closing: string): string =>
      opening.repeat(100) + 'a' + closing.repeat(100);
    for (const [opening, closing] of NESTED_WHOLE) {
      expect([opening, checkScript(nested(opening, closing))]).toEqual([opening, null]);
    }
    expect(checkScript('if (a) b(); else '.repeat(500) + 'c();')).toBeNull();
    expect(checkScript(`a = ${"'b' + ".repeat(1_000)} 'c';`)).toBeNull();
    expect(checkScript('a.b(c);\n'.repeat(20_000))).toBeNull();
  });
});

/** Distinct declarations or elements. */
const many = (count: number, textOf: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => textOf(index)).join('');

describe('scripts that would take the parser long', () => {
  it.each([
    ['let', `let ${many(60_000, (index) => `a${index},`)}a`],
    ['var', `var ${many(30_000, (index) => `a${index},`)}a; let ${many(30_000, (index) => `b${index},`)}b`],
    ['function', many(15_000, (index) => `function a${index}(){}`)],
    ['parameters', `(function(${many(30_000, (index) => `a${index},`)}){let b})`],
  ])('compares no name with all others, as in many declarations with %s', (_kind, code) => {
    const search = jest.spyOn(Array.prototype, 'indexOf');
    try {
      expect(checkScript(code)).toBeNull();
      expect(search.mock.calls.length).toBeLessThan(100);
    } finally {
      search.mockRestore();
    }
  });

  it.each([
    ['let a; var b, a', 'a'],
    ['var a; let b, a', 'a'],
    ['let b, a, a', 'a'],
    ['function a() {} let a', 'a'],
    ['{ function b() {} var b }', 'b'],
    ['let a; { { var a } }', 'a'],
    ['try {} catch ([a]) { var a }', 'a'],
    ['(function (a) { let a })', 'a'],
  ])('still finds the duplicate name in %j', (code, name) => {
    expect(checkScript(code)).toContain(`Identifier '${name}' has already been declared`);
  });

  it.each([
    'var a; var a; function a() {}',
    'function a() {} function a() {} var a',
    'let a; { let a }',
    'try {} catch (a) { var a }',
    '{ function a() {} function a() {} }',
    'let toString, constructor, __proto__',
  ])('still accepts %j', (code) => {
    expect(checkScript(code)).toBeNull();
  });

  it('rejects very many variables inside deeply nested blocks', () => {
    const nested = (depth: number, count: number): string =>
      `${'{'.repeat(depth)}var ${many(count, (index) => `a${index},`)}a${'}'.repeat(depth)}`;
    expect(checkScript(nested(500, 5_000))).toBe(
      'The script declares too many variables with var inside nested blocks.',
    );
    expect(checkScript(nested(20, 20_000))).toBeNull();
  });

  it('rejects very many regular expression groups of the same name', () => {
    const groups = (count: number): string => `/${many(count, () => '(?<a>b)|')}c/`;
    expect(checkScript(groups(20_000))).toBe(
      'The script has too many regular expression groups of the same name.',
    );
    expect(checkScript(groups(200))).toBeNull();
    expect(checkScript(`/${many(20_000, (index) => `(?<a${index}>)`)}/`)).toBeNull();
    expect(checkScript('/(?<a>b)(?<a>c)/')).toContain('Duplicate capture group name');
  });

  it('rejects very many unfinished escapes in templates', () => {
    expect(checkScript(many(20_000, () => 'a`\\u{`;'))).toBe(
      'The script has too many unfinished escapes in templates.',
    );
    expect(checkScript(many(20_000, () => 'a`\\u{1F600}\\usepackage`;'))).toBeNull();
  });

  it('does not compile regular expressions', () => {
    const code = 'a = /[\\W\\W]+(?<b>)/iu.test(c) ? /(?<=a)\\p{L}/v : /d/g';
    const compile = jest.spyOn(globalThis, 'RegExp');
    try {
      expect(checkScript(code)).toBeNull();
      expect(compile.mock.calls.map(([pattern]) => pattern)).not.toContainEqual(
        expect.stringMatching(/\\W|p\{L|^d$/),
      );
    } finally {
      compile.mockRestore();
    }
    const tokens: (Token & { value?: unknown })[] = [];
    BoundedParser.parse(code, { ...FUNCTION_BODY, onToken: tokens });
    const patterns = tokens.filter(({ type }) => type === tokTypes.regexp).map(({ value }) => value);
    expect(patterns).toEqual([
      { pattern: '[\\W\\W]+(?<b>)', flags: 'iu', value: null },
      { pattern: '(?<=a)\\p{L}', flags: 'v', value: null },
      { pattern: 'd', flags: 'g', value: null },
    ]);
  });
});
