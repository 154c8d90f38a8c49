/**
 * Condition of projects and experiments that are not being purged. Those that are have a row until their cells are
 * deleted.
 * @param projectId column with the id of the project
 * @param experimentId column with the id of the experiment; null for projects
 */
export const notBeingPurged = (projectId: string, experimentId: string | null): string =>
  `NOT EXISTS (SELECT 1 FROM event_purges pending WHERE pending.project_id = ${projectId} AND (
    pending.experiment_id IS NULL${experimentId === null ? '' : ` OR pending.experiment_id = ${experimentId}`}))`;
