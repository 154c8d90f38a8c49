import type { PathItem } from '../access/scope';

/** A variation in a path, after its experiment. */
export const variationPath: PathItem = {
  param: 'variation',
  table: 'variations',
  parentColumn: 'experiment_id',
};
