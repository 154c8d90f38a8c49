import { antiderivative, type ChebyshevSeries } from './chebyshev';
import { betainc } from './special-functions';
import type { Effect } from './effect';
import { gaussianChances } from './gaussian-best';
import type { Arm } from './input';
import { chancesOverAll, gaussLegendre, panelNodes, separated } from './quadrature';
import type { RateCounts } from './rate-intervals';

/** The value of both parameters of the Beta prior for a conversion rate. If the value is 1, the prior is uniform. */
export const PRIOR = 1;

/**
 * Half-width of the window outside which the distribution has a probability of at most 1e-14, in standard deviations of
 * the angle.
 */
const WINDOW = 10;
const SERIES_TERMS = 96;

/**
 * The posterior of a conversion rate p after `successes` of `trials` (whole, 0 <= successes <= trials): Beta(a, b) with
 * a = prior + successes and b = prior + failures.
 *
 * All computations are on the scale of the angle θ = arcsin √p, from 0 to π/2. On this scale the distribution is smooth
 * up to the edges, and its width is about 1/(2√(a+b)) for any rate.
 */
export class BetaPosterior {
  readonly a: number;
  readonly b: number;
  readonly mean: number;
  /** Standard deviation of the rate. */
  readonly deviation: number;
  /** The most probable angle. */
  readonly centre: number;
  /** Approximately the standard deviation of the angle. */
  readonly scale: number;
  readonly low: number;
  readonly high: number;
  private readonly sinePower: number;
  private readonly cosinePower: number;
  private readonly steepness: number;
  private readonly series: ChebyshevSeries;
  private readonly mass: number;

  constructor({ successes, trials }: RateCounts) {
    this.a = PRIOR + successes;
    this.b = PRIOR + trials - successes;
    const total = this.a + this.b;
    this.mean = this.a / total;
    this.deviation = Math.sqrt((this.mean * (this.b / total)) / (total + 1));
    this.sinePower = 2 * this.a - 1;
    this.cosinePower = 2 * this.b - 1;
    this.steepness = Math.sqrt(this.cosinePower / this.sinePower);
    this.centre = Math.atan2(Math.sqrt(this.sinePower), Math.sqrt(this.cosinePower));
    this.scale = 1 / (2 * Math.sqrt(total));
    this.low = Math.max(0, this.centre - WINDOW * this.scale);
    this.high = Math.min(Math.PI / 2, this.centre + WINDOW * this.scale);
    this.series = antiderivative((angle) => this.kernel(angle), this.low, this.high, SERIES_TERMS);
    this.mass = this.series.valueAt(this.high);
  }

  /** The density of the angle, with a relative error of about 1e-11. */
  density(angle: number): number {
    return this.kernel(angle) / this.mass;
  }

  /** P(θ <= angle), 0 to 1. Fast, with an error of about 1e-12. */
  cumulative(angle: number): number {
    return this.probability(this.series.valueAt(angle));
  }

  /** Like `cumulative`, for several angles. Faster than computing one angle at a time. */
  cumulatives(angles: Float64Array): Float64Array {
    const values = this.series.valuesAt(angles);
    for (let i = 0; i < values.length; i += 1) {
      values[i] = this.probability(values[i]);
    }
    return values;
  }

  private probability(area: number): number {
    return Math.min(1, Math.max(0, area / this.mass));
  }

  /** P(θ <= angle) and its complement, both with the full precision of a double, and the density at this angle. */
  around(angle: number): { lower: number; upper: number; density: number } {
    const isUpper = angle > this.centre;
    const height = this.kernel(angle);
    const smaller = height === 0 ? 0 : this.tail(angle, isUpper);
    const [lower, upper] = isUpper ? [1 - smaller, smaller] : [smaller, 1 - smaller];
    return { lower, upper, density: height / this.mass };
  }

  /**
   * The probability of the smaller tail. For rates of 1/2 and above, it is computed from the complement of the rate,
   * because near 1 the complement has more significant digits than the rate.
   */
  private tail(angle: number, isUpper: boolean): number {
    return angle < Math.PI / 4
      ? betainc(Math.sin(angle) ** 2, this.a, this.b, true, isUpper)
      : betainc(Math.cos(angle) ** 2, this.b, this.a, true, !isUpper);
  }

  /**
   * The density relative to its peak, sin^(2a-1) θ · cos^(2b-1) θ. It is computed from the distance to the peak,
   * because in a large sample, all angles of interest differ only in their last digits.
   */
  private kernel(angle: number): number {
    const distance = angle - this.centre;
    const bend = -2 * Math.sin(distance / 2) ** 2;
    const slope = Math.sin(distance);
    const sine = Math.log1p(Math.max(-1, bend + slope * this.steepness));
    const cosine = Math.log1p(Math.max(-1, bend - slope / this.steepness));
    return Math.exp(this.sinePower * sine + this.cosinePower * cosine);
  }
}

/**
 * Caches posteriors by their counts. Each posterior is needed several times, because the original is compared with each
 * variation, and all rates are compared with each other.
 */
export class BetaPosteriors {
  private readonly known = new Map<string, BetaPosterior>();

  of(counts: RateCounts): BetaPosterior {
    const key = `${counts.successes} of ${counts.trials}`;
    const posterior = this.known.get(key) ?? new BetaPosterior(counts);
    this.known.set(key, posterior);
    return posterior;
  }
}

const NODES = 128;

export interface BetaComparison {
  /** P(first > second), 0 to 1. */
  chance: number;
  /** E[max(second - first, 0)]: the expected loss from choosing the first, as a rate, 0 to 1. */
  loss: number;
}

/**
 * The chance that the first rate is the higher one, and the expected loss from choosing it (Evan Miller, "Formulas for
 * Bayesian A/B Testing"; Stucchio 2014). Uses quadrature over the narrower posterior, because nodes that are spread
 * over the wider one could miss the narrower one.
 */
export function compareBetas(first: BetaPosterior, second: BetaPosterior): BetaComparison {
  const isFirstNarrower = first.scale <= second.scale;
  const [narrow, wide] = isFirstNarrower ? [first, second] : [second, first];
  const { nodes, weights } = gaussLegendre(NODES);
  const middle = (narrow.high + narrow.low) / 2;
  const half = (narrow.high - narrow.low) / 2;
  let mass = 0;
  let chance = 0;
  let loss = 0;
  for (let i = 0; i < NODES; i += 1) {
    const angle = middle + half * nodes[i];
    const weight = weights[i] * narrow.density(angle);
    const { lower, upper, density } = wide.around(angle);
    const edge = edgeOf(wide, angle, density);
    mass += weight;
    chance += weight * (isFirstNarrower ? lower : upper);
    loss +=
      weight * (isFirstNarrower ? meanExcess(wide, angle, upper, edge) : meanLack(wide, angle, lower, edge));
  }
  return { chance: Math.min(1, chance / mass), loss: Math.max(0, loss / mass) };
}

/** E[max(rate - x, 0)] for x = sin² of the angle. */
function meanExcess(rate: BetaPosterior, angle: number, upper: number, edge: number): number {
  return edge - aboveMean(rate, angle) * upper;
}

/** E[max(x - rate, 0)] for x = sin² of the angle. */
function meanLack(rate: BetaPosterior, angle: number, lower: number, edge: number): number {
  return edge + aboveMean(rate, angle) * lower;
}

/** x - mean for x = sin² of the angle, computed from the complements if x is at least 1/2. */
function aboveMean({ a, b, mean }: BetaPosterior, angle: number): number {
  return angle < Math.PI / 4 ? Math.sin(angle) ** 2 - mean : b / (a + b) - Math.cos(angle) ** 2;
}

/**
 * x^a (1-x)^b / ((a+b) B(a,b)) for x = sin² of the angle: the difference between the partial mean and the product of
 * mean and tail.
 */
function edgeOf({ a, b }: BetaPosterior, angle: number, density: number): number {
  return (Math.sin(angle) * Math.cos(angle) * density) / (2 * (a + b));
}

const PANEL_NODES = 24;

/**
 * Where the integral is split around each posterior, in units of its scale. 24 nodes are more than enough for a panel
 * of width 5.
 */
const SPLITS = [-10, -5, 0, 5, 10];

/**
 * For each rate, the probability (0 to 1) that it is the highest of all, or the lowest. The probabilities sum to 1; for
 * a single rate the result is 1 (Evan Miller, "Formulas for Bayesian A/B Testing"). Uses quadrature over panels that
 * are narrow enough for every posterior.
 */
export function chancesToBeBest(rates: readonly BetaPosterior[], best: 'highest' | 'lowest'): number[] {
  const nodes = panelNodes(panelLimits(rates), PANEL_NODES);
  const beaten = rates.map((rate) => {
    const below = rate.cumulatives(nodes.points);
    return best === 'highest' ? below : below.map((chance) => 1 - chance);
  });
  return chancesOverAll(nodes, beaten, (index, angle) => rates[index].density(angle));
}

/** The panel boundaries in ascending order, except those that are close to the previous one. */
function panelLimits(rates: readonly BetaPosterior[]): number[] {
  const candidates = rates.flatMap((rate) =>
    SPLITS.map((split) => ({
      at: Math.min(rate.high, Math.max(rate.low, rate.centre + split * rate.scale)),
      closest: rate.scale / 2,
    })),
  );
  return [...separated(candidates), Math.max(...rates.map(({ high }) => high))];
}

type Best = 'highest' | 'lowest';

/**
 * The chance of each variation to be the best, by variation id, for variations with a defined rate; empty if there are
 * fewer than two.
 */
export function chancesOfRates(
  rates: readonly { arm: Arm; rate: BetaPosterior }[],
  best: Best,
): ReadonlyMap<number, number> {
  if (rates.length < 2) {
    return new Map();
  }
  const chances = chancesToBeBest(
    rates.map(({ rate }) => rate),
    best,
  );
  return new Map(rates.map(({ arm }, index) => [arm.id, chances[index]]));
}

/**
 * The chance of each variation to be the best, by variation id. Includes the original and the variations whose effect
 * has a standard error above 0; empty if there are no such variations.
 *
 * @param prior the standard deviation of the normal prior for the uplift, as a fraction; null for a flat prior.
 */
export function chancesOfEffects(
  effects: readonly { arm: Arm; effect: Effect | null }[],
  best: Best,
  prior: number | null,
): ReadonlyMap<number, number> {
  const known = effects.flatMap(({ arm, effect }) =>
    effect !== null && effect.standardError > 0 ? [{ id: arm.id, effect }] : [],
  );
  if (known.length === 0) {
    return new Map();
  }
  const chances = gaussianChances(
    known.map(({ effect }) => effect),
    best,
    prior,
  );
  return new Map([
    ...effects.filter(({ arm }) => arm.isOriginal).map(({ arm }) => [arm.id, chances.original] as const),
    ...known.map(({ id }, index) => [id, chances.variations[index]] as const),
  ]);
}
