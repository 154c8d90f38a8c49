import { type ConditionInterface, evalCondition } from '@growthbook/growthbook';
import { audienceCondition } from '../../../publishing/build/audience-condition';
import { conditionOf } from './conditions';

/** Whether the imported audience includes a visitor. */
const isImported = (condition: object, visitor: object): boolean =>
  evalCondition(
    { id: 'visitor', ...visitor },
    audienceCondition(
      { audiences: [conditionOf(condition, new Map())], audiences_match_type: 'any' },
      'excluded',
    ) ?? {},
  );

describe('imported conditions', () => {
  it.each([
    { a: { $lt: 5 } },
    { a: { $lt: 0 } },
    { a: { $lt: '5' } },
    { a: { $lte: 0 } },
    { a: { $lte: -1 } },
    { a: { $gt: -1 } },
    { a: { $gt: 0 } },
    { a: { $gte: 0 } },
    { a: { $gte: 1, $lt: 5 } },
    { a: { $lt: '2026-01-01' } },
    { a: { $regex: '^n' } },
    { a: { $regex: '^[^x]*$' } },
    { a: { $regex: '^x' } },
    { a: { $not: { $lt: 5 } } },
    { a: { $not: { $regex: '^n' } } },
    { a: { $ne: 0 } },
    { a: { $in: [0, 'null'] } },
    { a: { $nin: [0] } },
    { a: { $exists: false } },
    { a: 0 },
    { a: 'null' },
    { a: false },
    { $not: { a: { $gt: -1 } } },
    { $nor: [{ a: { $lt: 5 } }, { b: 1 }] },
  ])('%j include the same visitors as in the SDK, even without the attribute', (condition) => {
    for (const visitor of [{}, { a: null }, { a: 3 }, { a: 7 }, { a: -2 }]) {
      const expected = evalCondition(visitor, condition as ConditionInterface);
      expect([visitor, isImported(condition, visitor)]).toEqual([visitor, expected]);
    }
  });

  it('have no further leaf if the comparison is false without the attribute', () => {
    const leaf = { type: 'attribute', name: 'age', match: 'gte', value: 18 };
    expect(conditionOf({ age: { $gte: 18 } }, new Map())).toEqual(leaf);
  });
});
