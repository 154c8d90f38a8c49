import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import type { DatabaseTarget } from '../config/config';
import {
  createDeliveryReader,
  createReader,
  createSnapshots,
  createWriter,
  Entities,
  poolsOf,
} from './data-source';
import type { StatementReader } from './delivery-pool';
import { migrateMysql, pendingMigrations } from './migrating';
import { openingError } from './opening-error';
import { patiently } from './patience';
import type { PoolLoad } from './pool-load';
import type { Snapshots } from './snapshots';
import { makeDatabaseFile, requireOwnFile } from './sqlite-files';
import { SqliteWriter } from './sqlite-writer';
import { copyBeforeUpgrade } from './upgrade-copy';

declare const inTransaction: unique symbol;

/**
 * An entity manager inside a transaction. Writing functions require one, so that no write happens outside a
 * transaction.
 */
export type Tx = EntityManager & { readonly [inTransaction]: true };

/** Runs at the end of a transaction: it may still write, and decides between commit and rollback. */
export type Ending = (tx: Tx, result: unknown) => Promise<'commit' | 'rollback'>;

/** Rolls a transaction back and returns its result. */
class TakenBack extends Error {
  constructor(readonly result: unknown) {
    super('The transaction was taken back.');
  }
}

/**
 * The only access to the database. SQLite has a single writer connection, so transactions are serialised. Reads have a
 * connection of their own and see committed data only, as on MySQL.
 */
@Injectable()
export class Database implements OnApplicationShutdown {
  private readonly current = new AsyncLocalStorage<true>();
  private readonly endings = new AsyncLocalStorage<Ending>();

  private constructor(
    readonly engine: DatabaseTarget['engine'],
    readonly writer: DataSource,
    private readonly reader: DataSource,
    /** For delivery and health checks, independent of management requests. */
    readonly delivery: StatementReader,
    private readonly snapshots: Snapshots,
    private readonly sqlite: SqliteWriter | null,
    /** Names of the migrations that ran when the database was opened. */
    private readonly migrated: string[],
    /** Path of the copy that was made before them; null unless the database was of an earlier release. */
    readonly copy: string | null,
  ) {}

  /**
   * Opens the database; on SQLite it migrates the schema first, and copies a database of an earlier release before. @throws OpeningError if it cannot be opened without an
   * operator's action
   */
  static async open(target: DatabaseTarget, entities: Entities): Promise<Database> {
    try {
      let copy: string | null = null;
      if (target.engine === 'sqlite') {
        makeDatabaseFile(target.file);
        await patiently(async () => requireOwnFile(target.file));
        copy = await copyBeforeUpgrade(target.file);
      }
      return await Database.connect(target, entities, copy);
    } catch (error) {
      throw openingError(target, error);
    }
  }

  private static async connect(
    target: DatabaseTarget,
    entities: Entities,
    copy: string | null,
  ): Promise<Database> {
    const writer = await createWriter(target, entities);
    try {
      await patiently(() => writer.initialize());
      const sqlite = target.engine === 'sqlite' ? new SqliteWriter(writer) : null;
      const migrated = sqlite === null ? [] : await sqlite.migrate();
      const reader = createReader(target, writer, entities);
      if (!reader.isInitialized) {
        await patiently(() => reader.initialize());
      }
      const delivery = createDeliveryReader(target, reader);
      const snapshots = createSnapshots(target, reader, entities);
      return new Database(target.engine, writer, reader, delivery, snapshots, sqlite, migrated, copy);
    } catch (error) {
      if (writer.isInitialized) {
        await writer.destroy();
      }
      throw error;
    }
  }

  /** For reads outside a transaction; inside `snapshot`, reads that snapshot. On SQLite a write through it fails. */
  get read(): EntityManager {
    return this.snapshots.manager ?? this.reader.manager;
  }

  /**
   * Runs the work in a snapshot: all its reads through `read` see the state committed at its start. The work must not
   * write and must not wait for the network.
   */
  snapshot<T>(work: () => Promise<T>): Promise<T> {
    return this.snapshots.run(work);
  }

  /**
   * Runs the work in one transaction. The work may be retried (after a deadlock, or while another process writes to
   * SQLite), so it must not change anything outside the database and must not wait for the network.
   */
  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.current.getStore() !== undefined) {
      throw new Error('A transaction cannot begin inside another one.');
    }
    return this.current.run(true, () => this.attempt(work));
  }

  /** Runs the work, and ends all its transactions with this function. */
  endingWith<T>(ending: Ending, work: () => Promise<T>): Promise<T> {
    return this.endings.run(ending, work);
  }

  /**
   * Locks the rows of a SELECT until the transaction ends; SQLite locks the whole database anyway. Other nodes of a
   * cluster do not see the lock: a transaction that relies on such a row must also change it (see row-locks.ts).
   */
  get forUpdate(): string {
    return this.engine === 'sqlite' ? '' : ' FOR UPDATE';
  }

  /** Like `forUpdate`, but skips rows that another transaction has locked. */
  get forUpdateSkippingLocked(): string {
    return this.engine === 'sqlite' ? '' : ' FOR UPDATE SKIP LOCKED';
  }

  /**
   * The reason why the database file is not writable, as the end of a sentence; null if it is writable, and on MySQL.
   */
  async writeProblem(): Promise<string | null> {
    return (await this.sqlite?.problem()) ?? null;
  }

  /** How busy the connections for transactions and reads are, by pool. */
  loads(): PoolLoad[] {
    const main = this.sqlite?.load() ?? { pool: 'main' as const, ...poolsOf(this.writer).load() };
    return [main, this.delivery.load()].filter((load) => load !== null);
  }

  /** Names of the migrations that have not run yet. */
  pendingMigrations(): Promise<string[]> {
    return pendingMigrations(this.writer);
  }

  /** Migrates the schema and returns the names of the migrations that ran; on SQLite opening has done it. */
  async migrate(): Promise<string[]> {
    return this.engine === 'sqlite' ? this.migrated : migrateMysql(this.writer);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.delivery.close();
    await this.snapshots.close();
    if (this.reader !== this.writer) {
      await this.reader.destroy();
    }
    await this.writer.destroy();
  }

  private async attempt<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const ending = this.endings.getStore();
    const whole = async (tx: Tx): Promise<T> => {
      const result = await work(tx);
      if ((await ending?.(tx, result)) === 'rollback') {
        throw new TakenBack(result);
      }
      return result;
    };
    try {
      const run = (manager: EntityManager): Promise<T> => whole(manager as Tx);
      return await (this.sqlite?.run(run) ?? patiently(() => this.writer.transaction(run)));
    } catch (error) {
      if (error instanceof TakenBack) {
        return error.result as T;
      }
      throw error;
    }
  }
}
