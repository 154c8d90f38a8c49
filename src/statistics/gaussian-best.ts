import { normalCdf, normalDensity } from './distributions';
import type { Effect } from './effect';
import { chanceAboveZero, type GaussianEffect, gaussianPosterior } from './gaussian-posterior';
import { chancesOverAll, type PanelLimit, panelNodes, separated } from './quadrature';

const NODES = 16;
/** Where an integral is split around each distribution, in standard deviations. */
const SPLITS = [-9, -6, -4, -2, 0, 2, 4, 6, 9];
/** Where an integral is split around a step, in standard deviations. */
const STEP_SPLITS = [-6, -2, 2, 6];
/**
 * Minimum distance of a split from the previous one, in standard deviations of its distribution. Splits that are closer
 * are merged.
 */
const CLOSEST = 1;
/**
 * The smallest standard deviation relative to the largest one. A variation without variance is treated as if it had
 * this deviation.
 */
const LEAST_DEVIATION = 1e-6;
/**
 * A step (see `stepOf`) needs its own panels if its width is less than this fraction of the distribution's deviation.
 */
const NARROW = 1 / 4;

/** The chance (0 to 1) of each variation to be the best of all. The chances sum to 1. */
export interface ChancesToBeBest {
  original: number;
  /** The chance of each variation, in the order of the effects. */
  variations: number[];
}

/**
 * The chance of each variation, including the original, to have the best mean. It is computed from the effects of all
 * other variations relative to the original (at least one, each with `standardError` above 0). All effects share the
 * original's error. Given that error, they are independent, and if there is a prior, each one is shrunk separately.
 * Uses quadrature; for a flat prior the result is the usual one for independent normal posteriors.
 *
 * @param prior the standard deviation of the normal prior for the uplift, as a fraction; null for a flat prior.
 */
export function gaussianChances(
  effects: readonly Effect[],
  best: 'highest' | 'lowest',
  prior: number | null,
): ChancesToBeBest {
  const sign = best === 'highest' ? 1 : -1;
  const shared = Math.min(...effects.map(({ control }) => control.variance));
  const estimates = effects.map(({ difference, standardError, control }) => ({
    own: withDeviation(sign * difference, standardError ** 2 - shared, standardError),
    prior: priorOf(prior, control.value),
  }));
  const original = withDeviation(0, shared, Math.max(...effects.map(({ standardError }) => standardError)));
  if (estimates.every((estimate) => estimate.prior === undefined)) {
    const [first, ...others] = chancesOf([original, ...estimates.map(({ own }) => own)], -Infinity);
    return summedToOne({ original: first, variations: others }, estimates);
  }
  return summedToOne(overSharedError(estimates, original), estimates);
}

/**
 * Scales the chances so that they sum to 1. Nodes that are far from 0 and around a narrow distribution are rounded, so
 * the unscaled sum may differ from 1 by a few millionths. If the distributions are so far apart that no node is near the
 * best one, the best mean decides.
 */
function summedToOne(
  { original, variations }: ChancesToBeBest,
  estimates: readonly Estimated[],
): ChancesToBeBest {
  const sum = variations.reduce((total, chance) => total + chance, original);
  if (!(sum > 0)) {
    return bestMeans(estimates.map(({ own }) => own.mean));
  }
  return { original: original / sum, variations: variations.map((chance) => chance / sum) };
}

/** All of the chance for the best mean, in equal parts if there are several. The original has the mean 0. */
function bestMeans(means: readonly number[]): ChancesToBeBest {
  const best = Math.max(0, ...means);
  const tied = [0, ...means].filter((mean) => mean === best).length;
  const [original, ...variations] = [0, ...means].map((mean) => (mean === best ? 1 / tied : 0));
  return { original, variations };
}

type Estimated = { own: GaussianEffect; prior: GaussianEffect | undefined };

const priorOf = (tau: number | null, control: number): GaussianEffect | undefined =>
  tau === null || control === 0 ? undefined : { mean: 0, deviation: tau * Math.abs(control) };

const withDeviation = (mean: number, variance: number, scale: number): GaussianEffect => ({
  mean,
  deviation: Math.max(Math.sqrt(Math.max(0, variance)), LEAST_DEVIATION * scale),
});

/**
 * Integrates over the original's error u, which is part of every estimate d. Without this error, the estimate would be
 * d + u.
 */
function overSharedError(estimates: readonly Estimated[], original: GaussianEffect): ChancesToBeBest {
  if (estimates.length === 1) {
    return ofOne(estimates[0], original);
  }
  const error = estimates.reduce((known, { own, prior }) => {
    // A flat prior gives no information about u. Otherwise, d has the distribution N(-u, V + prior variance).
    return prior === undefined
      ? known
      : gaussianPosterior(-own.mean, Math.hypot(own.deviation, prior.deviation), known);
  }, original);
  const sums = estimates.map(() => 0);
  let kept = 0;
  const steps = estimates.map(stepOf).filter(({ deviation }) => deviation < NARROW * error.deviation);
  const limits = panelLimits([error], -Infinity, steps);
  const { points, weights } = panelNodes(limits, NODES);
  points.forEach((u, node) => {
    const density = weights[node] * densityOf(error, u);
    const effects = estimates.map(({ own, prior }) => gaussianPosterior(own.mean + u, own.deviation, prior));
    chancesOf(effects, 0).forEach((chance, index) => {
      sums[index] += density * chance;
    });
    kept += density * effects.reduce((product, effect) => product * cumulative(effect, 0), 1);
  });
  return { original: kept, variations: sums };
}

/** A single estimate has the same posterior whether or not its error is split, so no integral is needed. */
function ofOne({ own, prior }: Estimated, original: GaussianEffect): ChancesToBeBest {
  const effect = gaussianPosterior(own.mean, Math.hypot(own.deviation, original.deviation), prior);
  return { original: cumulative(effect, 0), variations: [chanceAboveZero(effect)] };
}

/**
 * A distribution whose cumulative distribution function is the probability that a variation beats the original, as a
 * function of the original's error u. It is almost a step if the variation's own error is small.
 */
const stepOf = ({ own: { mean, deviation }, prior }: Estimated): GaussianEffect => ({
  mean: -mean,
  deviation: prior === undefined ? deviation : deviation * Math.hypot(1, deviation / prior.deviation),
});

/** For each distribution, the probability that its value is the highest and above the floor. */
function chancesOf(effects: readonly GaussianEffect[], floor: number): number[] {
  const nodes = panelNodes(panelLimits(effects, floor), NODES);
  const below = effects.map((effect) => nodes.points.map((x) => cumulative(effect, x)));
  return chancesOverAll(nodes, below, (index, x) => densityOf(effects[index], x));
}

/**
 * The panel boundaries in ascending order. Every panel is narrow enough for the distributions near it and for the steps
 * of distribution functions.
 */
function panelLimits(
  effects: readonly GaussianEffect[],
  floor: number,
  steps: readonly GaussianEffect[] = [],
): number[] {
  const candidates = [
    ...effects.flatMap((effect) => splitsOf(effect, SPLITS, floor)),
    ...steps.flatMap((step) => splitsOf(step, STEP_SPLITS, floor)),
  ];
  const limits = separated(candidates);
  const end = Math.max(...candidates.map(({ at }) => at));
  return end > limits[limits.length - 1] ? [...limits, end] : limits;
}

const splitsOf = (
  { mean, deviation }: GaussianEffect,
  splits: readonly number[],
  floor: number,
): PanelLimit[] =>
  splits.map((split) => ({ at: Math.max(floor, mean + split * deviation), closest: CLOSEST * deviation }));

const cumulative = ({ mean, deviation }: GaussianEffect, x: number): number =>
  normalCdf((x - mean) / deviation);

const densityOf = ({ mean, deviation }: GaussianEffect, x: number): number =>
  normalDensity((x - mean) / deviation) / deviation;
