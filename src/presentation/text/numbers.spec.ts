import {
  formatCertainty,
  formatChange,
  formatChangeRange,
  formatChangeTick,
  formatCount,
  formatExactChange,
  formatExactValue,
  formatPercent,
  formatPercentRange,
  formatPercentTick,
  formatShare,
  formatSize,
  formatValue,
  formatValueRange,
  formatValueTick,
} from './numbers';

/** Replaces thin spaces with spaces. */
const seen = (text: string): string => text.replaceAll('\u202f', ' ');

it.each<[string, string, string]>([
  ['count', formatCount(0), '0'],
  ['count', formatCount(10_240), '10 240'],
  ['count', formatCount(123_456_789), '123 456 789'],
  ['percent', formatPercent(0.08046875), '8.05 %'],
  ['percent', formatPercent(0.00512), '0.512 %'],
  ['percent', formatPercent(4e-17), '0.00000000000000400 %'],
  ['percent', formatPercent(4e-40), '0.00000000000000000000 %'],
  ['percent', formatPercent(0), '0 %'],
  ['percent', formatPercent(1), '100 %'],
  ['percent', formatPercent(0.5), '50.0 %'],
  ['percent', formatPercent(12.345), '1 235 %'],
  ['percent near 100', formatPercent(2499 / 2500), '99.96 %'],
  ['percent near 100', formatPercent(0.9999996), '99.99996 %'],
  ['percent near 0', formatPercent(0.0000004), '0.0000400 %'],
  ['percent next to a similar one', formatPercent(0.080512, [0.080508]), '8.0512 %'],
  ['share', formatShare(0.4999), '50.0 %'],
  ['share near 100 %', formatShare(0.9998), '99.98 %'],
  ['share near 0 %', formatShare(0.0002), '0.02 %'],
  ['share', formatShare(0), '0.0 %'],
  ['certainty', formatCertainty(0.95), '95 %'],
  ['certainty', formatCertainty(0.9999), '99.99 %'],
  ['value', formatValue(18.7634), '18.76'],
  ['value', formatValue(96_068.5), '96 068.50'],
  ['value', formatValue(-3), '−3.00'],
  ['value', formatValue(0.001234), '0.00123'],
  ['value', formatValue(0), '0.00'],
  ['exact value', formatExactValue(1_234.5678), '1 234.5678'],
  ['exact value', formatExactValue(500), '500'],
  ['exact change', formatExactChange(0.0225), '+2.25 %'],
  ['exact change', formatExactChange(-0.05), '−5 %'],
  ['change', formatChange(0.0731), '+7.3 %'],
  ['change', formatChange(-0.0731), '−7.3 %'],
  ['change', formatChange(0), '0.0 %'],
  ['change', formatChange(0.0004), '+0.040 %'],
  ['change', formatChange(-0.0000001), '−0.00001 %'],
  ['change', formatChange(2.5), '+250 %'],
  ['change near −100 %', formatChange(-0.9999), '−99.99 %'],
  ['change of −100 %', formatChange(-1), '−100 %'],
  ['size', formatSize(-0.0731), '7.3 %'],
  ['size', formatSize(-0.99996), '99.996 %'],
  ['range of percents', formatPercentRange([0.0688, 0.0921]), '6.8 % to 9.3 %'],
  ['range of percents', formatPercentRange([0.4, 0.63]), '40 % to 63 %'],
  ['range of percents', formatPercentRange([0.08, 0.0823]), '8.00 % to 8.23 %'],
  ['range of percents', formatPercentRange([0, 0]), '0.00 % to 0.00 %'],
  ['range of percents near 100', formatPercentRange([0.88, 0.99996]), '88 % to 99.996 %'],
  ['range of percents near 0', formatPercentRange([0.0004, 0.2]), '0.04 % to 20 %'],
  ['range of changes above zero', formatChangeRange([0.0004, 0.2]), '+0.04 % to +20 %'],
  ['range of changes', formatChangeRange([-0.066, 0.212]), '−7 % to +22 %'],
  ['range of changes', formatChangeRange([-0.002, 0.021]), '−0.2 % to +2.1 %'],
  ['range of values', formatValueRange([17.92, 19.6]), '17.9 to 19.6'],
  ['tick', formatPercentTick(0.075, 0.005), '7.5 %'],
  ['tick', formatPercentTick(-0.1, 0.1), '−10 %'],
  ['tick', formatChangeTick(0.1, 0.1), '+10 %'],
  ['tick', formatChangeTick(0, 0.1), '0 %'],
  ['tick', formatValueTick(17.5, 0.5), '17.5'],
  ['tick', formatValueTick(1_250_000, 50_000), '1.25M'],
  ['tick', formatValueTick(100_100, 50), '100.1K'],
  ['tick', formatValueTick(100_150, 50), '100.15K'],
  ['tick', formatValueTick(-2_505_000, 1_000), '−2.505M'],
  ['tick', formatValueTick(0.00015, 0.00005), '0.00015'],
  ['tick', formatPercentTick(0.0000005, 0.0000005), '0.00005 %'],
])('formats a %s as %s', (_, text, expected) => {
  expect(seen(text)).toBe(expected);
});

/** The figures in a string. */
const figuresIn = (text: string): number[] =>
  (
    text
      .replaceAll('−', '-')
      .replaceAll('\u202f', '')
      .match(/-?[\d.]+/g) ?? []
  ).map(Number);

describe('a rounded figure is within its rounded range', () => {
  const rates = [1, 3, 12, 40, 123_456, 2499].flatMap((part) =>
    [part + 1, part * 3, part * 81, part * 7000].map((whole) => ({ rate: part / whole, whole })),
  );

  it.each(rates)('%j', ({ rate, whole }) => {
    const reach = 1.96 * Math.sqrt((rate * (1 - rate)) / whole);
    const range = [rate - Math.min(rate / 2, reach), rate + Math.min((1 - rate) / 2, reach)] as const;
    const written = [
      [formatPercent(rate, range), formatPercentRange(range)],
      [formatChange(rate, range), formatChangeRange(range)],
      [formatValue(rate, range), formatValueRange(range)],
    ];
    for (const [figure, ends] of written) {
      const [[value], [lower, upper]] = [figuresIn(figure), figuresIn(ends)];
      expect([figure, ends, lower <= value && value <= upper]).toEqual([figure, ends, true]);
    }
    expect(figuresIn(written[0].join(' '))).not.toEqual(expect.arrayContaining([100]));
    expect(figuresIn(written[0].join(' '))).not.toEqual(expect.arrayContaining([0]));
  });
});
