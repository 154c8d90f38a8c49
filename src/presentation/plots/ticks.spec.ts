import { roundTicks } from './ticks';

// As printed by d3-array 3.2: ticks(lowest, highest, 5).
it.each([
  [0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
  [-0.0074, 0.1348, [0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.12]],
  [0.048, 0.102, [0.05, 0.06, 0.07, 0.08, 0.09, 0.1]],
  [-123, 456, [-100, 0, 100, 200, 300, 400]],
  [3, 3.0004, [3, 3.0001, 3.0002, 3.0003, 3.0004]],
  [1e6, 7e6, [1e6, 2e6, 3e6, 4e6, 5e6, 6e6, 7e6]],
  [-3e-7, 2e-7, [-3e-7, -2e-7, -1e-7, 0, 1e-7, 2e-7]],
])('from %d to %d', (lowest, highest, ticks) => {
  expect(roundTicks([lowest, highest], 5)).toEqual(ticks);
});

it('is one value for a range without width', () => {
  expect(roundTicks([2, 2], 5)).toEqual([2]);
});
