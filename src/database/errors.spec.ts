import { ConflictError, isTransient, isUnavailable, OpeningError, openingError } from './errors';

const failed = (code: string): object => ({ driverError: { code } });

describe('a database failure', () => {
  it.each(['ER_LOCK_DEADLOCK', 'ER_CHECKREAD', 'SQLITE_PROTOCOL'])(
    '%s is retried, and is not a defect if it persists',
    (code) => {
      expect([isTransient(failed(code)), isUnavailable(failed(code))]).toEqual([true, true]);
    },
  );

  it.each([
    'ER_LOCK_WAIT_TIMEOUT',
    'ER_UNKNOWN_COM_ERROR',
    'ER_ERROR_DURING_COMMIT',
    'ER_QUERY_INTERRUPTED',
    'PROTOCOL_CONNECTION_LOST',
    'ECONNRESET',
    'ERR_STREAM_DESTROYED',
  ])('%s may have stored something, so it is not retried', (code) => {
    expect([isTransient(failed(code)), isUnavailable(failed(code))]).toEqual([false, true]);
  });

  it('caused by a concurrent change is retried', () => {
    expect(isTransient(new ConflictError())).toBe(true);
  });

  it.each(['ER_ACCESS_DENIED_ERROR', 'ER_ACCESS_DENIED_NO_PASSWORD_ERROR', 'HANDSHAKE_SSL_ERROR'])(
    '%s is an outage: an operator can fix the user or the certificate while the server runs',
    (code) => expect(isUnavailable(failed(code))).toBe(true),
  );

  it.each([
    [{ code: 'ER_USER_LIMIT_REACHED', errno: 1226 }, "exceeded the 'max_user_connections' resource"],
    [{ code: 'ER_BULK_PARSER_INCOMPLETE_ESCAPE_SEQUENCE', errno: 4151 }, 'account is locked, on MariaDB'],
    [{ code: 'ER_ACCOUNT_HAS_BEEN_LOCKED', errno: 3118 }, 'account is locked, on MySQL'],
    [{ code: 'ER_MUST_CHANGE_PASSWORD', errno: 1820 }, 'password has expired'],
    [{ code: 'ER_DBACCESS_DENIED_ERROR', errno: 1044 }, 'no privileges for the database'],
    [{ code: 'ER_TABLEACCESS_DENIED_ERROR', errno: 1142 }, 'privilege to read only'],
    [{ code: 'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION', errno: 1792 }, 'transactions are read-only'],
    [{ code: 'ER_OPEN_AS_READONLY', errno: 1036 }, 'InnoDB is read-only'],
    [{ code: 'ER_DISK_FULL', errno: 1021 }, 'disk full, for a temporary file'],
    [{ code: 'ER_RECORD_FILE_FULL', errno: 1114 }, 'disk full, for a table'],
    [{ code: 'ER_ERROR_ON_WRITE', errno: 1026 }, 'disk full, for a sorted result'],
    [{ code: 'ER_TEMP_FILE_WRITE_FAILURE', errno: 1878 }, 'disk full, for a schema change or sort'],
    [{ errno: 1969 }, 'max_statement_time exceeded, on MariaDB'],
  ])('%j is an outage: %s', (error, _) => {
    expect([isTransient({ driverError: error }), isUnavailable({ driverError: error })]).toEqual([
      false,
      true,
    ]);
  });

  it('caused by an invalid statement is a defect', () => {
    expect(isUnavailable(failed('ER_PARSE_ERROR'))).toBe(false);
  });
});

const target = { engine: 'mysql', url: 'mysql://gosset@db.example.com/gosset' } as const;

/** Error codes and messages as `mysql2` reports them. */
it.each([
  ['ER_BAD_DB_ERROR', "Unknown database 'shop'", 'CREATE DATABASE `shop`'],
  ['ER_DBACCESS_DENIED_ERROR', "Access denied for user 'g'@'%' to database 'shop'", 'grant the user all'],
  ['ER_SECURE_TRANSPORT_REQUIRED', 'Connections using insecure transport are prohibited', 'Use mysqls://'],
  ['HANDSHAKE_NO_SSL_SUPPORT', 'Server does not support secure connection', 'Configure a certificate on it'],
  ['HANDSHAKE_SSL_ERROR', 'self-signed certificate', 'set NODE_EXTRA_CA_CERTS'],
])('the opening error for %s says what to do', (code, message, advice) => {
  const error = openingError(target, Object.assign(new Error(message), { code }));
  expect(error).toBeInstanceOf(OpeningError);
  expect((error as Error).message).toContain(advice);
});

it('openingError returns temporary errors unchanged', () => {
  const error = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  expect(openingError(target, error)).toBe(error);
});
