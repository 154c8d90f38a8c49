import type { Reader } from '../database/delivery-pool';

/** An experiment that may be live or not. */
export interface KnownExperiment {
  id: number;
  api_name: string;
  isArchived: boolean;
}

interface Row {
  id: number;
  api_name: string;
  archived_at: string | number | null;
}

/**
 * The experiments of a project that ever ran, in the order of their ids. Experiments that never ran are not public:
 * callers with a client key get the same response as for unknown names.
 */
export async function experimentsThatRan(reader: Reader, projectId: number): Promise<KnownExperiment[]> {
  const rows: Row[] = await reader.query(
    `SELECT id, api_name, archived_at FROM experiments
      WHERE project_id = ? AND deleted_at IS NULL AND started_at IS NOT NULL ORDER BY id`,
    [projectId],
  );
  return rows.map(({ id, api_name, archived_at }) => ({ id, api_name, isArchived: archived_at !== null }));
}
