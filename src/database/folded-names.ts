import type BetterSqlite3 from 'better-sqlite3';
import { foldName } from '../common/text/names';
import type { Engine } from './dialect';

/* Case folding of names that are not stored folded. SQLite's own LOWER changes ASCII letters only. */

/** Registers the case folding of names on a SQLite connection. */
export function addNameFolding(connection: BetterSqlite3.Database): void {
  connection.function('fold_name', { deterministic: true }, (name: unknown) =>
    typeof name === 'string' ? foldName(name) : null,
  );
}

/** SQL of a name in the form of `foldName`. */
export const foldedName = (engine: Engine, column: string): string =>
  engine === 'sqlite' ? `fold_name(${column})` : `REPLACE(LOWER(${column}), 'ς', 'σ')`;
