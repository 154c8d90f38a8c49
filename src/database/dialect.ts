import { exactAddition } from './exact-sums';

type Engine = 'sqlite' | 'mysql';

/** Ends an INSERT so that rows whose key is there already are left as they are; `column` is one of the key. */
export const ignoringDuplicates = (engine: Engine, column: string): string =>
  engine === 'sqlite' ? 'ON CONFLICT DO NOTHING' : `ON DUPLICATE KEY UPDATE ${column} = ${column}`;

/** Which columns of an inserted row are added to those of the row that has its key already. */
export interface Additions {
  key: readonly string[];
  integers: readonly string[];
  exact: readonly string[];
}

/** Ends an INSERT so that rows whose key is there already are added to what is there. */
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
