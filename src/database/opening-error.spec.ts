import { OpeningError, openingError } from './opening-error';

const target = { engine: 'mysql', url: 'mysql://gosset@db.example.com/gosset' } as const;

/** Codes and messages of `mysql2`, as sent by these servers. */
it.each([
  ['ER_BAD_DB_ERROR', "Unknown database 'shop'", 'CREATE DATABASE `shop`'],
  ['ER_DBACCESS_DENIED_ERROR', "Access denied for user 'g'@'%' to database 'shop'", 'grant the user all'],
  ['ER_SECURE_TRANSPORT_REQUIRED', 'Connections using insecure transport are prohibited', 'Write mysqls://'],
  ['HANDSHAKE_NO_SSL_SUPPORT', 'Server does not support secure connection', 'Give it a certificate'],
  ['HANDSHAKE_SSL_ERROR', 'self-signed certificate', 'set NODE_EXTRA_CA_CERTS'],
])('%s says what to do', (code, message, advice) => {
  const error = openingError(target, Object.assign(new Error(message), { code }));
  expect(error).toBeInstanceOf(OpeningError);
  expect((error as Error).message).toContain(advice);
});

it('returns temporary errors unchanged', () => {
  const error = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  expect(openingError(target, error)).toBe(error);
});
