import { grid } from './grid';
import { late } from './late';
import { limits } from './limits';
import { power } from './power';
import type { Part } from './report';
import { sampleRatio } from './sample-ratio';

/** The simulations by their names in `npm run simulate`. */
export const parts = new Map<string, Part<unknown>>([
  ['grid', grid],
  ['power', power],
  ['sample-ratio', sampleRatio],
  ['limits', limits],
  ['late', late],
]);
