import type { PathItem } from '../access/scope';

/** An experiment in a path, with the status that permissions depend on. */
export const experimentPath: PathItem = {
  param: 'experiment',
  table: 'experiments',
  parentColumn: 'project_id',
  columns: ['status'],
  live: 'deleted_at IS NULL',
};
