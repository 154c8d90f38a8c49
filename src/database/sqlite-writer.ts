import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type BetterSqlite3 from 'better-sqlite3';
import { SerialQueue } from '../common/concurrency';
import { queueFull } from './errors';
import type { PoolLoad } from './host-pools';
import { migrateSqlite } from './migrating';
import { MAX_RETRY_PAUSE_MS, retryTransient } from './retry';
import { SqliteWriteProbe } from './sqlite-write-probe';
import { BEGIN } from './sqlite-driver';

type Connection = BetterSqlite3.Database;

/** Members of TypeORM's SQLite driver that are missing from its public type. */
interface SqliteDriver {
  databaseConnection: Connection;
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}

/** The transaction state of TypeORM's query runner, which is not reset when a COMMIT fails. */
interface RunnerState {
  isTransactionActive: boolean;
  transactionDepth: number;
}

/** SQLite's error code for statements in a transaction that SQLite has rolled back automatically. */
const LOST_CODE = 'SQLITE_ABORT_ROLLBACK';

/** The statement's transaction has ended, so the statement must not be executed. */
class TransactionLostError extends Error {
  readonly code = LOST_CODE;

  constructor() {
    super("This statement's transaction has already ended, and none of its changes were stored.");
  }
}

/**
 * Runs transactions on SQLite's single writer connection. When the disk is full or fails, SQLite rolls back
 * automatically, at COMMIT or earlier, and is then in autocommit mode. A check right before each statement therefore
 * ensures that its transaction is still open. If a transaction cannot be ended, the connection is reopened.
 */
class SqliteTransactions {
  private readonly context = new AsyncLocalStorage<object>();
  /** The current transaction. */
  private current: object | undefined;

  /** @param probe is told of the outcome of every transaction, before its caller gets it */
  constructor(
    private readonly writer: DataSource,
    private readonly probe: SqliteWriteProbe,
  ) {
    this.guard(this.driver.databaseConnection);
  }

  /**
   * Runs the work in a transaction. The caller ensures that no other transaction is open.
   * @throws TransactionLostError if SQLite rolled back during the work and the work continued regardless
   */
  async run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    try {
      await this.open();
      const result = await this.enter(work);
      this.probe.noteSuccess();
      return result;
    } catch (error) {
      this.probe.noteFailure(error);
      throw error;
    }
  }

  private async enter<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const own = {};
    this.current = own;
    try {
      return await this.context.run(own, () => this.commit(work));
    } finally {
      await this.leave();
      this.current = undefined;
    }
  }

  private async commit<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const runner = this.writer.createQueryRunner();
    await runner.startTransaction();
    const result = await work(runner.manager);
    await runner.commitTransaction();
    if (this.driver.databaseConnection.inTransaction) {
      throw new TransactionLostError();
    }
    return result;
  }

  close(): void {
    this.context.disable();
  }

  private get driver(): SqliteDriver {
    return this.writer.driver as unknown as SqliteDriver;
  }

  /** Reopens the connection if an earlier attempt to reopen it has failed. */
  private async open(): Promise<void> {
    if (!this.driver.databaseConnection.open) {
      await this.driver.connect();
      this.guard(this.driver.databaseConnection);
    }
  }

  private async leave(): Promise<void> {
    const connection = this.driver.databaseConnection;
    if (connection.inTransaction) {
      rollBack(connection);
    }
    if (connection.inTransaction) {
      await this.reopen();
    }
    Object.assign<QueryRunner, RunnerState>(this.writer.createQueryRunner(), {
      isTransactionActive: false,
      transactionDepth: 0,
    });
  }

  /** Reopens the connection. Closing a connection always ends its transaction and releases its locks. */
  private async reopen(): Promise<void> {
    await this.driver.disconnect();
    // If this fails, the next transaction tries again and reports the reason.
    await this.open().catch(() => undefined);
  }

  /** Makes every statement prepared from now on check that its transaction is still open. */
  private guard(connection: Connection): void {
    const prepare = connection.prepare.bind(connection);
    connection.prepare = ((sql: string) => {
      const statement = prepare(sql);
      const check = sql === BEGIN ? () => undefined : () => this.requireInside(connection);
      const [all, run] = [statement.all.bind(statement), statement.run.bind(statement)];
      statement.all = (...parameters) => (check(), all(...parameters));
      statement.run = (...parameters) => (check(), run(...parameters));
      return statement;
    }) as typeof prepare;
  }

  private requireInside(connection: Connection): void {
    const isOwn = this.context.getStore() === this.current;
    if (!isOwn || (this.current !== undefined && !connection.inTransaction)) {
      throw new TransactionLostError();
    }
  }
}

function rollBack(connection: Connection): void {
  try {
    connection.exec('ROLLBACK');
  } catch {
    // The caller asks the connection whether the transaction has ended.
  }
}

const MAX_WAITING_TRANSACTIONS = 1_000;

/** The SQLite writer: one connection with serialised transactions. */
export class SqliteWriter {
  private readonly queue = new SerialQueue(MAX_WAITING_TRANSACTIONS, queueFull);
  private readonly transactions: SqliteTransactions;
  private readonly probe: SqliteWriteProbe;

  /**
   * @param writer an initialised data source, whose transactions run only through this object
   * @param turns inserts pauses into background work so that other processes can write; null for requests
   */
  constructor(
    private readonly writer: DataSource,
    private readonly turns: WritingTurns | null = null,
  ) {
    this.probe = new SqliteWriteProbe((work) => this.queue.run(() => this.transactions.run(work)));
    this.transactions = new SqliteTransactions(writer, this.probe);
  }

  /** Queues the work, runs it in a transaction, and retries it while another process writes. */
  run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const transaction = () => retryTransient(() => this.transactions.run(work));
    return this.queue.run(() => this.turns?.run(transaction) ?? transaction());
  }

  /** Releases the asynchronous context. The data source is not closed. */
  close(): void {
    this.transactions.close();
  }

  /** The load of the single connection and its queue. */
  loads(): PoolLoad[] {
    const busy = Math.min(this.queue.size, 1);
    return [{ pool: 'writer', busy, idle: 1 - busy, waiting: this.queue.size - busy }];
  }

  /** Migrates the schema and returns the names of the migrations that ran. */
  migrate(): Promise<string[]> {
    return migrateSqlite(this.writer, (work) => this.run(work));
  }

  /** The reason why the file is not writable, as the end of a sentence; null if it is. */
  problem(): Promise<string | null> {
    return this.probe.check();
  }
}

/** How long a process may write to SQLite before it lets other processes write, in milliseconds. */
const TURN_MS = 200;

/** Pause after a turn, in milliseconds. Long enough for every waiting process to try again. */
const PAUSE_MS = 2 * MAX_RETRY_PAUSE_MS;

/**
 * Pauses between the transactions of background work. SQLite has no queue for processes that want to write. Waiting
 * processes retry every few milliseconds, so they rarely find a gap if transactions follow each other without a pause.
 */
export class WritingTurns {
  private began = 0;
  private ended = 0;

  /** Runs a transaction, after a pause if this process has used up its turn. */
  async run<T>(transaction: () => Promise<T>): Promise<T> {
    if (performance.now() - this.ended < PAUSE_MS && performance.now() - this.began > TURN_MS) {
      await sleep(PAUSE_MS);
    }
    if (performance.now() - this.ended >= PAUSE_MS) {
      this.began = performance.now();
    }
    try {
      return await transaction();
    } finally {
      this.ended = performance.now();
    }
  }
}
