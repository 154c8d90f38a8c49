import { ConflictError, isTransient, isUnavailable } from './errors';

const failed = (code: string): object => ({ driverError: { code } });

describe('a database failure', () => {
  it.each(['ER_LOCK_DEADLOCK', 'ER_CHECKREAD'])(
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
    '%s is an outage: an operator can repair the user or the certificate meanwhile',
    (code) => expect(isUnavailable(failed(code))).toBe(true),
  );

  it('caused by an invalid statement is a defect', () => {
    expect(isUnavailable(failed('ER_PARSE_ERROR'))).toBe(false);
  });
});
