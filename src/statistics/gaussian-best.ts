import { normalCdf, normalDensity } from './distributions';
import type { Effect } from './effect';
import { type GaussianEffect, gaussianPosterior } from './gaussian-posterior';
import { chancesOverAll, type PanelLimit, panelNodes, separated } from './quadrature';

const NODES = 16;
/** Where an integral is split around each distribution, in its standard deviations. */
const SPLITS = [-9, -6, -4, -2, 0, 2, 4, 6, 9];
/** Likewise around a step. */
const STEP_SPLITS = [-6, -2, 2, 6];
/** Splits closer than this part of the narrower distribution are merged. */
const CLOSEST = 0.5;
/**
 * The smallest deviation relative to the largest one. A variation without variance is treated as if it had this one.
 */
const LEAST_DEVIATION = 1e-6;
/** A step is narrow for the panels of a distribution if its width is less than this part of the deviation. */
const NARROW = 1 / 4;

/** The chances (0 to 1) that each is the best of all; they sum to 1. */
export interface ChancesToBeBest {
  original: number;
  /** In the order of the effects. */
  variations: number[];
}

/**
 * The chance of each variation, the original included, to have the best mean, from the effects of all others against it
 * (each with `standardError` above 0; at least one). All effects share the original's error: given that error, they are
 * independent, and with a prior each is shrunk separately. By quadrature; for a flat prior this is the usual product of
 * independent normal posteriors.
 *
 * @param prior standard deviation of the normal prior of the uplift, as a fraction; null for a flat one.
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
    return summedToOne({ original: first, variations: others });
  }
  return summedToOne(overSharedError(estimates, original));
}

/** Nodes far from 0 around a narrow distribution are rounded, so the sum may be off by some millionths. */
function summedToOne({ original, variations }: ChancesToBeBest): ChancesToBeBest {
  const sum = variations.reduce((total, chance) => total + chance, original);
  return { original: original / sum, variations: variations.map((chance) => chance / sum) };
}

type Estimated = { own: GaussianEffect; prior: GaussianEffect | undefined };

const priorOf = (tau: number | null, control: number): GaussianEffect | undefined =>
  tau === null || control === 0 ? undefined : { mean: 0, deviation: tau * Math.abs(control) };

const withDeviation = (mean: number, variance: number, scale: number): GaussianEffect => ({
  mean,
  deviation: Math.max(Math.sqrt(Math.max(0, variance)), LEAST_DEVIATION * scale),
});

/** Integrates over the original's error u, which is part of every estimate: d + u is the estimate without it. */
function overSharedError(estimates: readonly Estimated[], original: GaussianEffect): ChancesToBeBest {
  const error = estimates.reduce((known, { own, prior }) => {
    // A flat prior has no information about u; otherwise d is N(-u, V + prior variance).
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

/**
 * The probability that a variation beats the original, as a function of u, is the distribution function of this one.
 * It is close to a step if the variation's own error is small.
 */
const stepOf = ({ own: { mean, deviation }, prior }: Estimated): GaussianEffect => ({
  mean: -mean,
  deviation: prior === undefined ? deviation : deviation * Math.hypot(1, deviation / prior.deviation),
});

/** For each distribution, the probability that it is the highest and above the floor. */
function chancesOf(effects: readonly GaussianEffect[], floor: number): number[] {
  const nodes = panelNodes(panelLimits(effects, floor), NODES);
  const below = effects.map((effect) => nodes.points.map((x) => cumulative(effect, x)));
  return chancesOverAll(nodes, below, (index, x) => densityOf(effects[index], x));
}

/**
 * Panel boundaries in ascending order. No panel is wide compared with a nearby distribution, or with the steps of
 * distribution functions.
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
