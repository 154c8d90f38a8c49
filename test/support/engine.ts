import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
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

function createSqlite(): TestDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'gosset-test-'));
  return {
    url: `sqlite:${join(folder, 'gosset.sqlite')}`,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function run(serverUrl: string, sql: string): Promise<void> {
  const connection = await createConnection(serverUrl);
  await connection.query(sql);
  await connection.end();
}

async function createMysql(): Promise<TestDatabase> {
  const url = new URL(process.env.TEST_DATABASE_URL ?? 'mysql://root@127.0.0.1:3306/gosset_test');
  const name = `${url.pathname.slice(1)}_${randomBytes(6).toString('hex')}`;
  url.pathname = '/';
  const serverUrl = url.href;
  await run(serverUrl, `CREATE DATABASE \`${name}\``);
  url.pathname = `/${name}`;
  return { url: url.href, remove: () => run(serverUrl, `DROP DATABASE IF EXISTS \`${name}\``) };
}

/** An empty database on the engine of this run. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return engine === 'mysql' ? createMysql() : createSqlite();
}
