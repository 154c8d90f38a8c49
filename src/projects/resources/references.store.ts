import type { EntityManager } from 'typeorm';
import type { ProjectItem } from './resource';

/** Whether the project has this record. */
export async function hasItem(
  manager: EntityManager,
  table: string,
  projectId: number,
  id: number,
): Promise<boolean> {
  const sql = `SELECT id FROM ${table} WHERE id = ? AND project_id = ?`;
  const items: unknown[] = await manager.query(sql, [id, projectId]);
  return items.length > 0;
}

/** The records whose column contains this id, in id order. */
export function itemsWith(
  manager: EntityManager,
  table: string,
  column: string,
  id: number,
): Promise<Pick<ProjectItem, 'id' | 'name'>[]> {
  return manager.query(`SELECT id, name FROM ${table} WHERE ${column} = ? ORDER BY id`, [id]);
}
