import * as fc from 'fast-check';
import { checkConditionTree, ConditionTree, normalizeConditionTree } from './condition-tree';

const leaf = { type: 'visitor', value: 'new' };
const failuresOf = (value: unknown): object =>
  Object.fromEntries(checkConditionTree(value).map(({ path, message }) => [path, message]));
const nested = (levels: number, inner: unknown): unknown => {
  let tree = inner;
  for (let level = 0; level < levels; level += 1) {
    tree = ['not', tree];
  }
  return tree;
};

describe('checkConditionTree', () => {
  it.each([
    ['null', null],
    ['an empty list', []],
    ['a single leaf', leaf],
    ['one operand', ['and', leaf]],
    ['operands of both kinds', ['or', leaf, ['and', leaf, ['not', leaf]]]],
  ])('accepts %s', (_, tree) => {
    expect(checkConditionTree(tree)).toEqual([]);
  });

  it('reports every invalid node by its path', () => {
    expect(
      failuresOf([
        'and',
        leaf,
        ['or', leaf, { type: 'url', match: 'foo', value: 'x' }],
        ['not', leaf, leaf],
        ['or'],
        [],
        ['nand', { type: 'toString' }],
        [leaf, leaf],
        'mobile',
        null,
        ['not'],
      ]),
    ).toEqual({
      '2.2.match': 'The match must be one of: exact, contains, starts_with, ends_with, regex.',
      '3': 'The operator not takes exactly one condition.',
      '4': 'The operator or takes at least one condition.',
      '5.0': 'The operator must be one of: and, or, not.',
      '6.0': 'The operator must be one of: and, or, not.',
      '6.1.type': expect.stringMatching(
        /^The type must be one of: device, browser, .+, attribute, javascript\.$/,
      ),
      '7.0': 'The operator must be one of: and, or, not.',
      '8': expect.stringMatching(/^Each condition must be an object, or a list/),
      '9': expect.stringMatching(/^Each condition must be an object, or a list/),
      '10': 'The operator not takes exactly one condition.',
    });
  });

  it.each([undefined, true, 1, 'desktop'])('rejects %j as the root', (value) => {
    expect(failuresOf(value)).toEqual({
      '': expect.stringMatching(/^Each condition must be an object, or a list/),
    });
  });

  it('accepts at most 10 levels', () => {
    expect(checkConditionTree(nested(9, leaf))).toEqual([]);
    expect(failuresOf(['and', leaf, nested(9, leaf)])).toEqual({
      '2.1.1.1.1.1.1.1.1.1': 'The conditions may be at most 10 levels deep.',
    });
  });

  it('rejects extreme depth without a stack overflow', () => {
    const path = Array<string>(10).fill('1').join('.');
    expect(failuresOf(nested(200_000, leaf))).toEqual({
      [path]: 'The conditions may be at most 10 levels deep.',
    });
  });

  it('accepts at most 100 leaves', () => {
    const leaves = (count: number): unknown[] => Array<unknown>(count).fill(leaf);
    expect(checkConditionTree(['or', ...leaves(50), ['and', ...leaves(50)]])).toEqual([]);
    expect(failuresOf(['or', ...leaves(50), ['and', ...leaves(51)]])).toEqual({
      '': 'The conditions may have at most 100 leaves.',
    });
  });

  it('limits the failures of a tree with far too many leaves', () => {
    const wrong = ['and', ...Array<unknown>(100_000).fill([])];
    expect(checkConditionTree(wrong)).toHaveLength(101);
    expect(checkConditionTree(['and', ...Array<unknown>(1_000).fill(wrong)])).toHaveLength(101);
  });
});

describe('normalizeConditionTree', () => {
  it.each([[null], [[]]])('converts %j to null', (value) => {
    expect(normalizeConditionTree(value)).toBeNull();
  });

  it('fills in the match and removes null fields', () => {
    expect(
      normalizeConditionTree([
        'and',
        { value: 'new', name: null, type: 'visitor' },
        ['not', { type: 'javascript', value: 'true' }],
        { type: 'query', name: 'a', match: 'exists', value: null },
        { type: 'attribute', name: 'a', value: false },
      ]),
    ).toEqual([
      'and',
      { type: 'visitor', match: 'exact', value: 'new' },
      ['not', { type: 'javascript', value: 'true' }],
      { type: 'query', name: 'a', match: 'exists' },
      { type: 'attribute', name: 'a', match: 'exact', value: false },
    ]);
  });

  it('does not change a tree in the stored form', () => {
    const tree: ConditionTree = [
      'or',
      { type: 'device', match: 'exact', value: 'mobile' },
      ['not', { type: 'javascript', value: 'a' }],
    ];
    expect(normalizeConditionTree(tree)).toEqual(tree);
  });

  it('does not modify its input', () => {
    const sent = Object.freeze(['not', Object.freeze({ ...leaf })]);
    normalizeConditionTree(sent);
    expect(sent).toEqual(['not', leaf]);
  });

  it('returns a valid form that further normalisation does not change', () => {
    fc.assert(
      fc.property(validTree, (tree) => {
        expect(checkConditionTree(tree)).toEqual([]);
        const stored: unknown = JSON.parse(JSON.stringify(normalizeConditionTree(tree)));
        expect(checkConditionTree(stored)).toEqual([]);
        expect(normalizeConditionTree(stored)).toStrictEqual(stored);
      }),
    );
  });

  it('relies on a check that reports any invalid value without throwing', () => {
    fc.assert(
      fc.property(fc.anything({ maxDepth: 5 }), (value) => {
        for (const { path, message } of checkConditionTree(['and', leaf, value])) {
          expect(path).toMatch(/^2/);
          expect(message).toMatch(/\.$/);
        }
      }),
    );
  });
});

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
const optionalMatch = (...matches: string[]): fc.Arbitrary<{ match?: string | null }> =>
  fc.record({ match: fc.constantFrom(...matches, null) }, { requiredKeys: [] });
const leafOf = (type: string, match: fc.Arbitrary<object>, rest: object): fc.Arbitrary<object> =>
  fc.tuple(match, fc.record(rest)).map(([given, fields]) => ({ type, ...given, ...fields }));

const validLeaf = fc.oneof(
  leafOf('device', optionalMatch('exact'), { value: fc.constantFrom('desktop', 'mobile', 'tablet') }),
  leafOf('os', fc.constant({ match: 'in' }), {
    value: fc.array(fc.constantFrom('ios', 'linux'), { minLength: 1 }),
  }),
  leafOf('language', optionalMatch('exact', 'starts_with'), { value: fc.constantFrom('de', 'en-GB') }),
  leafOf('url', optionalMatch('exact', 'contains', 'starts_with', 'ends_with'), { value: text }),
  leafOf('cookie', fc.constant({ match: 'exists' }), { name: text, value: fc.constantFrom(null, undefined) }),
  leafOf('attribute', optionalMatch('exact'), {
    name: text,
    value: fc.oneof(text, fc.integer(), fc.boolean()),
  }),
  leafOf('javascript', fc.constant({}), { value: fc.constantFrom('a === b', 'return true;') }),
);

const validTree = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    validLeaf,
    fc.tuple(fc.constant('not'), tie('tree')),
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('tree'), { minLength: 1, maxLength: 3 }))
      .map(([operator, operands]) => [operator, ...operands]),
  ),
})).tree;
