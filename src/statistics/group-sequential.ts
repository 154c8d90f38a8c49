import { normalCdf, normalCritical, normalQuantile } from './distributions';
import { gaussLegendre } from './quadrature';

const NODES = 8;
/** Width of the panels of an integral, in standard deviations of the narrower of the two adjacent increments. */
const PANEL = 4;
/** Beyond this many standard deviations the tails are negligible. */
const TAIL = 9;
/** A look that would spend less error than this spends none, so its boundary is infinite. */
const LEAST_ERROR = 1e-12;
/** If the information grew by less than this fraction, a look is computed as if it had grown by this fraction. */
const LEAST_GROWTH = 1e-3;
/** The search for a limit ends when a step is smaller than this number of standard deviations of the increment. */
const SMALLEST_STEP = 1e-10;
const MOST_STEPS = 50;

/**
 * One look: the distribution of the score S = z·√t at the information fraction t over all paths that no earlier look
 * has stopped, as a mixture of normal distributions.
 */
interface Stage {
  information: number;
  points: readonly number[];
  masses: readonly number[];
  deviation: number;
  /** The look stops all paths with |S| above this limit. */
  limit: number;
}

/**
 * A group-sequential test for a score with independent normal increments, computed look by look. The distribution of
 * the paths that continue is exact, by recursive numerical integration (Armitage, McPherson, Rowe 1969, JRSS-A 132:235;
 * Jennison, Turnbull 2000, Group Sequential Methods, chapter 19). Without an effect, S has mean 0 and variance t.
 */
export class GroupSequentialTest {
  private readonly stages: Stage[] = [];

  /**
   * Adds a two-sided look that stops with the given probability.
   *
   * @param information above 0, in any unit. If it has not grown, the look is computed as if it had grown a little.
   * @param error the probability of stopping at this look and at no earlier one, if there is no effect.
   * @returns the critical value of |z|; Infinity if there is no error to spend.
   */
  spend(information: number, error: number): number {
    const stage = this.nextStage(information);
    const limit = error < LEAST_ERROR ? Infinity : limitFor(stage, error / 2);
    this.stages.push({ ...stage, limit });
    return limit / Math.sqrt(stage.information);
  }

  /** Adds a look that stops if |z| is above a critical value. */
  stopAbove(information: number, critical: number): void {
    const stage = this.nextStage(information);
    this.stages.push({ ...stage, limit: critical * Math.sqrt(stage.information) });
  }

  /**
   * The probability that any look so far stops on the upper side.
   *
   * @param drift the mean of z at information 1; 0 is no effect.
   */
  power(drift: number): number {
    return this.stages.reduce((sum, stage) => sum + beyond(stage, stage.limit, drift), 0);
  }

  private nextStage(information: number): Stage {
    const before = this.stages.at(-1);
    const start = before?.information ?? 0;
    const now = Math.max(information, start * (1 + LEAST_GROWTH));
    if (before === undefined) {
      return { information: now, points: [0], masses: [1], deviation: Math.sqrt(now), limit: Infinity };
    }
    const deviation = Math.sqrt(now - start);
    return before.limit === Infinity
      ? { ...before, information: now, deviation: Math.hypot(before.deviation, deviation) }
      : { information: now, ...continuation(before, deviation), deviation, limit: Infinity };
  }
}

/**
 * The distribution of the paths that a look does not stop, at the nodes of panels that are narrow relative to the
 * previous and the next increment.
 */
function continuation(stage: Stage, nextDeviation: number): Pick<Stage, 'points' | 'masses'> {
  const limit = Math.min(stage.limit, TAIL * Math.sqrt(stage.information));
  const count = Math.max(1, Math.ceil((2 * limit) / (PANEL * Math.min(stage.deviation, nextDeviation))));
  const half = limit / count;
  const { nodes, weights } = gaussLegendre(NODES);
  const points: number[] = [];
  const masses: number[] = [];
  for (let panel = 0; panel < count; panel += 1) {
    const middle = -limit + (2 * panel + 1) * half;
    for (let i = 0; i < NODES; i += 1) {
      const point = middle + half * nodes[i];
      points.push(point);
      masses.push(half * weights[i] * density(stage, point));
    }
  }
  return { points, masses };
}

/**
 * The limit that the paths in a stage exceed with the given probability, found by Newton's method. The logarithm of the
 * probability is a concave function of the limit, so the steps approach from a start that is too high.
 */
function limitFor(stage: Stage, probability: number): number {
  const { points, deviation, information } = stage;
  const farthest = points[points.length - 1] - normalQuantile(probability) * deviation;
  let limit = Math.min(-normalQuantile(probability) * Math.sqrt(information), farthest);
  for (let step = 0; step < MOST_STEPS && limit > 0; step += 1) {
    const reached = beyond(stage, limit, 0);
    const change = (reached / density(stage, limit)) * Math.log(reached / probability);
    limit += change;
    if (change > -SMALLEST_STEP * deviation) {
      break;
    }
  }
  return Math.max(0, limit);
}

function density({ points, masses, deviation }: Stage, x: number): number {
  let sum = 0;
  for (let i = 0; i < points.length; i += 1) {
    const u = (x - points[i]) / deviation;
    if (u > -TAIL && u < TAIL) {
      sum += masses[i] * Math.exp((-u * u) / 2);
    }
  }
  return sum / (deviation * Math.sqrt(2 * Math.PI));
}

/** P(S > limit) for the paths in a stage. A drift is applied with the likelihood ratio exp(drift·S - drift²·t/2). */
function beyond({ points, masses, deviation, information }: Stage, limit: number, drift: number): number {
  if (limit === Infinity) {
    return 0;
  }
  const shift = drift * deviation;
  const start = information - deviation * deviation;
  let sum = 0;
  for (let i = 0; i < points.length; i += 1) {
    const u = (points[i] - limit) / deviation + shift;
    if (u > -TAIL) {
      const likelihood = drift === 0 ? 1 : Math.exp(drift * points[i] - (drift * drift * start) / 2);
      sum += masses[i] * likelihood * normalCdf(u);
    }
  }
  return sum;
}

/**
 * The error that may be spent up to an information fraction (above 0), on both sides together: the O'Brien-Fleming-type
 * function of Lan and DeMets (1983, Biometrika 70:659), 4(1 - Φ(z_{1-α/4}/√t)), as in ldbounds and gsDesign for two
 * sides with α/2 each. For fractions of 1 and above, it is alpha.
 */
export function obrienFlemingSpending(information: number, alpha: number): number {
  return information >= 1 ? alpha : 4 * normalCdf(-normalCritical(alpha / 2) / Math.sqrt(information));
}
