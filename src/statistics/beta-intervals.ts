import type { BetaPosterior } from './beta-posterior';
import { gaussLegendre } from './gauss-legendre';
import { quantileOf } from './quantile';
import type { Interval } from './result';

const NODES = 64;
/** No two rates of up to 1e20 participants differ by a larger factor, as a logarithm. */
const LARGEST_LOG_RATIO = 60;

/** The equal-tailed interval that holds variation - control with probability 1 - alpha (0 < alpha < 1). */
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

/** The equal-tailed interval that holds variation / control - 1 with probability 1 - alpha (0 < alpha < 1). */
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
  /** The weights of the nodes, times the density. */
  masses: Float64Array;
}

/** Means over a rate. */
class Averages {
  /** Most integrals are over all of the rate's angles. */
  private readonly whole: Panel;

  constructor(private readonly rate: BetaPosterior) {
    this.whole = panelOf(rate, rate.low, rate.high);
  }

  /**
   * The mean of P(other <= limit), which depends on the rate: 0 below the angle `from` and 1 above the angle `to`. Smooth
   * only between the two, so the nodes stay there.
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

/** arcsin √rate; rates outside [0, 1] are clipped. */
function angleOf(rate: number): number {
  return Math.atan2(Math.sqrt(Math.max(0, rate)), Math.sqrt(Math.max(0, 1 - rate)));
}
