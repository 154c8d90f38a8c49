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
  const quantile = (probability: number): number =>
    quantileOf((shift) => differenceCdf(narrow, wide, shift), probability, {
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
  const quantile = (probability: number): number =>
    quantileOf((logRatio) => ratioCdf(narrow, wide, Math.exp(logRatio)), probability, {
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
function differenceCdf(narrow: BetaPosterior, wide: BetaPosterior, shift: number): number {
  const from = angleOf(-shift);
  const to = angleOf(1 - shift);
  return averageOver(narrow, from, to, (rate) => wide.cumulative(angleOf(rate + shift)));
}

/** P(wide / narrow <= ratio). */
function ratioCdf(narrow: BetaPosterior, wide: BetaPosterior, ratio: number): number {
  return averageOver(narrow, 0, angleOf(1 / ratio), (rate) => wide.cumulative(angleOf(rate * ratio)));
}

/**
 * The mean, over a rate, of a function that is 0 below the angle `from` and 1 above the angle `to`. It is smooth only
 * between the two, so the nodes stay there.
 */
function averageOver(
  rate: BetaPosterior,
  from: number,
  to: number,
  between: (rate: number) => number,
): number {
  const low = Math.max(from, rate.low);
  const high = Math.max(low, Math.min(to, rate.high));
  const { nodes, weights } = gaussLegendre(NODES);
  const half = (high - low) / 2;
  let sum = 0;
  for (let i = 0; i < NODES; i += 1) {
    const angle = (high + low) / 2 + half * nodes[i];
    sum += weights[i] * rate.density(angle) * between(Math.sin(angle) ** 2);
  }
  return half * sum + 1 - rate.cumulative(to);
}

/** arcsin √rate; rates outside [0, 1] are clipped. */
function angleOf(rate: number): number {
  return Math.atan2(Math.sqrt(Math.max(0, rate)), Math.sqrt(Math.max(0, 1 - rate)));
}
