import { normalCdf } from './distributions';
import type { Effect } from './effect';
import { gaussianChances } from './gaussian-best';

/** An effect measured against an original with the given mean and error. */
const against = (m0: number, error0: number, m1: number, error1: number): Effect => ({
  control: { value: m0, variance: error0 ** 2 },
  variation: { value: m1, variance: error1 ** 2 },
  mean: (m0 + m1) / 2,
  difference: m1 - m0,
  standardError: Math.hypot(error0, error1),
  largestError: Math.hypot(error0, error1),
  participants: 1000,
  information: 250,
  parts: [],
});

/** A mean and its error. */
type Pair = [mean: number, error: number];

describe('the chances to be best', () => {
  const effects = [against(10, 0.5, 10.5, 0.4), against(10, 0.5, 9.8, 2)];

  // The expected chances are from R 4.2.2: integrate() of dnorm(x, m, s) times the pnorm of the others, rel.tol =
  // 1e-11.
  it("agree with R's integrals", () => {
    const { original, variations } = gaussianChances(effects, 'highest', null);
    expect(original).toBeCloseTo(0.139127929557997, 9);
    expect(variations[0]).toBeCloseTo(0.510148590454122, 9);
    expect(variations[1]).toBeCloseTo(0.350723479987881, 9);
  });

  it('sum to 1 even if a variation hardly varies and is far from the original', () => {
    const [mean, error] = [1.6562479486036166e-6, 1.724200654704155e-8];
    const others = [
      against(mean, error, 1.0000016562479486, 0),
      against(mean, error, 0.01618985249195458, 1.170515388742385e-9),
    ];
    const { original, variations } = gaussianChances(others, 'highest', null);
    expect(original + variations[0] + variations[1]).toBeCloseTo(1, 12);
    expect(variations[0]).toBeCloseTo(1, 12);
  });

  it('equal the chance to beat the original if there are two variations', () => {
    const [effect] = effects;
    const chance = normalCdf(effect.difference / effect.standardError);
    expect(gaussianChances([effect], 'highest', null).variations[0]).toBeCloseTo(chance, 10);
    expect(gaussianChances([effect], 'lowest', null).variations[0]).toBeCloseTo(1 - chance, 10);
  });

  // The posterior of one effect with the prior N(0, (0.02·10)²) has the mean d/SE² divided by the sum of the
  // precisions.
  it('follow the posterior if there are two variations and a prior', () => {
    const [effect] = effects;
    const precision = 1 / effect.standardError ** 2 + 1 / 0.2 ** 2;
    const chance = normalCdf(effect.difference / effect.standardError ** 2 / Math.sqrt(precision));
    const { original, variations } = gaussianChances([effect], 'highest', 0.02);
    expect(variations[0]).toBeCloseTo(chance, 8);
    expect(original + variations[0]).toBeCloseTo(1, 10);
  });

  // As above, but the variation's own error is small or 0. In the first row, the original has 5 of 1,000 with the error
  // √(0.005·0.995/1000) = 0.00223, and the variation none.
  it.each([
    [0.005, 0.00223, 0, 0, 0.3],
    [0.003, 0.00173, 0.001, 1e-5, 0.3],
    [0.889, 0.105, 1, 0, 0.1],
    [5, 2, 5.2, 0.02, 3],
  ])('follow the posterior for %d ± %d vs. %d ± %d', (m0, error0, m1, error1, prior) => {
    const effect = against(m0, error0, m1, error1);
    const precision = 1 / effect.standardError ** 2 + 1 / (prior * m0) ** 2;
    const chance = normalCdf(effect.difference / effect.standardError ** 2 / Math.sqrt(precision));
    expect(gaussianChances([effect], 'highest', prior).variations[0]).toBeCloseTo(chance, 8);
    expect(gaussianChances([effect], 'lowest', prior).variations[0]).toBeCloseTo(1 - chance, 8);
  });

  // From R 4.2.2, mvtnorm 1.1-3, pmvnorm() with TVPACK(1e-14): the orthant probabilities of the bivariate posterior,
  // whose precision is the inverse of the estimates' covariance matrix plus diag(1/(prior·m0)²).
  it.each<[Pair, Pair, Pair, number, number[]]>([
    [[0.005, 0.00223], [0.001, 1e-5], [0.0052, 2e-5], 0.3, [0.0339185630251144, 0, 0.9660814369748856]],
    [
      [0.003, 0.00173],
      [0.001, 1e-5],
      [0.0045, 0.0017],
      0.3,
      [0.22275446451708, 0.0325892161553417, 0.744656319327578],
    ],
    [[0.889, 0.105], [1, 1e-4], [0.95, 0.08], 0.1, [0.163734619229956, 0.64973666029513, 0.186528720474914]],
    [[5, 2], [5.2, 0.02], [4.1, 1.5], 3, [0.421214319513675, 0.418340112248518, 0.160445568237807]],
    [[10, 0.5], [10.5, 0.4], [9.8, 2], 0.02, [0.205888503567953, 0.459886909528924, 0.334224586903123]],
  ])("agree with R's bivariate posterior for %j vs. %j and %j", (control, one, other, prior, expected) => {
    const effects = [against(...control, ...one), against(...control, ...other)];
    const { original, variations } = gaussianChances(effects, 'highest', prior);
    [original, ...variations].forEach((chance, index) => {
      expect(chance).toBeCloseTo(expected[index], 8);
    });
  });

  // A prior this wide adds no information, so both computations must agree.
  it('are the same with a wide prior as with a flat one', () => {
    const wide = gaussianChances(effects, 'highest', 1e4);
    const flat = gaussianChances(effects, 'highest', null);
    expect(wide.original).toBeCloseTo(flat.original, 5);
    expect(wide.variations[1]).toBeCloseTo(flat.variations[1], 5);
  });

  it('differ only slightly with a narrow prior', () => {
    const { original, variations } = gaussianChances(effects, 'highest', 1e-5);
    for (const chance of variations) {
      expect(chance).toBeCloseTo(0.375, 2);
    }
    expect(original).toBeCloseTo(0.25, 2);
  });

  it('treat a variance of zero like a tiny variance', () => {
    const { variations } = gaussianChances([against(10, 0.5, 10.5, 0)], 'highest', null);
    expect(variations[0]).toBeCloseTo(normalCdf(1), 5);
  });

  // Of the original's 500 participants, 125 have the value -0.0001 each, and the error is 0.0001·√(0.25·0.75/500). All
  // participants of the variations have the same value.
  it.each([null, 0.1])(
    'belong to the best mean if the distributions are extremely far apart (prior %s)',
    (prior) => {
      const error = 1e-4 * Math.sqrt((0.25 * 0.75) / 500);
      const worse = against(-2.5e-5, error, -1e9, 0);
      const better = against(-2.5e-5, error, 1e9, 0);
      const best = (...effects: Effect[]) => gaussianChances(effects, 'highest', prior);
      expect(best(worse)).toEqual({ original: 1, variations: [0] });
      expect(best(better)).toEqual({ original: 0, variations: [1] });
      expect(best(worse, better, better)).toEqual({ original: 0, variations: [0, 0.5, 0.5] });
    },
  );
});
