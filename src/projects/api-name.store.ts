import type { EntityManager } from 'typeorm';

/** The scope within which an api_name is unique: rows of a table with these column values. */
export interface Namespace {
  table: string;
  within: Readonly<Record<string, number>>;
}

/** Upper bound for a prefix search: this character sorts after every allowed one. */
const AFTER_ALL = '{';

/** The used names with a prefix. */
export async function takenNames(
  manager: EntityManager,
  { table, within }: Namespace,
  prefix: string,
): Promise<Set<string>> {
  const conditions = [
    ...Object.keys(within).map((column) => `${column} = ?`),
    'api_name >= ?',
    'api_name < ?',
  ];
  const rows: { api_name: string }[] = await manager.query(
    `SELECT api_name FROM ${table} WHERE ${conditions.join(' AND ')}`,
    [...Object.values(within), prefix, prefix + AFTER_ALL],
  );
  return new Set(rows.map((row) => row.api_name));
}
