import type { DeviceType } from '../events/device-types';
import type { Weighted } from './demo-random';

/* The visitors of the demo experiments and their behaviour. */

export type StepKind = 'cart' | 'checkout' | 'order';

/** A funnel step, with its share of the visitors of the previous step. */
export type Step = readonly [kind: StepKind, chance: number];

export interface DemoTraffic {
  /** Name of the experiment. */
  experiment: string;
  /** Seed of the random generator. */
  seed: number;
  visitors: number;
  /** The number of whole days before today. */
  days: number;
  devices: Weighted<DeviceType>;
  /** For each variation, in their order. */
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
