import type { BetaPosterior } from './beta-posterior';
import { normalQuantile } from './distributions';
import { gaussLegendre } from './quadrature';
import type { Interval } from './result';

const MOST_STEPS = 100;
/** The remaining steps bisect, because secant steps can stay on one side of a kink, where they hardly get closer. */
const MOST_SECANT_STEPS = 30;
/**
 * The search ends when a step is smaller than this number of standard deviations. The remaining error is far smaller.
 */
const SMALLEST_STEP = 1e-8;
/** The range of probabilities for which the normal deviate is finite. */
const LOWEST = 1e-300;
const HIGHEST = 1 - Number.EPSILON;

/** The range in which to search for a quantile. */
export interface SearchRange {
  /** Approximately the mean of the distribution; `deviation` is approximately its standard deviation. */
  centre: number;
  deviation: number;
  /** Bounds that are guaranteed to contain the quantile. */
  low: number;
  high: number;
}

/**
 * The quantile of a continuous distribution for this probability (above 0, below 1). It uses secant steps on the scale
 * of normal deviates, on which the distribution function is nearly a straight line, and bisection where a step would
 * leave the bracket, or the secant steps do not converge.
 */
function quantileOf(
  cdf: (value: number) => number,
  probability: number,
  { centre, deviation, low, high }: SearchRange,
): number {
  const target = normalQuantile(probability);
  let last = { value: NaN, gap: NaN };
  let value = Math.min(high, Math.max(low, centre + target * deviation));
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const gap = normalQuantile(Math.min(HIGHEST, Math.max(LOWEST, cdf(value)))) - target;
    const slope = step === 0 ? deviation : (value - last.value) / (gap - last.gap);
    last = { value, gap };
    value -= gap * slope;
    if (gap === 0 || Math.abs(value - last.value) < SMALLEST_STEP * deviation) {
      return value;
    }
    [low, high] = gap > 0 ? [low, last.value] : [last.value, high];
    if (step >= MOST_SECANT_STEPS || !(value > low && value < high)) {
      value = (low + high) / 2;
    }
  }
  return value;
}

const NODES = 64;
/** The logarithm of a factor that exceeds the ratio of any two rates for up to 1e20 participants. */
const LARGEST_LOG_RATIO = 60;

/** The equal-tailed interval that contains variation - control with probability 1 - alpha (0 < alpha < 1). */
export function differenceInterval(
  control: BetaPosterior,
  variation: BetaPosterior,
  alpha: number,
): Interval {
  const isControlNarrower = control.deviation <= variation.deviation;
  const [narrow, wide] = isControlNarrower ? [control, variation] : [variation, control];
  const averages = new Averages(narrow);
  const quantile = (probability: number): number =>
    quantileOf((shift) => differenceCdf(averages, wide, shift), probability, {
      centre: wide.mean - narrow.mean,
      deviation: Math.hypot(narrow.deviation, wide.deviation),
      low: -1,
      high: 1,
    });
  return isControlNarrower
    ? [quantile(alpha / 2), quantile(1 - alpha / 2)]
    : [-quantile(1 - alpha / 2), -quantile(alpha / 2)];
}

/** The equal-tailed interval that contains variation / control - 1 with probability 1 - alpha (0 < alpha < 1). */
export function upliftInterval(control: BetaPosterior, variation: BetaPosterior, alpha: number): Interval {
  const spread = (rate: BetaPosterior): number => rate.deviation / rate.mean;
  const isControlNarrower = spread(control) <= spread(variation);
  const [narrow, wide] = isControlNarrower ? [control, variation] : [variation, control];
  const averages = new Averages(narrow);
  const quantile = (probability: number): number =>
    quantileOf((logRatio) => ratioCdf(averages, wide, Math.exp(logRatio)), probability, {
      centre: Math.log(wide.mean / narrow.mean),
      deviation: Math.hypot(spread(narrow), spread(wide)),
      low: -LARGEST_LOG_RATIO,
      high: LARGEST_LOG_RATIO,
    });
  return isControlNarrower
    ? [Math.expm1(quantile(alpha / 2)), Math.expm1(quantile(1 - alpha / 2))]
    : [Math.expm1(-quantile(1 - alpha / 2)), Math.expm1(-quantile(alpha / 2))];
}

/** P(wide - narrow <= shift). */
function differenceCdf(narrow: Averages, wide: BetaPosterior, shift: number): number {
  return narrow.of(angleOf(-shift), angleOf(1 - shift), wide, (rate) => angleOf(rate + shift));
}

/** P(wide / narrow <= ratio). */
function ratioCdf(narrow: Averages, wide: BetaPosterior, ratio: number): number {
  return narrow.of(0, angleOf(1 / ratio), wide, (rate) => angleOf(rate * ratio));
}

/** The nodes of an integral over a rate, between two angles. */
interface Panel {
  low: number;
  high: number;
  rates: Float64Array;
  /** The weights of the nodes, multiplied by the density. */
  masses: Float64Array;
}

/** Computes means over the distribution of a rate. */
class Averages {
  /** Computed once, because most integrals are over all angles of the rate. */
  private readonly whole: Panel;

  constructor(private readonly rate: BetaPosterior) {
    this.whole = panelOf(rate, rate.low, rate.high);
  }

  /**
   * The mean of P(other <= limit(rate)) over the distribution of the rate. This probability is 0 for rates below the
   * angle `from` and 1 above the angle `to`. It is smooth only between the two angles, so all nodes are between them.
   */
  of(from: number, to: number, other: BetaPosterior, limit: (rate: number) => number): number {
    const { rate, whole } = this;
    const low = Math.max(from, rate.low);
    const high = Math.max(low, Math.min(to, rate.high));
    const { rates, masses } = low === whole.low && high === whole.high ? whole : panelOf(rate, low, high);
    const limits = new Float64Array(NODES);
    for (let i = 0; i < NODES; i += 1) {
      limits[i] = limit(rates[i]);
    }
    const below = other.cumulatives(limits);
    let sum = 0;
    for (let i = 0; i < NODES; i += 1) {
      sum += masses[i] * below[i];
    }
    return ((high - low) / 2) * sum + 1 - rate.cumulative(to);
  }
}

function panelOf(rate: BetaPosterior, low: number, high: number): Panel {
  const { nodes, weights } = gaussLegendre(NODES);
  const half = (high - low) / 2;
  const [rates, masses] = [new Float64Array(NODES), new Float64Array(NODES)];
  for (let i = 0; i < NODES; i += 1) {
    const angle = (high + low) / 2 + half * nodes[i];
    rates[i] = Math.sin(angle) ** 2;
    masses[i] = weights[i] * rate.density(angle);
  }
  return { low, high, rates, masses };
}

/** arcsin √rate. Rates outside [0, 1] are clipped. */
function angleOf(rate: number): number {
  return Math.atan2(Math.sqrt(Math.max(0, rate)), Math.sqrt(Math.max(0, 1 - rate)));
}
