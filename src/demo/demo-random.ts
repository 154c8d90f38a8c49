import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { v7 } from 'uuid';
import type { Micros } from '../common/time/clock';

/** Values with their relative weights. */
export type Weighted<T> = readonly (readonly [value: T, weight: number])[];

const ID_BYTES = 16;

/** A deterministic random generator. */
export class Chance {
  private readonly generator;

  constructor(seed: number) {
    this.generator = xoroshiro128plus(seed);
  }

  /** From 0 to just below 1. */
  fraction(): number {
    return uniformFloat64(this.generator);
  }

  happens(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(choices: Weighted<T>): T {
    let rest = this.fraction() * choices.reduce((sum, [, weight]) => sum + weight, 0);
    const chosen = choices.find(([, weight]) => (rest -= weight) < 0);
    return (chosen ?? choices[choices.length - 1])[0];
  }

  /** A log-normal amount: half are below the median, and a few are far above. */
  logNormal(median: number, spread: number): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.fraction()));
    return median * Math.exp(spread * radius * Math.cos(2 * Math.PI * this.fraction()));
  }

  /** A UUIDv7, which begins with its time. */
  id(at: Micros): string {
    const random = Uint8Array.from({ length: ID_BYTES }, () => Math.floor(this.fraction() * 256));
    return v7({ msecs: Math.floor(at / 1000), random });
  }
}
