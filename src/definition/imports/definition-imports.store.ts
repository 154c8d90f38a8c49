import type { EntityManager } from 'typeorm';
import { nameKey } from '../../common/text/names';

const CONDITIONS = { goals: '', exclusion_groups: '', experiments: ' AND deleted_at IS NULL' };

/** The ids of a project's records by api_name. */
export async function idsByApiName(
  manager: EntityManager,
  table: keyof typeof CONDITIONS,
  projectId: number,
): Promise<ReadonlyMap<string, number>> {
  const rows: { id: number; api_name: string }[] = await manager.query(
    `SELECT id, api_name FROM ${table} WHERE project_id = ?${CONDITIONS[table]}`,
    [projectId],
  );
  return new Map(rows.map(({ id, api_name }) => [api_name, id]));
}

/** The ids of a team's projects with exactly this name. */
export async function projectsNamed(manager: EntityManager, teamId: number, name: string): Promise<number[]> {
  const rows: { id: number }[] = await manager.query(
    'SELECT id FROM projects WHERE team_id = ? AND name_key = ? AND deleted_at IS NULL ORDER BY id',
    [teamId, nameKey(name)],
  );
  return rows.map(({ id }) => id);
}
