import { AsyncLocalStorage } from 'node:async_hooks';
import type BetterSqlite3 from 'better-sqlite3';
import { systemCode } from '../common/files';

/** The database that executes a statement. */
export interface StatementSource {
  system: 'sqlite' | 'mysql' | 'mariadb';
  /** Null on SQLite, which has no server. */
  server: { host: string; port: number; database: string } | null;
}

/** Called when a statement has ended, with the driver's error code, or null if it succeeded. */
export type StatementEnd = (errorCode: string | null) => void;

/**
 * Observes statements, for example for tracing. The observer receives the text of statements but never their
 * parameters.
 */
export interface StatementObserver {
  /** Called right before a statement is sent. Returns null if the observer does not need to know when it ends. */
  begin(sql: string, source: StatementSource): StatementEnd | null;
}

const observers = new AsyncLocalStorage<StatementObserver | undefined>();

/** The observer of the caller's statements; undefined if there is none. Without tracing, there never is one. */
export const currentObserver = (): StatementObserver | undefined => observers.getStore();

/** Runs the work. The observer is notified of all statements that the work executes. */
export const observing = <T>(observer: StatementObserver | undefined, work: () => T): T =>
  observer === currentObserver() ? work() : observers.run(observer, work);

/** The code of a driver error, for traces. */
export const errorCodeOf = (error: unknown): string => systemCode(error) ?? '_OTHER';

const SQLITE: StatementSource = { system: 'sqlite', server: null };

/** Reports every statement that is prepared from now on to the observer of the code that executes it. */
export function observeSqlite(connection: BetterSqlite3.Database): void {
  const prepare = connection.prepare.bind(connection);
  connection.prepare = ((sql: string) => {
    const statement = prepare(sql);
    const [all, run] = [statement.all.bind(statement), statement.run.bind(statement)];
    statement.all = (...parameters) => observed(sql, () => all(...parameters));
    statement.run = (...parameters) => observed(sql, () => run(...parameters));
    return statement;
  }) as typeof prepare;
}

function observed<T>(sql: string, execute: () => T): T {
  const end = currentObserver()?.begin(sql, SQLITE);
  if (end === undefined || end === null) {
    return execute();
  }
  try {
    const result = execute();
    end(null);
    return result;
  } catch (error) {
    end(errorCodeOf(error));
    throw error;
  }
}
