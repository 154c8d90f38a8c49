import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type BetterSqlite3 from 'better-sqlite3';
import { migrateSqlite } from './migrating';
import { patiently } from './patience';
import type { PoolLoad } from './pool-load';
import { SerialQueue } from './serial-queue';
import { SqliteWriteProbe } from './sqlite-write-probe';
import { BEGIN } from './sqlite-driver';

type Connection = BetterSqlite3.Database;

/** What TypeORM's driver has, beyond what its common type says. */
interface SqliteDriver {
  databaseConnection: Connection;
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}

/** The part of TypeORM's query runner that remembers transactions; it forgets to forget them when a COMMIT fails. */
interface RunnerState {
  isTransactionActive: boolean;
  transactionDepth: number;
}

/** SQLite's own name for what it does with the statements of a transaction that it has rolled back by itself. */
const LOST_CODE = 'SQLITE_ABORT_ROLLBACK';

/** The transaction that a statement belongs to is over, so nothing that it would do may be stored. */
class TransactionLostError extends Error {
  readonly code = LOST_CODE;

  constructor() {
    super('The transaction of this statement has ended already, and nothing of it is stored.');
  }
}

/**
 * Runs transactions on the one writer connection of SQLite. SQLite rolls back by itself when the disk is full or
 * fails, at COMMIT or in the middle, and is in autocommit mode then. So each statement is checked to be inside of its
 * transaction right before it runs, and after each end the connection is outside of one, or is opened again.
 */
class SqliteTransactions {
  private readonly context = new AsyncLocalStorage<object>();
  /** The transaction under way. */
  private current: object | undefined;

  /** @param onFailure called for every transaction that fails, before its caller gets the error */
  constructor(
    private readonly writer: DataSource,
    private readonly onFailure: (error: unknown) => void,
  ) {
    this.guard(this.driver.databaseConnection);
  }

  /**
   * Runs the work in a transaction. The caller sees to it that no other is under way.
   * @throws TransactionLostError when SQLite has rolled back in the middle and the work went on nevertheless
   */
  async run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    try {
      await this.open();
      return await this.enter(work);
    } catch (error) {
      this.onFailure(error);
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

  private get driver(): SqliteDriver {
    return this.writer.driver as unknown as SqliteDriver;
  }

  /** Opens the connection again when an earlier attempt to do so has failed. */
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

  /** Closing a connection ends its transaction in any case, and gives its locks back to other processes. */
  private async reopen(): Promise<void> {
    await this.driver.disconnect();
    // When it fails now, the next transaction tries again, and says why it cannot.
    await this.open().catch(() => undefined);
  }

  /** Makes every statement that is prepared from now on check that it runs where it should. */
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
    // Whether it is outside of the transaction now is asked of the connection itself.
  }
}

const MAX_WAITING_TRANSACTIONS = 1_000;

/** The SQLite writer: one connection with serialised transactions. */
export class SqliteWriter {
  private readonly queue = new SerialQueue(MAX_WAITING_TRANSACTIONS);
  private readonly transactions: SqliteTransactions;
  private readonly probe: SqliteWriteProbe;

  /** @param writer an initialised data source, used for transactions only here */
  constructor(private readonly writer: DataSource) {
    this.probe = new SqliteWriteProbe((work) => this.queue.run(() => this.transactions.run(work)));
    this.transactions = new SqliteTransactions(writer, (error) => this.probe.note(error));
  }

  /** Queues the work, runs it in a transaction, and retries it while another process writes. */
  run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.queue.run(() => patiently(() => this.transactions.run(work)));
  }

  /** One connection, with a queue of transactions. */
  load(): PoolLoad {
    const busy = Math.min(this.queue.size, 1);
    return { pool: 'writer', busy, idle: 1 - busy, waiting: this.queue.size - busy };
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
