import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'mysql2';
import { DataSource, EntityManager, MigrationExecutor } from 'typeorm';
import type { DatabaseTarget } from '../config/config';
import { createReader, createWriter, Entities } from './data-source';
import { isTransient } from './errors';
import { SerialQueue } from './serial-queue';

declare const inTransaction: unique symbol;

/** An entity manager inside a transaction. What writes asks for one, so that no write can happen outside. */
export type Tx = EntityManager & { readonly [inTransaction]: true };

/** How long a transaction tries to get past others. */
const PATIENCE_MS = 10_000;
const MAX_PAUSE_MS = 20;
const MAX_WAITING_TRANSACTIONS = 1_000;

/**
 * The one door to the database. SQLite has a single writer connection, so transactions take turns there;
 * reads have a connection of their own and see committed data only, as on MySQL.
 */
@Injectable()
export class Database implements OnApplicationShutdown {
  private readonly queue = new SerialQueue(MAX_WAITING_TRANSACTIONS);
  private readonly current = new AsyncLocalStorage<true>();

  private constructor(
    readonly engine: DatabaseTarget['engine'],
    readonly writer: DataSource,
    private readonly reader: DataSource,
  ) {}

  /** Opens the database; on SQLite the schema is brought up to date first. */
  static async open(target: DatabaseTarget, entities: Entities): Promise<Database> {
    const writer = await createWriter(target, entities);
    await writer.initialize();
    await (target.engine === 'sqlite' ? migrateOnce(writer) : readCommitted(writer));
    const reader = createReader(target, writer, entities);
    if (!reader.isInitialized) {
      await reader.initialize();
    }
    return new Database(target.engine, writer, reader);
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
      this.engine === 'sqlite' ? this.queue.run(() => this.retrying(work)) : this.retrying(work),
    );
  }

  /** Locks the rows that a SELECT returns until the transaction ends; SQLite locks the whole database anyway. */
  get forUpdate(): string {
    return this.engine === 'sqlite' ? '' : ' FOR UPDATE';
  }

  /** Names of the migrations that have not run yet. */
  async pendingMigrations(): Promise<string[]> {
    const pending = await new MigrationExecutor(this.writer).getPendingMigrations();
    return pending.map((migration) => migration.name);
  }

  /** Runs the migrations that have not run yet and returns their names. */
  async migrate(): Promise<string[]> {
    const done = await this.writer.runMigrations({ transaction: 'each' });
    return done.map((migration) => migration.name);
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.reader !== this.writer) {
      await this.reader.destroy();
    }
    await this.writer.destroy();
  }

  private async retrying<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await this.writer.transaction((manager) => work(manager as Tx));
      } catch (error) {
        if (!isTransient(error) || performance.now() > deadline) {
          throw error;
        }
        await sleep(Math.random() * MAX_PAUSE_MS);
      }
    }
  }
}

/**
 * On MySQL each statement sees what is committed by then, so that what is read under a lock is never older than
 * the lock. The pool has a single idle connection at this time, which the last statement reaches.
 */
async function readCommitted(writer: DataSource): Promise<void> {
  const statement = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED';
  const { pool } = writer.driver as unknown as { pool: Pool };
  pool.on('connection', (connection) => connection.query(statement));
  await writer.query(statement);
}

/** Two processes may start on one new file together; the one that comes second finds the work done. */
async function migrateOnce(writer: DataSource): Promise<void> {
  try {
    await writer.runMigrations({ transaction: 'each' });
  } catch (error) {
    const pending = await new MigrationExecutor(writer).getPendingMigrations();
    if (pending.length > 0) {
      throw error;
    }
  }
}
