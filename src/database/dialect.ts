import { exactAddition } from './exact-sums';

export type Engine = 'sqlite' | 'mysql';

/** End of an INSERT that ignores existing keys; `column` is a key column. */
export const ignoringDuplicates = (engine: Engine, column: string): string =>
  engine === 'sqlite' ? 'ON CONFLICT DO NOTHING' : `ON DUPLICATE KEY UPDATE ${column} = ${column}`;

/** End of an INSERT that increments a column of existing rows with the same key, so that these rows change. */
export const countingDuplicates = (engine: Engine, key: readonly string[], column: string): string =>
  engine === 'sqlite'
    ? `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${column} = ${column} + 1`
    : `ON DUPLICATE KEY UPDATE ${column} = ${column} + 1`;

/** The columns whose values are added to an existing row with the same key. */
export interface Additions {
  key: readonly string[];
  integers: readonly string[];
  exact: readonly string[];
}

/** End of an INSERT that adds the inserted values to existing rows with the same key. */
export function addingDuplicates(engine: Engine, { key, integers, exact }: Additions): string {
  const added = (column: string): string =>
    engine === 'sqlite' ? `excluded.${column}` : `VALUES(${column})`;
  const assignments = [
    ...integers.map((column) => `${column} = ${column} + ${added(column)}`),
    ...exact.map((column) => `${column} = ${exactAddition(engine, column, added(column))}`),
  ].join(', ');
  return engine === 'sqlite'
    ? `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${assignments}`
    : `ON DUPLICATE KEY UPDATE ${assignments}`;
}
