import { ConflictError, isTransient, isUnavailable } from './errors';

const failed = (code: string): object => ({ driverError: { code } });

describe('a failure of the database', () => {
  it.each(['ER_LOCK_DEADLOCK', 'ER_CHECKREAD'])('%s is tried again, and is no defect if it stays', (code) => {
    expect([isTransient(failed(code)), isUnavailable(failed(code))]).toEqual([true, true]);
  });

  it.each([
    'ER_LOCK_WAIT_TIMEOUT',
    'ER_UNKNOWN_COM_ERROR',
    'ER_ERROR_DURING_COMMIT',
    'ER_QUERY_INTERRUPTED',
    'PROTOCOL_CONNECTION_LOST',
    'ECONNRESET',
    'ERR_STREAM_DESTROYED',
  ])('%s may have stored something, so it is not tried again', (code) => {
    expect([isTransient(failed(code)), isUnavailable(failed(code))]).toEqual([false, true]);
  });

  it('for what was changed meanwhile is tried again', () => {
    expect(isTransient(new ConflictError())).toBe(true);
  });

  it('that is a mistake in a statement is a defect', () => {
    expect(isUnavailable(failed('ER_PARSE_ERROR'))).toBe(false);
  });
});
