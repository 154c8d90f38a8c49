import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'mysql2';
import type { DataSource, EntityManager } from 'typeorm';
import type { DatabaseTarget } from '../config/config';
import { createReader, createWriter, Entities } from './data-source';
import { migrateMysql, migrateSqlite, pendingMigrations } from './migrating';
import { patiently } from './patience';
import { SerialQueue } from './serial-queue';

declare const inTransaction: unique symbol;

/** An entity manager inside a transaction. What writes asks for one, so that no write can happen outside. */
export type Tx = EntityManager & { readonly [inTransaction]: true };

/** Has the last word on a transaction: may still write in it, and decides whether it is kept. */
export type Ending = (tx: Tx, result: unknown) => Promise<'commit' | 'rollback'>;

const MAX_WAITING_TRANSACTIONS = 1_000;

/** Takes a transaction back and its result out of it. */
class TakenBack extends Error {
  constructor(readonly result: unknown) {
    super('The transaction was taken back.');
  }
}

/**
 * The one door to the database. SQLite has a single writer connection, so transactions take turns there;
 * reads have a connection of their own and see committed data only, as on MySQL.
 */
@Injectable()
export class Database implements OnApplicationShutdown {
  private readonly queue = new SerialQueue(MAX_WAITING_TRANSACTIONS);
  private readonly current = new AsyncLocalStorage<true>();
  private readonly endings = new AsyncLocalStorage<Ending>();

  private constructor(
    readonly engine: DatabaseTarget['engine'],
    readonly writer: DataSource,
    private readonly reader: DataSource,
    /** Names of the migrations that ran when the database was opened. */
    private readonly migrated: string[],
  ) {}

  /** Opens the database; on SQLite the schema is brought up to date first. */
  static async open(target: DatabaseTarget, entities: Entities): Promise<Database> {
    const writer = await createWriter(target, entities);
    await patiently(() => writer.initialize());
    const migrated = target.engine === 'sqlite' ? await migrateSqlite(writer) : await readCommitted(writer);
    const reader = createReader(target, writer, entities);
    if (!reader.isInitialized) {
      await patiently(() => reader.initialize());
    }
    return new Database(target.engine, writer, reader, migrated);
  }

  /** For reading outside of a transaction. On SQLite a write through it fails. */
  get read(): EntityManager {
    return this.reader.manager;
  }

  /**
   * Runs the work in one transaction: all of it is stored, or nothing. The work may run more than once (after a
   * deadlock, or while another process writes to SQLite), so it must not change anything outside of the database,
   * and it must not wait for the network.
   */
  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.current.getStore() !== undefined) {
      throw new Error('A transaction cannot begin inside another one.');
    }
    return this.current.run(true, () =>
      this.engine === 'sqlite' ? this.queue.run(() => this.attempt(work)) : this.attempt(work),
    );
  }

  /** Does the work, and ends every transaction that it runs, whoever begins it, in this way. */
  endingWith<T>(ending: Ending, work: () => Promise<T>): Promise<T> {
    return this.endings.run(ending, work);
  }

  /** Locks the rows that a SELECT returns until the transaction ends; SQLite locks the whole database anyway. */
  get forUpdate(): string {
    return this.engine === 'sqlite' ? '' : ' FOR UPDATE';
  }

  /** As `forUpdate`, but leaves out rows that another transaction has locked. */
  get forUpdateSkippingLocked(): string {
    return this.engine === 'sqlite' ? '' : ' FOR UPDATE SKIP LOCKED';
  }

  /** Keeps the rows that a SELECT returns from being changed until the transaction ends. */
  get forShare(): string {
    return this.engine === 'sqlite' ? '' : ' LOCK IN SHARE MODE';
  }

  /** Names of the migrations that have not run yet. */
  pendingMigrations(): Promise<string[]> {
    return pendingMigrations(this.writer);
  }

  /** Brings the schema up to date and returns the names of the migrations that ran; on SQLite opening did it. */
  async migrate(): Promise<string[]> {
    return this.engine === 'sqlite' ? this.migrated : migrateMysql(this.writer);
  }

  async onApplicationShutdown(): Promise<void> {
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
      return await patiently(() => this.writer.transaction((manager) => whole(manager as Tx)));
    } catch (error) {
      if (error instanceof TakenBack) {
        return error.result as T;
      }
      throw error;
    }
  }
}

/**
 * On MySQL each statement sees what is committed by then, so that what is read under a lock is never older than
 * the lock. The pool has a single idle connection at this time, which the last statement reaches.
 */
async function readCommitted(writer: DataSource): Promise<string[]> {
  const statement = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED';
  const { pool } = writer.driver as unknown as { pool: Pool };
  pool.on('connection', (connection) => connection.query(statement));
  await writer.query(statement);
  return [];
}
