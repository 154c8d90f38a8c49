import { checkScript } from './code';

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
