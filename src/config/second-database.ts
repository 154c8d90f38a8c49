import { existsSync } from 'node:fs';
import { Config, ConfigError } from './config';

/**
 * Without `DATABASE_URL`, a command on the host of a Compose installation would silently create a SQLite database next
 * to its MySQL database. @throws ConfigError if `.env` has Compose's password and the SQLite file would be new
 */
export function refuseSecondDatabase({ database }: Config, environment: NodeJS.ProcessEnv): void {
  const { DATABASE_URL: chosen = '', MYSQL_PASSWORD: ofCompose = '' } = environment;
  if (chosen !== '' || ofCompose === '' || database.engine !== 'sqlite' || existsSync(database.file)) {
    return;
  }
  throw new ConfigError([
    `MYSQL_PASSWORD is set, so this seems to be the database of Docker Compose, but DATABASE_URL is not set, and ${database.file} would be a second, empty database. ` +
      'Run the command in the container: docker compose exec server node dist/src/admin.js, followed by the command. ' +
      `To use SQLite here, set DATABASE_URL=sqlite:${database.file}.`,
  ]);
}
