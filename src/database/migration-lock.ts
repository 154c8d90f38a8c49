import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { retryTransient } from './retry';

export const MIGRATION_LOCKS = 'migration_locks';

const LEASE_SECONDS = 15;
const RENEWED_EVERY_MS = 4_000;
const WAIT_MS = 300_000;
const PAUSE_MS = 250;

const WAITING = `Another process is migrating the database, or was killed while migrating it less than ${LEASE_SECONDS} seconds ago. Waiting for up to 5 minutes.`;

/** Called with a sentence that explains what the migration is waiting for. */
export type OnWait = (reason: string) => void;

/**
 * Allows only one process at a time to migrate, across all nodes of a cluster. The lock is a lease in a database row,
 * timed by the database's clock. Its holder keeps renewing the lease. If the holder dies, the lease expires.
 */
export class MigrationLock {
  private readonly timer: NodeJS.Timeout;
  private isLost = false;

  private constructor(
    private readonly writer: DataSource,
    private readonly holder: string,
  ) {
    this.timer = setInterval(() => void this.renew(), RENEWED_EVERY_MS).unref();
  }

  /**
   * Waits for the lock. @param onWait called once if another process has the lock @throws if another process has held
   * the lock for five minutes
   */
  static async take(writer: DataSource, onWait: OnWait): Promise<MigrationLock> {
    await retryTransient(() => prepare(writer));
    const [holder, deadline] = [randomUUID(), performance.now() + WAIT_MS];
    const hasTaken = (): Promise<boolean> =>
      retryTransient(() => extend(writer, holder, `(holder = '' OR expires_at < UNIX_TIMESTAMP())`));
    for (let attempt = 1; !(await hasTaken()); attempt += 1) {
      if (attempt === 1) {
        onWait(WAITING);
      }
      if (performance.now() > deadline) {
        throw new Error('Another process has been migrating the database for five minutes.');
      }
      await sleep(PAUSE_MS);
    }
    return new MigrationLock(writer, holder);
  }

  /** @throws if the lock was lost because the database was unreachable for too long */
  check(): void {
    if (this.isLost) {
      throw new Error('Another process may have started migrating the database. Run the migration again.');
    }
  }

  async release(): Promise<void> {
    clearInterval(this.timer);
    await retryTransient(() =>
      this.writer.query(`UPDATE ${MIGRATION_LOCKS} SET holder = '', expires_at = 0 WHERE holder = ?`, [
        this.holder,
      ]),
    );
  }

  private async renew(): Promise<void> {
    try {
      this.isLost ||= !(await retryTransient(() =>
        extend(this.writer, this.holder, `holder = '${this.holder}'`),
      ));
    } catch {
      this.isLost = true;
    }
  }
}

async function prepare(writer: DataSource): Promise<void> {
  await writer.query(
    `CREATE TABLE IF NOT EXISTS ${MIGRATION_LOCKS} (
       name VARCHAR(64) NOT NULL PRIMARY KEY, holder VARCHAR(36) NOT NULL, expires_at BIGINT NOT NULL
     ) ENGINE = InnoDB`,
  );
  await writer.query(
    `INSERT IGNORE INTO ${MIGRATION_LOCKS} (name, holder, expires_at) VALUES ('migrate', '', 0)`,
  );
}

/** @returns whether the holder has the lock */
async function extend(writer: DataSource, holder: string, condition: string): Promise<boolean> {
  const { affectedRows } = await writer.query<{ affectedRows: number }>(
    `UPDATE ${MIGRATION_LOCKS} SET holder = ?, expires_at = UNIX_TIMESTAMP() + ${LEASE_SECONDS}
      WHERE name = 'migrate' AND ${condition}`,
    [holder],
  );
  return affectedRows === 1;
}
