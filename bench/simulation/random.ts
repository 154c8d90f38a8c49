import { createHash } from 'node:crypto';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** The next number in [0, 1). */
export type Random = () => number;

// Inside jest, every access to a global is slow, and a simulation draws millions of numbers.
const { cos, exp, floor, log, PI, sin, sqrt } = Math;

const WARM_UP = 32;
/** Numbers with a lower probability, relative to the mode, are ignored: no simulation of this size would draw them. */
const NEGLIGIBLE = 1e-18;
const GUIDES = 512;

/** A separate generator for each name, so that the figures of a cell do not depend on other simulated cells. */
export function randomOf(seed: number, name: string): Random {
  const digest = createHash('sha256').update(`${seed} ${name}`).digest();
  const generator = xoroshiro128plus(digest.readInt32LE(0));
  const random = (): number => uniformFloat64(generator);
  for (let skipped = 0; skipped < WARM_UP; skipped += 1) {
    random();
  }
  return random;
}

/** Standard normal numbers (Box, Muller 1958, Ann. Math. Stat. 29:610). Each draw yields two. */
export function normalOf(random: Random): Random {
  let spare: number | null = null;
  return () => {
    if (spare !== null) {
      const second = spare;
      spare = null;
      return second;
    }
    const radius = sqrt(-2 * log(1 - random()));
    const angle = 2 * PI * random();
    spare = radius * sin(angle);
    return radius * cos(angle);
  };
}

/** The value of a purchase: lognormal with this deviation of the logarithm, or Pareto with this tail index. */
export type ValueDistribution = { lognormal: number } | { pareto: number };

/** Draws values with the moments of `valueMoments`. */
export function valueOf(distribution: ValueDistribution, random: Random, normal: Random): Random {
  if ('lognormal' in distribution) {
    const { lognormal } = distribution;
    return () => exp(lognormal * normal());
  }
  const power = -1 / distribution.pareto;
  return () => (1 - random()) ** power;
}

/** E(value) and E(value²). */
export function valueMoments(distribution: ValueDistribution): [mean: number, square: number] {
  if ('lognormal' in distribution) {
    const square = distribution.lognormal ** 2;
    return [exp(square / 2), exp(2 * square)];
  }
  const { pareto } = distribution;
  return [pareto / (pareto - 1), pareto / (pareto - 2)];
}

/** Binomial numbers by inversion of their distribution, exact to the precision of doubles. */
export class Binomial {
  private readonly first: number;
  private readonly cumulated: number[] = [];
  /** Start points of the search for a uniform number. */
  private readonly guides: number[] = [];

  /**
   * @param trials whole, at least 0.
   * @param rate above 0 and below 1.
   */
  constructor(trials: number, rate: number) {
    const odds = rate / (1 - rate);
    const mode = Math.min(trials, floor((trials + 1) * rate));
    const below: number[] = [];
    for (let k = mode, weight = 1; k > 0 && weight > NEGLIGIBLE; k -= 1) {
      weight *= k / ((trials - k + 1) * odds);
      below.push(weight);
    }
    const weights = [...below.reverse(), 1];
    for (let k = mode, weight = 1; k < trials && weight > NEGLIGIBLE; k += 1) {
      weight *= ((trials - k) / (k + 1)) * odds;
      weights.push(weight);
    }
    this.first = mode - below.length;
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    let sum = 0;
    for (const weight of weights) {
      sum += weight / total;
      this.cumulated.push(sum);
    }
    this.cumulated[weights.length - 1] = 1;
    for (let guide = 0, index = 0; guide < GUIDES; guide += 1) {
      while (this.cumulated[index] <= guide / GUIDES) {
        index += 1;
      }
      this.guides.push(index);
    }
  }

  draw(random: Random): number {
    const uniform = random();
    let index = this.guides[floor(uniform * GUIDES)];
    while (this.cumulated[index] <= uniform) {
      index += 1;
    }
    return this.first + index;
  }
}
