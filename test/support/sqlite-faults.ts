import type BetterSqlite3 from 'better-sqlite3';
import { loadSqliteDriver } from '../../src/database/sqlite-driver';
import type { TestApi } from './api';

interface Driver {
  databaseConnection: BetterSqlite3.Database;
  queryRunner?: { stmtCache: Map<string, unknown> };
}

/** The driver's write connection of an application. */
export class SqliteFaults {
  constructor(private readonly api: TestApi) {}

  private get driver(): Driver {
    return this.api.database.writer.driver as unknown as Driver;
  }

  get connection(): BetterSqlite3.Database {
    return this.driver.databaseConnection;
  }

  /** Limits the database to this many pages more than are in use; null removes the limit. */
  limitPages(more: number | null): void {
    this.connection.exec('VACUUM');
    const pages = this.connection.pragma('page_count', { simple: true }) as number;
    this.connection.pragma(`max_page_count = ${more === null ? 4_294_967_294 : pages + more}`);
  }

  /** Replaces the effect of the next statement that starts with this text. */
  insteadOfNext(beginning: string, fault: (connection: BetterSqlite3.Database) => never): void {
    const { connection } = this;
    const prepare = connection.prepare.bind(connection);
    // The query runner must not use a cached prepared statement.
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

/** An error like those of the driver. */
export function sqliteError(code: string): Error {
  const { SqliteError } = loadSqliteDriver();
  return new SqliteError(`injected ${code}`, code);
}

/** Rolls back automatically, like SQLite when the disk is full or fails. */
export function rollBackAndFail(code: string): (connection: BetterSqlite3.Database) => never {
  return (connection) => {
    connection.exec('ROLLBACK');
    throw sqliteError(code);
  };
}

/** Fails within the transaction, and cannot roll it back either. */
export function failForGood(code: string): (connection: BetterSqlite3.Database) => never {
  return (connection) => {
    connection.exec = () => {
      throw sqliteError(code);
    };
    throw sqliteError(code);
  };
}
