import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Config, ConfigError } from './config';

/** Two processes that start together must end up with the same secret, so the first writer wins. */
function readOrCreate(file: string): string {
  mkdirSync(dirname(file), { recursive: true });
  try {
    writeFileSync(file, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw error;
    }
  }
  return readFileSync(file, 'utf8').trim();
}

/**
 * The configuration with its session secret: the given one, or on SQLite one that is generated once and kept
 * beside the database file.
 * @throws ConfigError on MySQL, where several processes must share the secret and none was given
 */
export function resolveSessionSecret(config: Config): Config {
  if (config.sessionSecret !== null) {
    return config;
  }
  if (config.database.engine === 'mysql') {
    throw new ConfigError([
      'SESSION_SECRET is required with MySQL: at least 32 random characters, the same for every process.',
    ]);
  }
  const sessionSecret = readOrCreate(join(dirname(config.database.file), 'session-secret'));
  return new Config({ ...config, sessionSecret });
}
