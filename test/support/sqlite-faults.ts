import type BetterSqlite3 from 'better-sqlite3';
import { loadSqliteDriver } from '../../src/database/sqlite-driver';
import type { TestApi } from './api';

interface Driver {
  databaseConnection: BetterSqlite3.Database;
  queryRunner?: { stmtCache: Map<string, unknown> };
}

/** Injects faults into the write connection of an application. */
export class SqliteFaults {
  constructor(private readonly api: TestApi) {}

  private get driver(): Driver {
    return this.api.database.writer.driver as unknown as Driver;
  }

  get connection(): BetterSqlite3.Database {
    return this.driver.databaseConnection;
  }

  /** Limits the growth of the database to this number of additional pages; null removes the limit. */
  limitPages(more: number | null): void {
    this.connection.exec('VACUUM');
    const pages = this.connection.pragma('page_count', { simple: true }) as number;
    this.connection.pragma(`max_page_count = ${more === null ? 4_294_967_294 : pages + more}`);
  }

  /** Runs a fault in place of the next statement that starts with this text. */
  insteadOfNext(beginning: string, fault: (connection: BetterSqlite3.Database) => never): void {
    const { connection } = this;
    const prepare = connection.prepare.bind(connection);
    // A cached prepared statement would bypass the fault.
    this.driver.queryRunner?.stmtCache.clear();
    connection.prepare = ((sql: string) => {
      const statement = prepare(sql);
      if (sql.startsWith(beginning)) {
        connection.prepare = prepare;
        this.driver.queryRunner?.stmtCache.clear();
        const run = statement.run.bind(statement);
        let isNext = true;
        statement.run = (...parameters) => {
          if (isNext) {
            isNext = false;
            fault(connection);
          }
          return run(...parameters);
        };
      }
      return statement;
    }) as typeof prepare;
  }
}

/** Creates an error like those that the driver throws. */
export function sqliteError(code: string): Error {
  const { SqliteError } = loadSqliteDriver();
  return new SqliteError(`injected ${code}`, code);
}

/** A fault that rolls back the transaction and throws, as SQLite does when the disk is full or fails. */
export function rollBackAndFail(code: string): (connection: BetterSqlite3.Database) => never {
  return (connection) => {
    connection.exec('ROLLBACK');
    throw sqliteError(code);
  };
}

/** A fault that throws within the transaction, after which the rollback also fails. */
export function failForGood(code: string): (connection: BetterSqlite3.Database) => never {
  return (connection) => {
    connection.exec = () => {
      throw sqliteError(code);
    };
    throw sqliteError(code);
  };
}
