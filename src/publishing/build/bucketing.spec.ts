import { liveExperiment, liveVariations } from '../../../test/support/live-definitions';
import type { LiveExclusion, LiveExperiment } from '../definitions';
import { assign, subjectOf } from '../evaluation';
import { bucketRanges, filtersOf, ruleOf } from './bucketing';

const RANGES = { traffic_filter: undefined };
const VISITORS = Array.from({ length: 10_000 }, (_, index) => `visitor-${index}`);

const SHARES = [3_334, 3_333, 3_333];

/**
 * @param way how traffic is implemented: experiments from the first release have no filter; their ranges include the
 * traffic
 */
const assignmentsWith = (traffic: number, way: Partial<LiveExperiment>, shares = SHARES) => {
  const rule = ruleOf(liveExperiment({ traffic, variations: liveVariations(1, shares), ...way }), 'excluded');
  return VISITORS.map((visitor) => assign(rule, subjectOf(visitor, {})).variation);
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

  it('put an empty control before a single variation', () => {
    const rule = ruleOf(liveExperiment({ variations: liveVariations(7, [10_000]) }), 'excluded');
    expect([rule.variations, rule.ranges]).toEqual([
      [null, 7],
      [
        [0, 0],
        [0, 1],
      ],
    ]);
    expect(new Set(VISITORS.map((visitor) => assign(rule, subjectOf(visitor, {})).variation))).toEqual(
      new Set([7]),
    );
  });
});

describe('traffic', () => {
  it('below 100 % is a filter with its own seed, and the ranges depend only on the shares', () => {
    const ruleAt = (traffic: number, way = {}) => ruleOf(liveExperiment({ traffic, ...way }), 'excluded');
    const ranges = [
      [0, 0.5],
      [0.5, 1],
    ];
    expect(ruleAt(1_000)).toMatchObject({
      ranges,
      filters: [{ attribute: 'id', seed: 'exp-1001-traffic', hashVersion: 2, ranges: [[0, 0.1]] }],
    });
    expect(ruleAt(10_000)).toMatchObject({ ranges });
    expect(ruleAt(10_000)).not.toHaveProperty('filters');
  });

  it('is part of the ranges of experiments that were published without the filter', () => {
    const rule = ruleOf(liveExperiment({ traffic: 1_000, ...RANGES }), 'excluded');
    expect(rule.ranges).toEqual([
      [0, 0.05],
      [0.5, 0.55],
    ]);
    expect(rule).not.toHaveProperty('filters');
  });

  it.each([
    ['a filter', {}],
    ['ranges', RANGES],
  ])('implemented with %s can include more visitors without moving existing participants', (_, way) => {
    const [ten, fifty, all] = [1_000, 5_000, 10_000].map((traffic) => assignmentsWith(traffic, way));
    const sizes = [ten, fifty, all].map((each) => each.filter((variation) => variation !== null).length);
    expect(sizes[0]).toBeGreaterThan(800);
    expect(sizes[1]).toBeGreaterThan(4_500);
    expect(sizes[2]).toBe(VISITORS.length);
    const moved = (before: (number | null)[], after: (number | null)[]): number =>
      before.filter((variation, index) => variation !== null && variation !== after[index]).length;
    expect([moved(ten, fifty), moved(fifty, all)]).toEqual([0, 0]);
  });
});

describe('an exclusion group', () => {
  const exclusion: LiveExclusion = {
    group: 3,
    ranges: [
      [0, 1_000],
      [4_000, 6_500],
    ],
  };
  const rule = ruleOf(liveExperiment({ traffic: 1_000, exclusion }), 'excluded');

  it('is a separate filter with the seed of the group, before the traffic filter', () => {
    const [group, traffic] = filtersOf(rule).filters ?? [];
    expect(group).toEqual({
      attribute: 'id',
      seed: 'exclusion-group-3',
      hashVersion: 2,
      ranges: [
        [0, 0.1],
        [0.4, 0.65],
      ],
    });
    expect(traffic.seed).toBe('exp-1001-traffic');
  });

  it('excludes visitors outside the ranges of the experiment, regardless of audience and earlier assignment', () => {
    const condition = { id: { $in: [] } };
    const outside = VISITORS.filter((id) => assign(rule, subjectOf(id, {})).reason === 'excluded');
    expect(outside.length).toBeGreaterThan(0);
    for (const id of outside) {
      for (const each of [rule, { ...rule, condition }]) {
        expect(assign(each, subjectOf(id, {}), 10_011)).toEqual({ variation: null, reason: 'excluded' });
      }
    }
  });
});

describe('an earlier assignment', () => {
  const rule = ruleOf(liveExperiment({ traffic: 0 }), 'excluded');

  it('is kept regardless of traffic and audience', () => {
    expect(assign(rule, subjectOf('visitor', {}), 10_011)).toEqual({ variation: 10_011, reason: 'kept' });
  });

  it('of another experiment is ignored', () => {
    expect(assign(rule, subjectOf('visitor', {}), 5)).toEqual({ variation: null, reason: 'traffic' });
  });
});
