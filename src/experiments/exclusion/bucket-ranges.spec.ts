import fc from 'fast-check';
import { BucketRange, BUCKETS, bucketsIn, fittedRanges, freeRanges } from './bucket-ranges';

describe('free buckets', () => {
  it('are all buckets initially', () => {
    expect(freeRanges([])).toEqual([[0, BUCKETS]]);
  });

  it('are the buckets between and after the taken ranges, in any order', () => {
    expect(
      freeRanges([
        [5_000, 6_000],
        [0, 1_000],
        [1_000, 2_000],
      ]),
    ).toEqual([
      [2_000, 5_000],
      [6_000, BUCKETS],
    ]);
  });
});

describe('an experiment', () => {
  it('gets the first free buckets, in several ranges if they are not adjacent', () => {
    expect(fittedRanges([], 4_000, [[1_000, 2_000]])).toEqual([
      [0, 1_000],
      [2_000, 5_000],
    ]);
  });

  it('gets no buckets if there are too few', () => {
    expect(fittedRanges([], 2_001, [[0, 8_000]])).toBeNull();
    expect(fittedRanges([], 2_000, [[0, 8_000]])).toEqual([[8_000, BUCKETS]]);
  });

  it('keeps its buckets when it gets more', () => {
    expect(fittedRanges([[3_000, 4_000]], 2_500, [[4_000, 9_000]])).toEqual([
      [0, 1_500],
      [3_000, 4_000],
    ]);
  });

  it('releases its last buckets when it gets fewer', () => {
    const held: BucketRange[] = [
      [0, 1_000],
      [3_000, 4_000],
    ];
    expect(fittedRanges(held, 1_200, [])).toEqual([
      [0, 1_000],
      [3_000, 3_200],
    ]);
  });
});

interface Step {
  experiment: number;
  buckets: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  experiment: fc.integer({ min: 0, max: 5 }),
  // 0 removes the experiment.
  buckets: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: BUCKETS })),
});

const bucketsOf = (ranges: readonly BucketRange[]): number[] =>
  ranges.flatMap(([first, end]) => Array.from({ length: end - first }, (_, index) => first + index));

it('after any changes, no bucket is shared, all shares are met, and other experiments keep their buckets', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const held = new Map<number, BucketRange[]>();
      for (const { experiment, buckets } of steps) {
        const before = held.get(experiment) ?? [];
        const others = [...held].filter(([id]) => id !== experiment).flatMap(([, ranges]) => ranges);
        const fitted = fittedRanges(before, buckets, others);
        expect(fitted === null).toBe(buckets > BUCKETS - bucketsIn(others));
        if (fitted !== null) {
          const own = bucketsOf(fitted);
          expect(own).toHaveLength(buckets);
          const taken = new Set(bucketsOf(others));
          expect(own.some((bucket) => taken.has(bucket))).toBe(false);
          const [fewer, more] =
            buckets < bucketsIn(before) ? [own, bucketsOf(before)] : [bucketsOf(before), own];
          expect(more).toEqual(expect.arrayContaining(fewer.slice(0, 50)));
          held.set(experiment, fitted);
        }
      }
    }),
    { numRuns: 60 },
  );
});
