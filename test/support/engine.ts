import { randomBytes } from 'node:crypto';
import { mkdtempSync, statfsSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';

/** The engine that this run of the suite is for; the same files run on both. */
export const engine: 'sqlite' | 'mysql' = process.env.GOSSET_TEST_ENGINE === 'mysql' ? 'mysql' : 'sqlite';

/** A database of its own for a spec file. */
export interface TestDatabase {
  /** For `DATABASE_URL`. */
  url: string;
  remove(): Promise<void>;
}

const MEMORY = '/dev/shm';
const ROOM_BYTES = 2 ** 30;

/** Databases wait for the disk at each commit, which in memory takes no time. Containers often have little of it. */
export function fastestFolder(room = ROOM_BYTES): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > room ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** A database on SQLite, whatever the engine of this run is. @param contents a file; without it there is none yet */
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

/** Where servers on a MySQL database keep their files; on SQLite they keep them beside the database. */
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
 * A database on the engine of this run.
 * @param contents a SQLite file, or SQL statements for MySQL; without them it is empty
 */
export async function createTestDatabase(contents?: Buffer | string): Promise<TestDatabase> {
  return engine === 'mysql'
    ? createMysql(contents as string | undefined)
    : createSqlite(contents as Buffer | undefined);
}
