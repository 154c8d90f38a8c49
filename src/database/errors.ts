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
  'ETIMEDOUT',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
  'POOL_CLOSED',
  'ER_CON_COUNT_ERROR',
  'ER_SERVER_SHUTDOWN',
  'ER_QUERY_INTERRUPTED',
  'ER_NORMAL_SHUTDOWN',
  'ER_ACCESS_DENIED_ERROR',
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_LOCK_WAIT_TIMEOUT',
]);
const UNAVAILABLE_SQLITE = /^SQLITE_(BUSY|LOCKED|CANTOPEN|FULL|IOERR|READONLY)/;

/** The server has more waiting transactions than it will queue; try again later. */
export class QueueFullError extends Error {
  constructor() {
    super('Too many transactions are waiting for the database.');
  }
}

/** The driver's own code of a failed statement, or of the connection it needed. */
function codesOf(error: unknown): string[] {
  if (typeof error !== 'object' || error === null) {
    return [];
  }
  const codes = 'code' in error && typeof error.code === 'string' ? [error.code] : [];
  return 'driverError' in error ? [...codes, ...codesOf(error.driverError)] : codes;
}

export function isUniqueViolation(error: unknown): boolean {
  return codesOf(error).some((code) => UNIQUE.has(code));
}

export function isForeignKeyViolation(error: unknown): boolean {
  return codesOf(error).some((code) => FOREIGN_KEY.has(code));
}

/** Another transaction got in the way; the same transaction run again may succeed. */
export function isTransient(error: unknown): boolean {
  return codesOf(error).some((code) => TRANSIENT.has(code));
}

/** The database cannot be reached or refuses work at the moment. */
export function isUnavailable(error: unknown): boolean {
  if (
    error instanceof QueueFullError ||
    (error instanceof Error && error.message === 'Queue limit reached.')
  ) {
    return true;
  }
  return codesOf(error).some((code) => UNAVAILABLE.has(code) || UNAVAILABLE_SQLITE.test(code));
}
