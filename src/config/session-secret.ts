import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makePrivate, makePrivateFolder, fileProblem } from '../common/files';
import { newSecret } from '../common/text/secrets';
import { Config, ConfigError } from './config';

const MIN_LENGTH = 32;

/**
 * Creates the secret file. Two processes that start at the same time must use the same secret, so the first writer
 * wins. The file is created together with its content, so a full disk leaves no file at all rather than an empty one.
 */
function create(file: string): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  makePrivateFolder(dirname(file));
  try {
    writeFileSync(draft, newSecret(), { flag: 'wx', mode: 0o600 });
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw error;
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

function read(file: string): string {
  const secret = readFileSync(file, 'utf8').trim();
  if (secret.length < MIN_LENGTH) {
    throw new ConfigError([`${file} is damaged. Delete it; the server creates a new one at startup.`]);
  }
  return secret;
}

const fileBeside = (database: string): string => join(dirname(database), 'session-secret');

function secretBeside(database: string): string {
  const file = fileBeside(database);
  try {
    if (!existsSync(file)) {
      create(file);
    }
    makePrivate(file);
    return read(file);
  } catch (error) {
    const problem = fileProblem(error);
    throw problem === null ? error : new ConfigError([`${file} cannot be created: ${problem}`]);
  }
}

/**
 * Checks the configured or stored secret without creating one, because files next to a database must not be changed
 * before the database is known to be Gosset's.
 * @throws ConfigError if the stored secret is damaged, or if none is configured on MySQL, where several processes must
 * share it
 */
export function checkSessionSecret({ sessionSecret, database }: Config): void {
  if (sessionSecret !== null) {
    return;
  }
  if (database.engine === 'mysql') {
    throw new ConfigError([
      'SESSION_SECRET is required on MySQL: at least 32 random characters, the same for every process.',
    ]);
  }
  const file = fileBeside(database.file);
  if (existsSync(file)) {
    read(file);
  }
}

/**
 * The configuration with its session secret: the configured one or, on SQLite, one that is generated once and stored
 * next to the database file.
 * @throws ConfigError like `checkSessionSecret`, or if the secret cannot be stored
 */
export function resolveSessionSecret(config: Config): Config {
  checkSessionSecret(config);
  return config.sessionSecret !== null || config.database.engine === 'mysql'
    ? config
    : new Config({ ...config, sessionSecret: secretBeside(config.database.file) });
}

/**
 * The configuration with the secret that is configured or stored, if there is one. Like `resolveSessionSecret`, but
 * never creates a secret.
 */
export const storedSessionSecret = (config: Config): Config =>
  isUnknown(config) ? config : resolveSessionSecret(config);

/**
 * The configuration with the secret that the server has used. Like `resolveSessionSecret`, but never creates a secret.
 * @throws ConfigError if no secret is configured or stored, because the server then uses a different secret, from its
 * own environment
 */
export function knownSessionSecret(config: Config): Config {
  const { database } = config;
  if (database.engine === 'sqlite' && isUnknown(config)) {
    throw new ConfigError([
      `SESSION_SECRET is required, because ${fileBeside(database.file)} does not exist. Set it to the server's secret.`,
    ]);
  }
  return resolveSessionSecret(config);
}

const isUnknown = ({ sessionSecret, database }: Config): boolean =>
  sessionSecret === null && (database.engine === 'mysql' || !existsSync(fileBeside(database.file)));
