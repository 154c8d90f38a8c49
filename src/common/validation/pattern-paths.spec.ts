import * as fc from 'fast-check';
import type * as Recheck from 'recheck';
import { countPaths } from './pattern-paths';

const { checkSync } = jest.requireActual<typeof Recheck>('recheck/lib/browser.js');

describe('countPaths', () => {
  it.each([
    // pattern, ways, loops
    ['', 1, 0],
    ['^a\\.b$', 1, 0],
    ['a?', 2, 0],
    ['a??b?', 4, 0],
    ['a{3}', 1, 0],
    ['a{1,4}', 4, 0],
    ['a{,4}{', 1, 0],
    ['a|b|cd', 3, 0],
    ['(?:a|b)(c|d|e)', 6, 0],
    ['(?<name>a|b)\\k<name>', 2, 0],
    ['(?:a|b){3}', 8, 0],
    ['(?:ab){3}', 1, 0],
    ['a*', 1, 1],
    ['a+?b*', 1, 2],
    ['a{2,}', 1, 1],
    ['a{0,15}', 16, 0],
    ['a{0,16}', 1, 1],
    ['a*|b*c*', 2, 2],
    ['(?:a*b){3}', 1, 3],
    ['(ab)*', 1, 1],
    ['\\(a*\\)*', 1, 2],
    ['[(|*+?]+', 1, 1],
    ['[\\]|)]|b', 2, 0],
    ['[^]|[]', 2, 0],
    ['(a*)\\1*', 1, 2],
    ['(?:(?!a|b).)*', 2, 1],
  ])('finds in %j %d ways and %d loops', (pattern, ways, loops) => {
    const paths = countPaths(pattern);
    expect(2 ** paths.bits).toBeCloseTo(ways, 6);
    expect(paths.loops).toBe(loops);
    expect(paths.tangled).toBe(false);
  });

  it.each([
    '(a*)*',
    '(?:a?){2,}',
    '(a|b)+c',
    '((a)*b)*',
    '(?=(a+)+)',
    '(?<!(a+)+)b',
    'x|(y|(?:a{1,20})*)',
    '\\\\(a*)*',
    '[\\]](a*)*[(]',
    '\\k<(a+)+>',
  ])('sees that %j repeats what forks', (pattern) => {
    expect(countPaths(pattern).tangled).toBe(true);
  });

  it('counts every way through limited repetitions', () => {
    const paths = countPaths('(?:a?){0,20}b');
    expect(paths.bits).toBeCloseTo(20 + Math.log2(21), 6);
    expect(paths.tangled).toBe(false);
  });

  it('manages the deepest pattern', () => {
    expect(countPaths('('.repeat(1_000) + ')'.repeat(1_000))).toMatchObject({ bits: 0, tangled: false });
  });

  it('never overlooks a pattern that an automaton shows to be exponential', () => {
    fc.assert(
      fc.property(pattern, (source) => {
        fc.pre(compiles(source));
        const result = checkSync(source, '', { checker: 'automaton', timeout: 50 });
        const exponential = result.status === 'vulnerable' && result.complexity.type === 'exponential';
        expect(exponential && !countPaths(source).tangled).toBe(false);
      }),
      { numRuns: 50 },
    );
  });
});

const quantifier = fc.constantFrom('', '', '*', '+', '?', '{2}', '{0,3}', '{1,}', '*?');
const atom = fc.constantFrom('a', 'b', '[ab]', '.', '\\w', '\\(', '[*)]');

const pattern = fc
  .letrec<{ term: string; sequence: string; choice: string }>((tie) => ({
    term: fc.oneof(
      { depthSize: 'small', maxDepth: 3 },
      fc.tuple(atom, quantifier).map((parts) => parts.join('')),
      fc
        .tuple(fc.constantFrom('(', '(?:'), tie('choice'), fc.constant(')'), quantifier)
        .map((parts) => parts.join('')),
    ),
    sequence: fc.array(tie('term'), { minLength: 1, maxLength: 2 }).map((terms) => terms.join('')),
    choice: fc.array(tie('sequence'), { minLength: 1, maxLength: 2 }).map((sequences) => sequences.join('|')),
  }))
  .choice.map((choice) => `(?:${choice})$`);

function compiles(source: string): boolean {
  try {
    return new RegExp(source) instanceof RegExp;
  } catch {
    return false;
  }
}
