import { parseDay } from '../../common/time/clock';
import { roundTicks, timeAxis, valueDomain, withinSight } from './axes';
import type { Series } from './series';

// The ticks are the output of `ticks(lowest, highest, 5)` in d3-array 3.2.
it.each([
  [0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
  [-0.0074, 0.1348, [0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.12]],
  [0.048, 0.102, [0.05, 0.06, 0.07, 0.08, 0.09, 0.1]],
  [-123, 456, [-100, 0, 100, 200, 300, 400]],
  [3, 3.0004, [3, 3.0001, 3.0002, 3.0003, 3.0004]],
  [1e6, 7e6, [1e6, 2e6, 3e6, 4e6, 5e6, 6e6, 7e6]],
  [-3e-7, 2e-7, [-3e-7, -2e-7, -1e-7, 0, 1e-7, 2e-7]],
])('the value axis from %d to %d has the same ticks as in d3', (lowest, highest, ticks) => {
  expect(roundTicks([lowest, highest], 5)).toEqual(ticks);
});

it('the value axis has a single tick for a range without width', () => {
  expect(roundTicks([2, 2], 5)).toEqual([2]);
});

const series = (values: (number | null)[], width = 0): Series => ({
  id: 1,
  name: 'A',
  isReference: false,
  points: values.map((value, day) => ({
    day,
    value,
    interval: value === null ? null : [value - width, value + width],
  })),
});

it.each([
  [5, 5, [5], [4, 6]],
  [5, 6, [5, 6], [5, 6]],
  [0, 11, [0, 4, 8], [0, 11]],
  [0, 12, [0, 4, 8, 12], [0, 12]],
])('the time axis from day %i to day %i has the ticks %j', (first, last, ticks, domain) => {
  expect(timeAxis(first, last, 4)).toMatchObject({ ticks, domain });
});

it.each([
  ['2026-05-01', '2026-05-12', ['1 May', '5 May', '9 May']],
  ['2026-12-20', '2027-01-05', ['20 Dec 26', '26 Dec 26', '1 Jan 27']],
])('the time axis from %s to %s has the tick labels %j', (first, last, labels) => {
  const axis = timeAxis(parseDay(first) ?? 0, parseDay(last) ?? 0, 4);
  expect(axis.ticks.map((day) => axis.format(day))).toEqual(labels);
});

it('the value range includes all values except the uncertain ones of the first days', () => {
  const [lowest, highest] = valueDomain([series([9, 5, 4, 3.9, 4, 4.1])], []);
  expect([lowest > 3.8, lowest < 4, highest < 4.5]).toEqual([true, true, true]);
});

it('the value range has a width even if all values are equal', () => {
  expect(valueDomain([], [])).toEqual([0, 1]);
  expect(valueDomain([series([0])], [])).toEqual([-0.01, 0.01]);
  expect(valueDomain([series([null])], [])).toEqual([0, 1]);
  const [lowest, highest] = valueDomain([series([5])], []);
  expect([lowest, highest]).toEqual([4.5, 5.5]);
});

it('the value range includes required values', () => {
  const [lowest] = valueDomain([series([0.2, 0.3], 0.01)], [0]);
  expect(lowest).toBeLessThan(0);
});

it.each([
  [5, 5],
  [-90, -90],
  [1e12, 10_010],
  [-1e12, -10_000],
])('limits %d to %d, which looks the same in a plot from 0 to 10', (value, expected) => {
  expect(withinSight(value, [0, 10])).toBe(expected);
});
