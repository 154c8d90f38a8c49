import type { DataSource, EntityManager } from 'typeorm';
import { SerialQueue } from '../common/concurrency';
import { queueFull } from './errors';

const MAX_WAITING = 1_000;

/** Opens and closes read-only transactions in which several statements see the same state of the database. */
export interface SnapshotConnections {
  run<T>(read: (manager: EntityManager) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Snapshots on MySQL, each on a connection of the pool. */
export class MysqlSnapshots implements SnapshotConnections {
  constructor(private readonly source: DataSource) {}

  async run<T>(read: (manager: EntityManager) => Promise<T>): Promise<T> {
    const runner = this.source.createQueryRunner();
    try {
      // Connections use READ COMMITTED, in which a snapshot lasts only for one statement.
      await runner.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      await runner.query('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
      return await ended(runner.manager, read);
    } finally {
      await runner.release();
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/**
 * Snapshots on SQLite. They run one after another on a separate read-only connection, which is opened on demand. Taking
 * turns costs nothing, because SQLite uses a single thread anyway.
 */
export class SqliteSnapshots implements SnapshotConnections {
  private readonly queue = new SerialQueue(MAX_WAITING, queueFull);

  /** @param source a read-only data source for exclusive use; not initialised */
  constructor(private readonly source: DataSource) {}

  run<T>(read: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.queue.run(async () => {
      if (!this.source.isInitialized) {
        await this.source.initialize();
      }
      await this.source.manager.query('BEGIN');
      return ended(this.source.manager, read);
    });
  }

  async close(): Promise<void> {
    if (this.source.isInitialized) {
      await this.source.destroy();
    }
  }
}

/** Ends the transaction after the work, even after an error. */
async function ended<T>(manager: EntityManager, read: (manager: EntityManager) => Promise<T>): Promise<T> {
  try {
    return await read(manager);
  } finally {
    await manager.query('ROLLBACK');
  }
}
