import { MAX_COMPARED } from '../limits';
import { linearPattern } from './linear-pattern';
import { UnsupportedSyntaxError } from './translation';

describe('linearPattern', () => {
  it.each([
    ['shop', 'a shop', true],
    ['^shop$', 'a shop', false],
    ['^shop$', 'shop', true],
    ['^a shop', 'a shop!', true],
    ['shop$', 'a shop\n', false],
    ['ab'.repeat(100), `x${'ab'.repeat(100)}x`, true],
    ['^.$', '\u{1F600}', false],
    ['^..$', '\u{1F600}', true],
    ['^\\s$', '\u00a0', true],
    ['^a.b$', 'a\u2028b', false],
  ])('tests %j on %j: %j', (pattern, text, expected) => {
    expect([linearPattern(pattern).test(text), new RegExp(pattern).test(text)]).toEqual([expected, expected]);
  });

  it('compares only the beginning of long text', () => {
    const text = `${'a'.repeat(MAX_COMPARED)}b`;
    expect(linearPattern('b$').test(text)).toBe(false);
    expect(linearPattern('[b]$').test(text)).toBe(false);
    expect(linearPattern('[b]$').test(text.slice(1))).toBe(true);
  });

  it('takes linear time for any pattern', () => {
    const text = 'a'.repeat(MAX_COMPARED);
    for (const pattern of ['(a+)+b$', `${'a*'.repeat(10)}b$`, '(?:a|a)*c', `(?:${'a*'.repeat(40)})*[bc]`]) {
      expect(linearPattern(pattern).test(text)).toBe(false);
    }
  });

  it('matches nothing if a pattern is too large for the engine, and reports unsupported syntax', () => {
    expect(linearPattern('(?:(?:a{1000}){1000})*b').test('b')).toBe(false);
    expect(() => linearPattern('(?=a)')).toThrow(UnsupportedSyntaxError);
  });
});
