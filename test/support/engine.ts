import { randomBytes } from 'node:crypto';
import { mkdtempSync, statfsSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';

/** The database engine of this test run. The same test files run on both engines. */
export const engine: 'sqlite' | 'mysql' = process.env.GOSSET_TEST_ENGINE === 'mysql' ? 'mysql' : 'sqlite';

/** A separate database for a spec file. */
export interface TestDatabase {
  /** The value of `DATABASE_URL`. */
  url: string;
  remove(): Promise<void>;
}

const MEMORY = '/dev/shm';
const ROOM_BYTES = 2 ** 30;

/**
 * A folder in memory if there is enough space, because commits there do not wait for a disk. Containers often have
 * little shared memory.
 */
export function fastestFolder(room = ROOM_BYTES): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > room ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/**
 * Creates a SQLite database, whichever engine this run uses.
 * @param contents the contents of the file; without them, no file is created
 */
export function createSqlite(contents?: Buffer): TestDatabase {
  const folder = mkdtempSync(join(fastestFolder(), 'gosset-test-'));
  const file = join(folder, 'gosset.sqlite');
  if (contents !== undefined) {
    writeFileSync(file, contents);
  }
  return {
    url: `sqlite:${file}`,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function run(serverUrl: string, sql: string): Promise<void> {
  const connection = await createConnection({ uri: serverUrl, multipleStatements: true });
  await connection.query(sql);
  await connection.end();
}

/** The cache folder of servers with a MySQL database. With SQLite, the folder is next to the database file. */
export function cacheFolderOf(databaseUrl = ''): string {
  const name = /^mysql:.*\/(\w+)$/.exec(databaseUrl)?.[1];
  return name === undefined ? '' : join(tmpdir(), `gosset-cache-${name}`);
}

async function createMysql(statements?: string): Promise<TestDatabase> {
  const url = new URL(process.env.TEST_DATABASE_URL ?? 'mysql://root@127.0.0.1:3306/gosset_test');
  const name = `${url.pathname.slice(1)}_${randomBytes(6).toString('hex')}`;
  url.pathname = '/';
  const serverUrl = url.href;
  const fill = statements === undefined ? '' : `; USE \`${name}\`; ${statements}`;
  await run(serverUrl, `CREATE DATABASE \`${name}\`${fill}`);
  url.pathname = `/${name}`;
  const remove = async (): Promise<void> => {
    await run(serverUrl, `DROP DATABASE IF EXISTS \`${name}\``);
    await rm(cacheFolderOf(url.href), { recursive: true, force: true });
  };
  return { url: url.href, remove };
}

/**
 * Creates a database on the engine of this run.
 * @param contents a SQLite file, or SQL statements for MySQL; without it, the database is empty
 */
export async function createTestDatabase(contents?: Buffer | string): Promise<TestDatabase> {
  return engine === 'mysql'
    ? createMysql(contents as string | undefined)
    : createSqlite(contents as Buffer | undefined);
}
