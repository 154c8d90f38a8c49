import { setTimeout as sleep } from 'node:timers/promises';
import type { Tx } from './database';
import { isTransient } from './errors';
import { placeholders } from './row-store';

const TIMEOUT_MS = 10_000;

/** The longest delay before a retry, in milliseconds. */
export const MAX_RETRY_PAUSE_MS = 20;

/**
 * Runs the work, and retries it on conflicts with other transactions or processes.
 * @param timeout in milliseconds
 */
export async function retryTransient<T>(work: () => Promise<T>, timeout = TIMEOUT_MS): Promise<T> {
  const deadline = performance.now() + timeout;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || performance.now() > deadline) {
        throw error;
      }
      await sleep(Math.random() * MAX_RETRY_PAUSE_MS);
    }
  }
}

/*
 * A transaction that relies on a row must change it. On a single database server, a row lock would be enough, but a
 * Galera cluster does not replicate locks. Two transactions on different nodes conflict only if both change the same
 * row. An UPDATE that changes no value does not count, so such rows have a counter, `lock_version`.
 */

/** Runs an INSERT, UPDATE or DELETE and returns the number of matched rows. */
export async function countRows(tx: Tx, sql: string, parameters: unknown[]): Promise<number> {
  const { affected } = (await tx.queryRunner?.query(sql, parameters, true)) ?? {};
  if (affected === undefined) {
    throw new Error('The driver does not report how many rows a statement found.');
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
