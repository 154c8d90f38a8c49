import { grid } from './grid';
import { limits } from './limits';
import { power } from './power';
import type { Part } from './report';
import { sampleRatio } from './sample-ratio';

/** By the name that `npm run simulate` knows them. */
export const parts = new Map<string, Part<unknown>>([
  ['grid', grid],
  ['power', power],
  ['sample-ratio', sampleRatio],
  ['limits', limits],
]);
