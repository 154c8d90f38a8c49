import type BetterSqlite3 from 'better-sqlite3';
import { foldName } from '../common/text/names';
import type { Engine } from './dialect';

/** An SQL condition with `?` parameters. */
export interface Condition {
  sql: string;
  parameters: (string | number)[];
}

/** Conditions joined by AND. */
export function allOf(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.map(({ sql }) => sql).join(' AND '),
    parameters: conditions.flatMap(({ parameters }) => parameters),
  };
}

/**
 * Registers a case folding function on a SQLite connection, for names whose folded form is not stored. SQLite's LOWER
 * only changes ASCII letters.
 */
export function addNameFolding(connection: BetterSqlite3.Database): void {
  connection.function('fold_name', { deterministic: true }, (name: unknown) =>
    typeof name === 'string' ? foldName(name) : null,
  );
}

/**
 * The condition that a name contains a text, for searching lists. MySQL does not compose letters and their accents, so
 * on MySQL the condition checks both the composed and the decomposed form.
 */
export function nameContains(engine: Engine, column: string, text: string): Condition {
  const folded = foldName(text);
  if (engine === 'sqlite') {
    return { sql: `INSTR(fold_name(${column}), ?) > 0`, parameters: [folded] };
  }
  const forms = [...new Set([folded, folded.normalize('NFD')])];
  const found = forms.map(() => `INSTR(REPLACE(LOWER(${column}), 'ς', 'σ'), ?) > 0`);
  return { sql: `(${found.join(' OR ')})`, parameters: forms };
}
