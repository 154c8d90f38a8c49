import type BetterSqlite3 from 'better-sqlite3';
import { hasCode, OpeningError } from './errors';

/** The driver is an optional dependency: npm continues without it if it cannot be compiled. */
const NO_DRIVER =
  'The SQLite driver is not installed: there is no prebuilt driver for this system, and npm could not compile one. Install Python 3, make and a C++ compiler, and run npm ci again.';

const [major] = process.versions.node.split('.').map(Number);

/**
 * Loads the SQLite driver. better-sqlite3 12 aborts on Node 24, and version 13 crashes on Node 20, so each Node version
 * gets a driver that works. Use a single driver once Node 20 is no longer supported.
 * @throws OpeningError if the driver is not installed
 */
export function loadSqliteDriver(): typeof BetterSqlite3 {
  const name = (major ?? 0) >= 22 ? 'better-sqlite3-napi' : 'better-sqlite3';
  try {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- the module's name is known at run time only
    return require(name) as typeof BetterSqlite3;
  } catch (error) {
    throw hasCode(error, 'MODULE_NOT_FOUND') ? new OpeningError(NO_DRIVER) : error;
  }
}

/** Selects the names of all tables except SQLite's internal tables. */
export const TABLE_NAMES =
  "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";

/**
 * Reserves a database file for this connection until it is closed. A process that has used a file with a write-ahead
 * log holds a lock on the file until it closes the file. @throws SQLITE_BUSY if another connection has the file open
 */
export function lockFile(connection: BetterSqlite3.Database): void {
  connection.pragma('locking_mode = EXCLUSIVE');
  connection.exec('BEGIN EXCLUSIVE; COMMIT');
}

/** TypeORM's statement that begins a transaction. */
export const BEGIN = 'BEGIN TRANSACTION';

/**
 * Makes each transaction take the write lock at its start. TypeORM would start deferred transactions, which fail with
 * SQLITE_BUSY if another process has written since their first read.
 */
export function beginImmediately(connection: BetterSqlite3.Database): void {
  const prepare = connection.prepare.bind(connection);
  connection.prepare = (sql: string) => prepare(sql === BEGIN ? 'BEGIN IMMEDIATE' : sql);
}
