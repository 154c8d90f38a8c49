import type { DatabaseTarget } from '../config/config';
import { fileProblem } from '../common/files/file-problems';
import { hasCode } from './errors';
import { sqliteProblem } from './sqlite-problems';

/** The database cannot be opened, and waiting does not help. The message says what to do. */
export class OpeningError extends Error {}

/** The error as one sentence that says what to do, or unchanged if waiting may help or the error is unknown. */
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
    `The connection to the database cannot be encrypted: ${message}. The certificate must be valid for the host of DATABASE_URL. For one of your own authority, set NODE_EXTRA_CA_CERTS to the file of its certificate.`,
  HANDSHAKE_NO_SSL_SUPPORT: () =>
    'The MySQL server does not encrypt connections. Give it a certificate, or write mysql:// instead of mysqls:// in DATABASE_URL.',
  ER_SECURE_TRANSPORT_REQUIRED: () =>
    'The MySQL server accepts encrypted connections only. Write mysqls:// instead of mysql:// in DATABASE_URL.',
};

/** To a user without rights, MySQL does not tell whether the database exists. */
function deniedDatabase({ message }: Error): string {
  return `${message}. Create the database if it does not exist, and grant the user all privileges on it, or correct DATABASE_URL.`;
}

/** The server's message has the name: Unknown database 'gosset'. */
function missingDatabase({ message }: Error): string {
  const name = /'(.+)'/.exec(message)?.[1] ?? 'gosset';
  return `The MySQL server has no database "${name}". Create it (CREATE DATABASE \`${name}\` CHARACTER SET utf8mb4), or correct DATABASE_URL.`;
}
