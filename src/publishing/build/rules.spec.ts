import { liveExperiment, liveVariations } from '../../../test/support/live-definitions';
import { assign } from '../evaluation';
import { bucketRanges, ruleOf } from './rules';

const VISITORS = Array.from({ length: 10_000 }, (_, index) => `visitor-${index}`);

const assignmentsWith = (traffic: number, shares = [3_334, 3_333, 3_333]) => {
  const rule = ruleOf(liveExperiment({ traffic, variations: liveVariations(1, shares) }), 'excluded');
  return VISITORS.map((visitor) => assign(rule, visitor, {}).variation);
};

describe('bucket ranges', () => {
  it.each([
    [
      [5_000, 5_000],
      10_000,
      [
        [0, 0.5],
        [0.5, 1],
      ],
    ],
    [
      [5_000, 5_000],
      1_000,
      [
        [0, 0.05],
        [0.5, 0.55],
      ],
    ],
    [
      [3_334, 3_333, 3_333],
      5_000,
      [
        [0, 0.1667],
        [0.3334, 0.5],
        [0.6667, 0.8333],
      ],
    ],
    [[10_000], 1, [[0, 0.0001]]],
    [
      [1, 9_999],
      5_000,
      [
        [0, 0],
        [0.0001, 0.5],
      ],
    ],
    [
      [5_000, 5_000],
      0,
      [
        [0, 0],
        [0.5, 0.5],
      ],
    ],
  ])('of shares %j with traffic %j are %j', (shares, traffic, expected) => {
    expect(bucketRanges(shares, traffic)).toEqual(expected);
  });

  it('put an empty control in front of a single variation', () => {
    const rule = ruleOf(liveExperiment({ variations: liveVariations(7, [10_000]) }), 'excluded');
    expect([rule.variations, rule.ranges]).toEqual([
      [null, 7],
      [
        [0, 0],
        [0, 1],
      ],
    ]);
    expect(new Set(VISITORS.map((visitor) => assign(rule, visitor, {}).variation))).toEqual(new Set([7]));
  });
});

describe('traffic', () => {
  it('takes in more without moving anybody who was in', () => {
    const [ten, fifty, all] = [1_000, 5_000, 10_000].map((traffic) => assignmentsWith(traffic));
    const sizes = [ten, fifty, all].map((each) => each.filter((variation) => variation !== null).length);
    expect(sizes[0]).toBeGreaterThan(800);
    expect(sizes[1]).toBeGreaterThan(4_500);
    expect(sizes[2]).toBe(VISITORS.length);
    const moved = (before: (number | null)[], after: (number | null)[]): number =>
      before.filter((variation, index) => variation !== null && variation !== after[index]).length;
    expect([moved(ten, fifty), moved(fifty, all)]).toEqual([0, 0]);
  });
});

describe('an assignment that a visitor has', () => {
  const rule = ruleOf(liveExperiment({ traffic: 0 }), 'excluded');

  it('is kept without traffic and audience', () => {
    expect(assign(rule, 'visitor', {}, 10_011)).toEqual({ variation: 10_011, reason: 'kept' });
  });

  it('of another experiment is none', () => {
    expect(assign(rule, 'visitor', {}, 5)).toEqual({ variation: null, reason: 'traffic' });
  });
});
