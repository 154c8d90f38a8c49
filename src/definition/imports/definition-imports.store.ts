import type { EntityManager } from 'typeorm';
import { nameKey } from '../../common/text/names';
import type { Tx } from '../../database/database';
import { lockRows } from '../../database/row-store';

const CONDITIONS = { goals: '', exclusion_groups: '', experiments: ' AND deleted_at IS NULL' };

/** What imports find an existing record by. */
export interface Known {
  id: number;
  api_name: string;
  name_key: string;
}

/** The records of a project that an import may already have created, oldest first. */
export function knownRecords(
  manager: EntityManager,
  table: keyof typeof CONDITIONS,
  projectId: number,
): Promise<Known[]> {
  return manager.query(
    `SELECT id, api_name, name_key FROM ${table} WHERE project_id = ?${CONDITIONS[table]} ORDER BY id`,
    [projectId],
  );
}

/** The ids of a team's projects with exactly this name. */
export async function projectsNamed(manager: EntityManager, teamId: number, name: string): Promise<number[]> {
  const rows: { id: number }[] = await manager.query(
    'SELECT id FROM projects WHERE team_id = ? AND name_key = ? AND deleted_at IS NULL ORDER BY id',
    [teamId, nameKey(name)],
  );
  return rows.map(({ id }) => id);
}

/** Waits for concurrent imports that create projects in the team. */
export const lockTeam = (tx: Tx, teamId: number): Promise<void> => lockRows(tx, 'teams', 'id', [teamId]);
