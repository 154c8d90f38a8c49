import type { Tx } from './database';
import { placeholders } from './row-store';

/*
 * A transaction that relies on a row must change it. On a single database server, a row lock would be enough, but a
 * Galera cluster does not replicate locks: two transactions on different nodes conflict only if both change the same
 * row. An UPDATE that changes no value does not count, so these rows have a counter, `lock_version`.
 */

/** Runs an INSERT, UPDATE or DELETE and returns the number of matched rows. */
export async function countRows(tx: Tx, sql: string, parameters: unknown[]): Promise<number> {
  const { affected } = (await tx.queryRunner?.query(sql, parameters, true)) ?? {};
  if (affected === undefined) {
    throw new Error('The driver does not report how many rows a statement matched.');
  }
  return affected;
}

/** Locks rows until the transaction ends, on all nodes; missing rows are skipped. */
export async function lockRows(tx: Tx, table: string, key: string, ids: readonly number[]): Promise<void> {
  await tx.query(
    `UPDATE ${table} SET lock_version = lock_version + 1 WHERE ${key} IN (${placeholders(ids.length)})`,
    [...ids],
  );
}
