import type { DeviceType } from '../events/device-types';
import type { Weighted } from './demo-random';

/* The visitors of the demo's experiments, and how they behave. */

export type StepKind = 'cart' | 'checkout' | 'order';

/** Something that visitors do, and how many of those do it who did what comes before it. */
export type Step = readonly [kind: StepKind, chance: number];

export interface DemoTraffic {
  /** Name of the experiment. */
  experiment: string;
  /** Of all that is left to chance. */
  seed: number;
  visitors: number;
  /** The last so many whole days. */
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
