import type { EntityManager } from 'typeorm';
import { placeholders } from '../database/row-store';

/** The names of users, by id. */
export async function userNames(
  manager: EntityManager,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const wanted = [...new Set(ids)];
  const rows: { id: number; name: string }[] =
    wanted.length === 0
      ? []
      : await manager.query(
          `SELECT id, name FROM users WHERE id IN (${placeholders(wanted.length)})`,
          wanted,
        );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
