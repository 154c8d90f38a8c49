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
  if (hasCode(error, 'ER_BAD_DB_ERROR')) {
    return new OpeningError(missingDatabase(error));
  }
  return hasCode(error, 'ER_DBACCESS_DENIED_ERROR') ? new OpeningError(deniedDatabase(error)) : error;
}

/** To a user without rights, MySQL does not tell whether the database exists. */
const deniedDatabase = (error: unknown): string =>
  `${(error as Error).message}. Create the database if it does not exist, and grant the user all privileges on it, or correct DATABASE_URL.`;

/** The server's message has the name: Unknown database 'gosset'. */
function missingDatabase(error: unknown): string {
  const name = /'(.+)'/.exec(error instanceof Error ? error.message : '')?.[1] ?? 'gosset';
  return `The MySQL server has no database "${name}". Create it (CREATE DATABASE \`${name}\` CHARACTER SET utf8mb4), or correct DATABASE_URL.`;
}
