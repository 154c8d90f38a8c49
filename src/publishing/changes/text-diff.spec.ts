import { textDiff } from './text-diff';

describe('the difference between two texts', () => {
  it.each([
    [null, null],
    ['', null],
    ['a\nb', 'a\nb'],
  ])('is empty for %j and %j', (before, after) => {
    expect(textDiff(before, after)).toEqual({ diff: '', added: 0, removed: 0 });
  });

  it('shows the context of a change, with line numbers', () => {
    const before = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine';
    const after = 'one\ntwo\nthree\nfour\nFIVE\n5\nsix\nseven\neight\nnine';
    expect(textDiff(before, after)).toEqual({
      diff: '@@ -2,7 +2,8 @@\n two\n three\n four\n-five\n+FIVE\n+5\n six\n seven\n eight',
      added: 2,
      removed: 1,
    });
  });

  it.each([
    [null, 'a\nb', '@@ -0,0 +1,2 @@\n+a\n+b'],
    ['a\nb', null, '@@ -1,2 +0,0 @@\n-a\n-b'],
    ['a', 'a\n', '@@ -1,1 +1,2 @@\n a\n+'],
    ['a\na', 'a\na\na', '@@ -1,2 +1,3 @@\n a\n a\n+a'],
    ['x\na', 'a', '@@ -1,2 +1,1 @@\n-x\n a'],
  ])('from %j to %j', (before, after, diff) => {
    expect(textDiff(before, after).diff).toBe(diff);
  });

  it('counts lines that are not shown', () => {
    const lines = Array.from({ length: 300 }, (_, index) => `${index}`).join('\n');
    const { diff, added } = textDiff(null, `${lines}\n${'x'.repeat(5_000)}`);
    expect(added).toBe(301);
    expect(diff.split('\n')).toHaveLength(202);
    expect(diff.endsWith('+… 101 more lines')).toBe(true);
    expect(textDiff(null, 'x'.repeat(5_000)).diff).toContain(`${'x'.repeat(1_000)}… (5000 characters)`);
  });
});
