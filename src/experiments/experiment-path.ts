import type { PathItem } from '../access/scope';

/** An experiment in a path, with its status for permission checks. */
export const experimentPath: PathItem = {
  param: 'experiment',
  table: 'experiments',
  parentColumn: 'project_id',
  columns: ['status'],
  isKeptInTrash: true,
};
