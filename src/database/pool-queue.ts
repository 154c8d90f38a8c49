import type { Pool, PoolConnection } from 'mysql2';
import { WaitTimeoutError } from './errors';

export type Taken = (error: NodeJS.ErrnoException | null, connection?: PoolConnection) => void;

const WAIT_MS = 5_000;

/**
 * Takes a connection. Fails with `WaitTimeoutError` if all connections are in use for too long. The time for opening a
 * connection is limited separately.
 */
export function takeInTime(pool: Pool, taken: Taken): void {
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  const limitWait = (): void => {
    timer = setTimeout(() => {
      isLate = true;
      taken(new WaitTimeoutError());
    }, WAIT_MS);
  };
  // The pool emits the event while the function is called, and only if the caller has to wait.
  pool.once('enqueue', limitWait);
  pool.getConnection((error, connection) => {
    clearTimeout(timer);
    if (!isLate) {
      taken(error, connection);
    } else if (error === null) {
      connection.release();
    }
  });
  pool.removeListener('enqueue', limitWait);
}
