import { goalFigures } from '../../test/support/figures';
import { caveatsOf } from './caveats';

const plain = (goal: Parameters<typeof caveatsOf>[0]): string[] =>
  caveatsOf(goal).map((text) => text.replace(/[\u2068\u2069]/g, ''));

it('shows each warning once, with the variations concerned', () => {
  const goal = goalFigures([
    { name: 'A' },
    { name: 'B', warnings: ['SMALL_COUNTS', 'UPLIFT_UNSTABLE'] },
    { name: 'C', warnings: ['SMALL_COUNTS'] },
  ]);
  expect(plain(goal)).toEqual([
    expect.stringMatching(/^For B and C there are few conversions or few participants without one/),
    expect.stringMatching(/^For B the change is only approximate/),
  ]);
});

it('mentions small counts only for conversion rates', () => {
  const goal = goalFigures([{ name: 'A' }, { name: 'B', warnings: ['SMALL_COUNTS', 'VALUE_CAPPED'] }]);
  expect(plain({ ...goal, metric: 'value' })).toEqual([
    expect.stringMatching(/^For B very large values are capped/),
  ]);
});

it('does not list the names if a warning concerns all variations', () => {
  const all = ['A', 'B', 'C', 'D', 'E'].map((name) => ({ name, warnings: ['ZERO_VARIANCE' as const] }));
  expect(plain(goalFigures(all))).toEqual([
    expect.stringMatching(
      /^For all variations the values do not differ between the participants of a variation/,
    ),
  ]);
});

it('explains impossible intervals, for rates only', () => {
  const goal = goalFigures([
    { name: 'A' },
    { name: 'B', upliftInterval: [-1.34, 0.4] },
    { name: 'C', upliftInterval: [-1, 0] },
  ]);
  expect(plain(goal)).toEqual([
    expect.stringMatching(/^For B the range of the change extends below −100\u202f%/),
  ]);
  expect(plain({ ...goal, metric: 'value' })).toEqual([]);
});

it.each<[interval: [number, number], isImpossible: boolean]>([
  [[-1.35, 0.78], true],
  [[-0.2, 1.01], true],
  [[-1, 1], false],
])('explains that a difference of rates in %j is impossible: %s', (interval, isImpossible) => {
  const goal = goalFigures([{ name: 'A' }, { name: 'B', interval, upliftInterval: [-1, 4] }]);
  const words = expect.stringMatching(
    /^For B the range of the difference extends beyond 100 points/,
  ) as string;
  expect(plain(goal)).toEqual(isImpossible ? [words] : []);
  expect(plain({ ...goal, metric: 'value' })).toEqual([]);
});

it('omits the sample ratio mismatch, which the page itself reports', () => {
  expect(caveatsOf(goalFigures([{ warnings: ['SAMPLE_RATIO_MISMATCH'] }]))).toEqual([]);
});

it('names only the variations concerned, not every compared variation', () => {
  const empty = plain(
    goalFigures([
      { name: 'A', participants: 0, rate: null, warnings: ['NO_PARTICIPANTS'] },
      { name: 'B', participants: 50, warnings: ['NO_PARTICIPANTS'] },
    ]),
  );
  expect(empty).toEqual(['For A there are no participants to compare yet.']);
  const single = plain(
    goalFigures([
      { name: 'A', warnings: [] },
      { name: 'B', participants: 1, warnings: ['INSUFFICIENT_DATA'] },
    ]),
  );
  expect(single).toEqual([expect.stringMatching(/^For B there are too few participants/)]);
});

it('names all compared variations if the warning does not identify one', () => {
  const sums = { warnings: ['INVALID_COUNTS' as const] };
  expect(
    plain(
      goalFigures([
        { name: 'A', ...sums },
        { name: 'B', ...sums },
      ]),
    ),
  ).toEqual([expect.stringMatching(/^For A and B there are more conversions than participants/)]);
});

it('explains why an uplift has no interval although the difference has a range', () => {
  const interval: [number, number] = [0.01, 0.02];
  const found = plain(goalFigures([{ name: 'A' }, { name: 'B', interval }]));
  expect(found).toEqual([expect.stringMatching(/^For B the change has no range yet/)]);
  expect(plain(goalFigures([{ name: 'A' }, { name: 'B', interval, upliftInterval: [0.1, 0.5] }]))).toEqual(
    [],
  );
});
