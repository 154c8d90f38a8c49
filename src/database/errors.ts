import { fileProblem, systemCode } from '../common/files';
import type { DatabaseTarget } from '../config/config';

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
  // Too many processes have opened the write-ahead log at the same moment.
  'SQLITE_PROTOCOL',
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
  // For example, an expired certificate.
  'HANDSHAKE_SSL_ERROR',
  'ER_CON_COUNT_ERROR',
  'ER_SERVER_SHUTDOWN',
  'ER_QUERY_INTERRUPTED',
  'ER_NORMAL_SHUTDOWN',
  'ER_ACCESS_DENIED_ERROR',
  'ER_ACCESS_DENIED_NO_PASSWORD_ERROR',
  // The user has reached a limit, is locked or has lost privileges.
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
  'ER_ERROR_ON_WRITE',
  'ER_TEMP_FILE_WRITE_FAILURE',
  // The server's time limit for statements was exceeded.
  'ER_QUERY_TIMEOUT',
  'ER_LOCK_WAIT_TIMEOUT',
  // A node that has left its cluster, or a commit with an unknown outcome.
  'ER_UNKNOWN_COM_ERROR',
  'ER_ERROR_DURING_COMMIT',
  'ER_CONNECTION_KILLED',
  'ER_NEW_ABORTING_CONNECTION',
  'ER_NET_READ_ERROR',
  'ER_NET_WRITE_INTERRUPTED',
]);
/** MariaDB errors that the driver does not know, or that have the number of a different MySQL error. */
const MARIADB_CODES: Readonly<Record<number, string>> = {
  1969: 'ER_QUERY_TIMEOUT',
  4151: 'ER_ACCOUNT_HAS_BEEN_LOCKED',
};
const UNAVAILABLE_SQLITE = /^SQLITE_(BUSY|LOCKED)/;
/** Codes for a file that cannot be read or written for a reason other than a concurrent transaction. */
const FAILED_SQLITE = /^SQLITE_(ABORT_ROLLBACK|CANTOPEN|CORRUPT|FULL|IOERR|NOTADB|PERM|READONLY)/;

/** The transaction queue is full; retry later. */
class QueueFullError extends Error {
  constructor() {
    super('Too many transactions are waiting for the database.');
  }
}

/** Creates the error for queues with a limit. */
export const queueFull = (): Error => new QueueFullError();

/** Other work took too long; retry later. */
export class WaitTimeoutError extends Error {
  constructor(message = 'The statement or transaction has waited too long for a database connection.') {
    super(message);
  }
}

/** Another transaction has changed the rows that this transaction relies on. A retry may succeed. */
export class ConflictError extends Error {
  constructor() {
    super('Another transaction has changed data that this one had read.');
  }
}

/** The driver's codes for a failed statement or connection. */
function codesOf(error: unknown): string[] {
  if (typeof error !== 'object' || error === null) {
    return [];
  }
  const named = 'errno' in error ? MARIADB_CODES[Number(error.errno)] : undefined;
  const codes = [named, systemCode(error)].filter((code) => typeof code === 'string');
  return 'driverError' in error ? [...codes, ...codesOf(error.driverError)] : codes;
}

/** Whether an error from the driver or operating system has this code. */
export function hasCode(error: unknown, code: string): boolean {
  return codesOf(error).includes(code);
}

export function isUniqueViolation(error: unknown): boolean {
  return codesOf(error).some((code) => UNIQUE.has(code));
}

export function isForeignKeyViolation(error: unknown): boolean {
  return codesOf(error).some((code) => FOREIGN_KEY.has(code));
}

/** Whether the error is a conflict with another transaction. A retry may succeed. */
export function isTransient(error: unknown): boolean {
  return error instanceof ConflictError || codesOf(error).some((code) => TRANSIENT.has(code));
}

/**
 * Whether the database is unreachable, temporarily rejects work, or kept aborting the transaction until no retries were
 * left. If the connection broke during a commit, the outcome is unknown.
 */
export function isUnavailable(error: unknown): boolean {
  if (
    error instanceof QueueFullError ||
    error instanceof WaitTimeoutError ||
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
function sqliteFailure(error: unknown): string | null {
  return codesOf(error).find((code) => FAILED_SQLITE.test(code)) ?? null;
}

/** Problems with the file and their solutions, by prefix of SQLite's code. */
const PROBLEMS: readonly [code: RegExp, problem: string][] = [
  [/^SQLITE_FULL/, 'the disk is full. Free some disk space.'],
  [/^SQLITE_IOERR/, 'the disk cannot be read or written. Check the disk, its free space and its quota.'],
  [
    /^SQLITE_(READONLY|PERM)/,
    "it cannot be written to. Give the server's user write permission for the file and its folder.",
  ],
  [
    /^SQLITE_CANTOPEN/,
    "it cannot be opened. Give the server's user read and write permission for the file and its folder.",
  ],
  [
    /^SQLITE_NOTADB/,
    'it is not a SQLite database. Restore it from a backup, or set DATABASE_URL to another file.',
  ],
  [/^SQLITE_CORRUPT/, 'it is damaged. Stop the server and restore the file from a backup.'],
  [/^SQLITE_ABORT_ROLLBACK/, 'SQLite has rolled back a transaction. The log has the cause.'],
];

const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/;

/**
 * The problem with the database file and its solution, as the end of a sentence, with SQLite's code; null for other
 * errors.
 */
export function sqliteProblem(error: unknown): string | null {
  const code = sqliteFailure(error);
  const problem = PROBLEMS.find(([pattern]) => code !== null && pattern.test(code))?.[1];
  return problem === undefined ? null : `${problem} (${code})`;
}

/** Whether the file is corrupt, in which case retrying does not help. */
export function isDamaged(error: unknown): boolean {
  return DAMAGED.test(sqliteFailure(error) ?? '');
}

/** The database cannot be opened, and waiting does not help. The message says what to do. */
export class OpeningError extends Error {}

/** The error as a message that says what to do, or unchanged if waiting may help or the error is unknown. */
export function openingError(target: DatabaseTarget, error: unknown): unknown {
  if (target.engine === 'sqlite') {
    const problem = sqliteProblem(error) ?? fileProblem(error);
    return problem === null
      ? error
      : new OpeningError(`The database file ${target.file} cannot be used: ${problem}`);
  }
  const explain = Object.entries(REFUSALS).find(([code]) => hasCode(error, code))?.[1];
  return explain === undefined ? error : new OpeningError(explain(error as Error));
}

const REFUSALS: Readonly<Record<string, (error: Error) => string>> = {
  ER_BAD_DB_ERROR: missingDatabase,
  ER_DBACCESS_DENIED_ERROR: deniedDatabase,
  HANDSHAKE_SSL_ERROR: ({ message }) =>
    `The database connection cannot be encrypted: ${message}. The certificate must be valid for the host of DATABASE_URL. If your own certificate authority issued it, set NODE_EXTRA_CA_CERTS to the file of the CA certificate.`,
  HANDSHAKE_NO_SSL_SUPPORT: () =>
    'The MySQL server does not encrypt connections. Configure a certificate on it, or use mysql:// instead of mysqls:// in DATABASE_URL.',
  ER_SECURE_TRANSPORT_REQUIRED: () =>
    'The MySQL server accepts encrypted connections only. Use mysqls:// instead of mysql:// in DATABASE_URL.',
};

/** MySQL does not tell users without privileges whether the database exists. */
function deniedDatabase({ message }: Error): string {
  return `${message}. Create the database if it does not exist, and grant the user all privileges on it, or correct DATABASE_URL.`;
}

/** The server's message contains the name: Unknown database 'gosset'. */
function missingDatabase({ message }: Error): string {
  const name = /'(.+)'/.exec(message)?.[1] ?? 'gosset';
  return `The MySQL server has no database "${name}". Create it (CREATE DATABASE \`${name}\` CHARACTER SET utf8mb4), or correct DATABASE_URL.`;
}
