import { goalFigures, Sketch } from '../../test/support/figures';
import { comparison } from './comparison';

function say(own: Sketch, others: Sketch, fields: Parameters<typeof goalFigures>[1] = {}): string {
  const goal = goalFigures(
    [
      { name: 'A', ...others },
      { name: 'B', ...own },
    ],
    fields,
  );
  const [original, variation] = goal.variations;
  return comparison(goal, variation, original)
    .replace(/[\u2068\u2069]/g, '')
    .replaceAll('\u202f', ' ');
}

describe('a comparison', () => {
  it.each<[string, Sketch, Sketch, string]>([
    [
      'no conversions and some',
      { rate: 0, uplift: -1 },
      { rate: 0.05 },
      'The conversion rate of B is 0 %, 100 % lower than A (5.00 %).',
    ],
    [
      'almost no conversions and some',
      { rate: 0.00001, uplift: -0.9998 },
      { rate: 0.05 },
      'The conversion rate of B is 0.00100 %, 99.98 % lower than A (5.00 %).',
    ],
    [
      'all participants converting and nearly all',
      { rate: 1, uplift: 0.0004 },
      { rate: 0.9996 },
      'The conversion rate of B is 100 %, 0.040 % higher than A (99.96 %).',
    ],
    [
      'some conversions and none',
      { rate: 0.05, uplift: null },
      { rate: 0 },
      'The conversion rate of B is 5.00 %, higher than A (0 %).',
    ],
    [
      'no conversions and none',
      { rate: 0, uplift: null },
      { rate: 0 },
      'The conversion rate of B is 0 %, the same as A.',
    ],
    [
      'nearly equal figures',
      { rate: 0.080512, uplift: 0.0000497 },
      { rate: 0.080508 },
      'The conversion rate of B is 8.0512 %, 0.005 % higher than A (8.0508 %).',
    ],
  ])('is correct between %s', (_, own, others, sentence) => {
    expect(say(own, others)).toBe(sentence);
  });

  it.each([
    [{ value: -3, uplift: 0.4 }, { value: -5 }, '−3.00, higher than A (−5.00).'],
    [{ value: -2, uplift: -3 }, { value: 1 }, '−2.00, lower than A (1.00).'],
    [{ value: 2, uplift: 3 }, { value: -1 }, '2.00, higher than A (−1.00).'],
    [{ value: 0, uplift: -1 }, { value: 4 }, '0.00, 100 % lower than A (4.00).'],
  ])('is correct between values: %j and %j', (own, others, sentence) => {
    expect(say(own, others)).toBe(`The value per participant of B is ${sentence}`);
  });

  // The rate of all variations is 20 % in the first phase and 10 % in the second; B was shown only in the first.
  it('uses the phases in which a variation was shown, not the figures of all participants', () => {
    const during =
      'The shares changed during the experiment. Among participants who entered under the same shares, it is';
    expect(say({ rate: 0.2, difference: 0, uplift: 0 }, { rate: 0.15 })).toBe(
      `The conversion rate of B is 20.0 %, compared with A (15.0 %). ${during} equal.`,
    );
    expect(say({ rate: 0.18, difference: -0.02, uplift: -0.1 }, { rate: 0.15 })).toBe(
      `The conversion rate of B is 18.0 %, compared with A (15.0 %). ${during} 10.0 % lower.`,
    );
    expect(say({ value: -1.62, difference: 4.36, uplift: 0.715 }, { value: -6.1 })).toBe(
      `The value per participant of B is −1.62, compared with A (−6.10). ${during} higher.`,
    );
  });
});
