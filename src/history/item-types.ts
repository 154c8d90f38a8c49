import { RESOURCES } from '../resources/registry';

/** The kinds of records in the audit log of a project. */
export const ITEM_TYPES: readonly string[] = [
  'project',
  'project_settings',
  'experiment',
  'variation',
  ...RESOURCES.map(({ type }) => type),
  'webhook',
  'visitor',
  'visitor_exclusion',
];
