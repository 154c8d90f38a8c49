import { createHash } from 'node:crypto';
import type { CopiedTable } from './copied-tables';
import { CopyEnd, quoted } from './copy-end';

/**
 * Modulus of the values that `stateOf` adds up; a prime number. Sums of remainders cannot overflow, and any change to a
 * version, counter or time also changes its remainder.
 */
const MODULUS = 1_000_003;

export interface DatabaseState {
  /** SHA-256 of the counts and sums of all tables. */
  digest: string;
  /** Rows by table. */
  counts: Readonly<Record<string, number>>;
}

/**
 * Identifies a database state by each table's number of rows and the sum of each of its integer columns. Every change
 * that a server makes either increments a version, or adds, removes or marks a row.
 */
export async function stateOf(end: CopyEnd, tables: readonly CopiedTable[]): Promise<DatabaseState> {
  const hash = createHash('sha256');
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const sums = table.columns
      .filter(({ kind }) => kind === 'integer')
      .map(({ name }) => `COALESCE(SUM(${quoted(name)} % ${MODULUS}), 0)`);
    const [row = []] = await end.all(`SELECT ${['COUNT(*)', ...sums].join(', ')} FROM ${quoted(table.name)}`);
    const next = table.hasCounter ? await end.nextId(table.name) : '';
    counts[table.name] = Number(row[0]);
    hash.update(`${[table.name, ...row, next].map(String).join(' ')}\n`);
  }
  return { digest: hash.digest('hex'), counts };
}
