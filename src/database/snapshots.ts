import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource, EntityManager } from 'typeorm';
import { SerialQueue } from './serial-queue';

const MAX_WAITING = 1_000;

/** The reader of a snapshot; unset after its end. */
interface Reading {
  manager: EntityManager | null;
}

/** Opens and closes read-only transactions for snapshots. */
interface SnapshotConnections {
  run<T>(read: (manager: EntityManager) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Snapshot reads: several statements see one state of the database. The asynchronous context determines the snapshot of
 * a read, so services do not pass it on.
 */
export class Snapshots {
  private readonly current = new AsyncLocalStorage<Reading>();

  constructor(private readonly connections: SnapshotConnections) {}

  /** The caller's reader; null outside a snapshot and after its end. */
  get manager(): EntityManager | null {
    return this.current.getStore()?.manager ?? null;
  }

  /** Runs the work with one snapshot, taken after the call; inside another snapshot, uses that one. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return this.manager === null ? this.connections.run((manager) => this.during({ manager }, work)) : work();
  }

  close(): Promise<void> {
    return this.connections.close();
  }

  private async during<T>(reading: Reading, work: () => Promise<T>): Promise<T> {
    try {
      return await this.current.run(reading, work);
    } finally {
      reading.manager = null;
    }
  }
}

/** Snapshots on MySQL, each on a connection of the pool. */
export class MysqlSnapshots implements SnapshotConnections {
  constructor(private readonly source: DataSource) {}

  async run<T>(read: (manager: EntityManager) => Promise<T>): Promise<T> {
    const runner = this.source.createQueryRunner();
    try {
      // Connections use READ COMMITTED, where a snapshot lasts for one statement.
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
 * Snapshots on SQLite: serialised on a separate read-only connection that is opened on demand. SQLite uses one thread,
 * so serialising costs nothing.
 */
export class SqliteSnapshots implements SnapshotConnections {
  private readonly queue = new SerialQueue(MAX_WAITING);

  /** @param source a read-only data source that nobody else uses; not initialised */
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

/** Ends the transaction after the work, also after an error. */
async function ended<T>(manager: EntityManager, read: (manager: EntityManager) => Promise<T>): Promise<T> {
  try {
    return await read(manager);
  } finally {
    await manager.query('ROLLBACK');
  }
}
