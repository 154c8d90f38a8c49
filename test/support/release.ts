import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import BetterSqlite3 from 'better-sqlite3';
import { createConnection } from 'mysql2/promise';
import { createTestDatabase, engine, TestDatabase } from './engine';

/* A database filled by the previous release (test/fixtures/make-release.mjs). */

const FOLDER = join(__dirname, '../fixtures/release-0.1.0');

interface Recorded {
  token: string;
  project: number;
  clientKey: string;
  /** The responses of the previous release, by path. */
  answers: Record<string, unknown>;
}

export const recorded = JSON.parse(readFileSync(join(FOLDER, `${engine}.json`), 'utf8')) as Recorded;

/** @param more SQL that runs on the database before its migration */
export async function createRelease(more = ''): Promise<TestDatabase> {
  const store = await createTestDatabase();
  const release = brotliDecompressSync(readFileSync(join(FOLDER, `${engine}.sql.br`))).toString();
  const sql = `${release}\n${more}`;
  if (engine === 'sqlite') {
    const file = new BetterSqlite3(store.url.replace(/^sqlite:/, ''));
    file.exec(sql);
    file.close();
  } else {
    const connection = await createConnection({ uri: store.url, multipleStatements: true });
    await connection.query(`SET foreign_key_checks = 0; ${sql}`);
    await connection.end();
  }
  return store;
}
