import { ConditionInterface, evalCondition } from '@growthbook/growthbook';
import fc from 'fast-check';
import { LinearConditions } from './linear-conditions';

const NAMES = ['plan', 'query.a', 'deep.er.still', 'toString', 'none'];
const PATTERNS = ['^pro$', 'o', '\\d+', '[^a]$', '^(?:a|b)*c', 'null', 'undefined', 'a,b'];

const comparison = fc.oneof(
  fc.record({ $exists: fc.constant(true), $regex: fc.constantFrom(...PATTERNS) }),
  fc.record({ $regex: fc.constantFrom(...PATTERNS) }),
  fc.record({ $in: fc.constantFrom(['pro', 1], []) }),
  fc.constant({ $exists: true }),
);
const { condition } = fc.letrec<{ condition: ConditionInterface }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 4 },
    fc.dictionary(fc.constantFrom(...NAMES), comparison, { maxKeys: 3 }),
    fc.array(tie('condition'), { maxLength: 3 }).map(($and) => ({ $and })),
    fc.array(tie('condition'), { maxLength: 3 }).map(($or) => ({ $or })),
    fc.array(tie('condition'), { maxLength: 3 }).map(($nor) => ({ $nor })),
    tie('condition').map(($not) => ({ $not })),
  ),
}));

const VALUES: unknown[] = [
  'pro',
  'abc',
  'bo',
  '42',
  '',
  42,
  0,
  true,
  null,
  ['a', 'b'],
  [],
  { a: 1 },
  { toString: 1 },
];
const value = fc.constantFrom(...VALUES);
const attributes = fc.record(
  {
    plan: value,
    query: fc.oneof(
      value,
      fc.record({ a: value }),
      fc.constant(Object.assign(Object.create(null), { a: 'pro' })),
    ),
    deep: fc.oneof(value, fc.record({ er: fc.record({ still: value }) })),
    ['\0answers']: fc.constant({ 0: true, 1: true }),
  },
  { requiredKeys: [], noNullPrototype: true },
);

/** Evaluates conditions the way decisions do. */
function evaluated(tree: ConditionInterface, given: Record<string, unknown>): boolean {
  const conditions = new LinearConditions();
  const rewritten = conditions.rewrite(tree);
  expect(JSON.stringify(rewritten)).not.toContain('$regex');
  return evalCondition({ id: 'v', ...given, ...conditions.derive(given) }, rewritten);
}

describe('LinearConditions', () => {
  it('agrees with the SDK', () => {
    fc.assert(
      fc.property(condition, attributes, (tree, given) => {
        expect([tree, given, evaluated(tree, given)]).toEqual([
          tree,
          given,
          evalCondition({ id: 'v', ...given }, tree),
        ]);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each<[string, ConditionInterface]>([
    ['has a look-ahead', { plan: { $regex: '(?=p)' } }],
    ['has a look-ahead inside $not', { $not: { plan: { $regex: '(?!p)' } } }],
    ['ignores the case', { plan: { $regexi: 'p' } }],
    ['is inside $elemMatch', { plan: { $elemMatch: { $regex: 'p' } } }],
    ['is inside of a comparison with $not', { plan: { $not: { $regex: 'q' } } }],
  ])('matches no visitors with a pattern that %s', (_, tree) => {
    expect(evaluated(tree, { plan: 'p' })).toBe(false);
    expect(evaluated({ $or: [tree, { plan: 'p' }] }, { plan: 'p' })).toBe(true);
  });
});
