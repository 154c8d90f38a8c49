import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import { runEach } from '../common/concurrency';
import type { DatabaseTarget } from '../config/config';
import {
  createCollector,
  createDeliveryReader,
  createReader,
  createSnapshots,
  createWriter,
  Entities,
  initialized,
} from './data-source';
import type { StatementReader } from './delivery-pool';
import type { PoolLoad } from './host-pools';
import { migrateMysql, pendingMigrations, refuseLaterRelease } from './migrating';
import type { OnWait } from './migration-lock';
import { openingError } from './errors';
import { MysqlTransactions, type Placement, type ProjectWork } from './mysql-transactions';
import { retryTransient } from './retry';
import type { SnapshotConnections } from './snapshots';
import { makeDatabaseFile, makeDatabasePrivate, requireOwnFile } from './sqlite-files';
import { SqliteWriter, WritingTurns } from './sqlite-writer';
import { refuseUnfinishedCopy } from './copy/copy-progress';
import { copyBeforeUpgrade } from './upgrade-copy';

declare const inTransaction: unique symbol;

/**
 * An entity manager inside a transaction. Functions that write require it, so no write happens outside a transaction.
 */
export type Tx = EntityManager & { readonly [inTransaction]: true };

/** Runs at the end of a transaction, where it can still write. */
export type Ending = (tx: Tx, result: unknown) => Promise<void>;

/** Ends a transaction by rolling it back. */
const ROLLBACK = 'rollback';

/** Thrown to roll back a transaction whose result is still returned. */
class RolledBack extends Error {
  constructor(readonly result: unknown) {
    super('The transaction was rolled back.');
  }
}

/** The reader of a snapshot; null after the snapshot has ended. */
interface Reading {
  manager: EntityManager | null;
}

/** The caller's context. */
interface Context {
  isInTransaction?: true;
  ending?: Ending | typeof ROLLBACK;
  /** The transaction of `together`. */
  joined?: Tx;
  /** The caller's snapshot. It is part of the context, so services do not have to pass it on. */
  reading?: Reading;
  isCollecting?: true;
}

/** Why a process opens the database. */
type Purpose = 'requests' | 'background' | 'copy';

/**
 * The single point of access to the database. SQLite has a single writer connection, so transactions are serialised.
 * Reads use a separate connection and see only committed data, as on MySQL.
 */
@Injectable()
export class Database implements OnApplicationShutdown {
  /**
   * A single `AsyncLocalStorage` for everything, because on Node 20, each one slows down every promise in the process.
   */
  private readonly contexts = new AsyncLocalStorage<Context>();

  private constructor(
    readonly engine: DatabaseTarget['engine'],
    readonly writer: DataSource,
    private readonly reader: DataSource,
    /** The reader for delivery and health checks, independent of management requests. */
    readonly delivery: StatementReader,
    private readonly snapshots: SnapshotConnections,
    private readonly collector: DataSource,
    private readonly transactions: SqliteWriter | MysqlTransactions,
    /** Names of the migrations that ran when the database was opened. */
    private readonly migrated: string[],
    /** Path of the copy made before the migrations ran; null unless the database belonged to an earlier release. */
    readonly copy: string | null,
  ) {}

  /**
   * Opens the database. On SQLite, first copies a database from an earlier release, and then migrates the schema.
   * @param purpose `background` yields to other processes that write to SQLite; only `copy` opens an unfinished copy
   * @throws OpeningError if the database cannot be opened until an operator acts
   */
  static async open(
    target: DatabaseTarget,
    entities: Entities,
    purpose: Purpose = 'requests',
  ): Promise<Database> {
    try {
      let copy: string | null = null;
      if (target.engine === 'sqlite') {
        makeDatabaseFile(target.file);
        await retryTransient(async () => requireOwnFile(target.file));
        makeDatabasePrivate(target.file);
        copy = await copyBeforeUpgrade(target.file);
      }
      return await Database.connect(target, entities, purpose, copy);
    } catch (error) {
      throw openingError(target, error);
    }
  }

  private static async connect(
    target: DatabaseTarget,
    entities: Entities,
    purpose: Purpose,
    copy: string | null,
  ): Promise<Database> {
    const writer = await createWriter(target, entities);
    try {
      await retryTransient(() => writer.initialize());
      if (purpose !== 'copy') {
        await retryTransient(() => refuseUnfinishedCopy(writer));
      }
      await retryTransient(() => refuseLaterRelease(writer));
      const turns = purpose === 'background' ? new WritingTurns() : null;
      const sqlite = target.engine === 'sqlite' ? new SqliteWriter(writer, turns) : null;
      const migrated = sqlite === null ? [] : await sqlite.migrate();
      const reader = await initialized(createReader(target, writer, entities));
      const delivery = createDeliveryReader(target, reader);
      const snapshots = createSnapshots(target, reader, entities);
      const collector = await initialized(createCollector(target, reader));
      const transactions = sqlite ?? new MysqlTransactions(writer, collector);
      const sources = [reader, delivery, snapshots, collector] as const;
      return new Database(target.engine, writer, ...sources, transactions, migrated, copy);
    } catch (error) {
      if (writer.isInitialized) {
        await writer.destroy();
      }
      throw error;
    }
  }

  /**
   * The entity manager for reads outside a transaction. Inside `snapshot`, it reads the snapshot. On SQLite, writing
   * through it fails.
   */
  get read(): EntityManager {
    const { isCollecting, reading } = this.context;
    return reading?.manager ?? (isCollecting ? this.collector : this.reader).manager;
  }

  /**
   * Runs the work in a snapshot: all its reads through `read` see the state committed at its start. The work must not
   * write and must not wait for the network. Inside another snapshot, the work uses that snapshot.
   */
  snapshot<T>(work: () => Promise<T>): Promise<T> {
    return this.context.reading?.manager
      ? work()
      : this.snapshots.run((manager) => this.readingFrom({ manager }, work));
  }

  /** Runs the work of collection. On MySQL, it has separate connections, independent of management requests. */
  collecting<T>(work: () => Promise<T>): Promise<T> {
    return this.within({ isCollecting: true }, work);
  }

  private get context(): Context {
    return this.contexts.getStore() ?? {};
  }

  /** Runs the work in the caller's context, modified by these changes. */
  private within<T>(changes: Context, work: () => Promise<T>): Promise<T> {
    return this.contexts.run({ ...this.context, ...changes }, work);
  }

  private async readingFrom<T>(reading: Reading, work: () => Promise<T>): Promise<T> {
    try {
      return await this.within({ reading }, work);
    } finally {
      reading.manager = null;
    }
  }

  /**
   * Runs the work in one transaction. The work may be retried (after a deadlock, or while another process writes to
   * SQLite), so it must not change anything outside the database and must not wait for the network.
   * @param projectId the project that the work locks, if any, so that waiting transactions do not use all connections
   * @param projectWork transactions in a project wait only for transactions that store the same
   */
  async transaction<T>(
    work: (tx: Tx) => Promise<T>,
    projectId: number | null = null,
    projectWork: ProjectWork = 'writes',
  ): Promise<T> {
    const { joined, isInTransaction } = this.context;
    if (joined !== undefined) {
      return work(joined);
    }
    if (isInTransaction) {
      throw new Error('A transaction cannot begin inside another one.');
    }
    return this.within({ isInTransaction: true }, () => this.attempt(work, { projectId, projectWork }));
  }

  /**
   * Runs work that calls several services in a single transaction, as `transaction` does. The services' transactions
   * join this transaction, whose changes `read` does not see.
   */
  together<T>(work: () => Promise<T>, projectId: number | null = null): Promise<T> {
    return this.transaction((tx) => this.within({ joined: tx }, work), projectId);
  }

  /** Whether the caller works inside `together`, where reads need the joined transaction to see its changes. */
  get isTogether(): boolean {
    return this.context.joined !== undefined;
  }

  /** Runs the work, and calls `ending` at the end of each of its transactions. */
  endingWith<T>(ending: Ending, work: () => Promise<T>): Promise<T> {
    return this.within({ ending }, work);
  }

  /** Runs the work as a dry run: all its transactions return their results and are rolled back. */
  rollingBack<T>(work: () => Promise<T>): Promise<T> {
    return this.within({ ending: ROLLBACK }, work);
  }

  /** Whether the caller works inside `rollingBack`, in which case it must not store anything outside the database. */
  get isRollingBack(): boolean {
    return this.context.ending === ROLLBACK;
  }

  /**
   * SQL that locks the rows of a SELECT until the transaction ends. SQLite always locks the whole database. Other nodes
   * of a cluster do not see the lock, so a transaction that relies on a locked row must also change it; see
   * row-store.ts.
   */
  get forUpdate(): string {
    return this.engine === 'sqlite' ? '' : ' FOR UPDATE';
  }

  /** Like `forUpdate`, but skips rows locked by another transaction. */
  get forUpdateSkippingLocked(): string {
    return this.engine === 'sqlite' ? '' : ' FOR UPDATE SKIP LOCKED';
  }

  /** The reason why the database cannot be written to, as the end of a sentence; null if there is none. */
  writeProblem(): Promise<string | null> {
    return this.transactions.problem();
  }

  /** The load of the connection pools for transactions and reads. */
  loads(): PoolLoad[] {
    return [...this.transactions.loads(), this.delivery.load()].filter((load) => load !== null);
  }

  /** Names of the migrations that have not been run yet. */
  pendingMigrations(): Promise<string[]> {
    return pendingMigrations(this.writer);
  }

  /**
   * Migrates the schema and returns the names of the migrations that ran. On SQLite, they ran when the database was
   * opened.
   */
  async migrate(onWait?: OnWait): Promise<string[]> {
    return this.engine === 'sqlite' ? this.migrated : migrateMysql(this.writer, onWait);
  }

  async onApplicationShutdown(): Promise<void> {
    await runEach([
      () => this.delivery.close(),
      () => this.snapshots.close(),
      ...[...new Set([this.collector, this.reader, this.writer])].map((source) => () => source.destroy()),
    ]);
    // Until then, Node copies their contents to every new promise of the process.
    this.contexts.disable();
    if (this.transactions instanceof SqliteWriter) {
      this.transactions.close();
    }
  }

  private async attempt<T>(
    work: (tx: Tx) => Promise<T>,
    placement: Omit<Placement, 'isCollecting'>,
  ): Promise<T> {
    const { ending, isCollecting = false } = this.context;
    const whole = async (tx: Tx): Promise<T> => {
      const result = await work(tx);
      if (ending === ROLLBACK) {
        throw new RolledBack(result);
      }
      await ending?.(tx, result);
      return result;
    };
    try {
      const run = (manager: EntityManager): Promise<T> => whole(manager as Tx);
      return await this.transactions.run(run, { ...placement, isCollecting });
    } catch (error) {
      if (error instanceof RolledBack) {
        return error.result as T;
      }
      throw error;
    }
  }
}
