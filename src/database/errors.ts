import { systemCode } from '../common/files/file-problems';

const UNIQUE = new Set(['ER_DUP_ENTRY', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY']);
const FOREIGN_KEY = new Set([
  'ER_NO_REFERENCED_ROW_2',
  'ER_ROW_IS_REFERENCED_2',
  'SQLITE_CONSTRAINT_FOREIGNKEY',
]);
const TRANSIENT = new Set([
  'ER_LOCK_DEADLOCK',
  'ER_CHECKREAD',
  'SQLITE_BUSY',
  'SQLITE_BUSY_RECOVERY',
  'SQLITE_BUSY_SNAPSHOT',
]);
const UNAVAILABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ETIMEDOUT',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
  'POOL_CLOSED',
  // Such as a certificate that has expired.
  'HANDSHAKE_SSL_ERROR',
  'ER_CON_COUNT_ERROR',
  'ER_SERVER_SHUTDOWN',
  'ER_QUERY_INTERRUPTED',
  'ER_NORMAL_SHUTDOWN',
  'ER_ACCESS_DENIED_ERROR',
  'ER_ACCESS_DENIED_NO_PASSWORD_ERROR',
  // The user has reached a limit, is locked, or has lost rights.
  'ER_USER_LIMIT_REACHED',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'ER_ACCOUNT_HAS_BEEN_LOCKED',
  'ER_MUST_CHANGE_PASSWORD',
  'ER_MUST_CHANGE_PASSWORD_LOGIN',
  'ER_DBACCESS_DENIED_ERROR',
  'ER_TABLEACCESS_DENIED_ERROR',
  // The server is read-only, or its disk is full.
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
  'ER_OPEN_AS_READONLY',
  'ER_READ_ONLY_MODE',
  'ER_DISK_FULL',
  'ER_RECORD_FILE_FULL',
  // A limit of the server for the time of a statement.
  'ER_QUERY_TIMEOUT',
  'ER_LOCK_WAIT_TIMEOUT',
  // A node that has left its cluster, and a commit with unknown outcome.
  'ER_UNKNOWN_COM_ERROR',
  'ER_ERROR_DURING_COMMIT',
  'ER_CONNECTION_KILLED',
  'ER_NEW_ABORTING_CONNECTION',
  'ER_NET_READ_ERROR',
  'ER_NET_WRITE_INTERRUPTED',
]);
/** Errors of MariaDB that the driver does not know, or names like those of MySQL with the same number. */
const MARIADB_CODES: Readonly<Record<number, string>> = {
  1969: 'ER_QUERY_TIMEOUT',
  4151: 'ER_ACCOUNT_HAS_BEEN_LOCKED',
};
const UNAVAILABLE_SQLITE = /^SQLITE_(BUSY|LOCKED)/;
/** The file is not writable, and no other transaction is the cause. */
const FAILED_SQLITE = /^SQLITE_(ABORT_ROLLBACK|CANTOPEN|CORRUPT|FULL|IOERR|NOTADB|PERM|READONLY)/;

/** The transaction queue is full; retry later. */
export class QueueFullError extends Error {
  constructor() {
    super('Too many transactions are waiting for the database.');
  }
}

/** Another transaction has changed the rows that this one relies on. A retry may succeed. */
export class ConflictError extends Error {
  constructor() {
    super('Another transaction has changed what this one had read.');
  }
}

/** The driver's own code of a failed statement, or of the connection it needed. */
function codesOf(error: unknown): string[] {
  if (typeof error !== 'object' || error === null) {
    return [];
  }
  const named = 'errno' in error ? MARIADB_CODES[Number(error.errno)] : undefined;
  const codes = [named, systemCode(error)].filter((code) => typeof code === 'string');
  return 'driverError' in error ? [...codes, ...codesOf(error.driverError)] : codes;
}

/** Whether an error of the driver or operating system has this code. */
export function hasCode(error: unknown, code: string): boolean {
  return codesOf(error).includes(code);
}

export function isUniqueViolation(error: unknown): boolean {
  return codesOf(error).some((code) => UNIQUE.has(code));
}

export function isForeignKeyViolation(error: unknown): boolean {
  return codesOf(error).some((code) => FOREIGN_KEY.has(code));
}

/** A conflict with another transaction. A retry may succeed. */
export function isTransient(error: unknown): boolean {
  return error instanceof ConflictError || codesOf(error).some((code) => TRANSIENT.has(code));
}

/**
 * The database is unreachable, rejects work temporarily, or has aborted it too often. If the connection broke during a
 * commit, the outcome is unknown.
 */
export function isUnavailable(error: unknown): boolean {
  if (
    error instanceof QueueFullError ||
    isTransient(error) ||
    (error instanceof Error && error.message === 'Queue limit reached.')
  ) {
    return true;
  }
  return codesOf(error).some(
    (code) => UNAVAILABLE.has(code) || UNAVAILABLE_SQLITE.test(code) || FAILED_SQLITE.test(code),
  );
}

/** SQLite's code for a file that cannot be read or written; null for other errors. */
export function sqliteFailure(error: unknown): string | null {
  return codesOf(error).find((code) => FAILED_SQLITE.test(code)) ?? null;
}
