import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { v7 } from 'uuid';
import type { Micros } from '../common/time/clock';
import type { DeviceType } from '../events/device-types';

/** Values with their relative weights. */
export type Weighted<T> = readonly (readonly [value: T, weight: number])[];

const ID_BYTES = 16;

/** A deterministic random generator. */
export class Chance {
  private readonly generator;

  constructor(seed: number) {
    this.generator = xoroshiro128plus(seed);
  }

  /** A number from 0 to just below 1. */
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

  /** A log-normal amount: half of the amounts are below the median, and a few are far above it. */
  logNormal(median: number, spread: number): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.fraction()));
    return median * Math.exp(spread * radius * Math.cos(2 * Math.PI * this.fraction()));
  }

  /** A UUIDv7, which begins with the given time. */
  id(at: Micros): string {
    const random = Uint8Array.from({ length: ID_BYTES }, () => Math.floor(this.fraction() * 256));
    return v7({ msecs: Math.floor(at / 1000), random });
  }
}

/* The visitors of the demo experiments and their behaviour. */

export type StepKind = 'cart' | 'checkout' | 'order';

/** A funnel step, with the share of visitors who reach it from the previous step. */
export type Step = readonly [kind: StepKind, chance: number];

export interface DemoTraffic {
  /** The name of the experiment. */
  experiment: string;
  /** The seed of the random generator. */
  seed: number;
  visitors: number;
  /** The number of whole days with visitors, up to yesterday. */
  days: number;
  devices: Weighted<DeviceType>;
  /** The funnel steps of each variation, in variation order. */
  steps: readonly (readonly Step[])[];
}

const funnel = (cart: number, checkout: number, order: number): Step[] => [
  ['cart', cart],
  ['checkout', checkout],
  ['order', order],
];

export const TRAFFIC: readonly DemoTraffic[] = [
  {
    experiment: 'Green buy button',
    seed: 1926,
    visitors: 5_640,
    days: 28,
    devices: [
      ['mobile', 57],
      ['desktop', 35],
      ['tablet', 6],
      ['other', 2],
    ],
    steps: [funnel(0.16, 0.55, 0.62), funnel(0.17, 0.54, 0.62), funnel(0.215, 0.46, 0.6)],
  },
  {
    experiment: 'Checkout on one page',
    seed: 1909,
    visitors: 840,
    days: 14,
    devices: [
      ['mobile', 9],
      ['tablet', 1],
    ],
    steps: [
      [
        ['checkout', 1],
        ['order', 0.41],
      ],
      [
        ['checkout', 1],
        ['order', 0.44],
      ],
    ],
  },
];
