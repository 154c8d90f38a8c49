import { createConnection, RowDataPacket } from 'mysql2/promise';
import { loadSqliteDriver } from '../../src/database/sqlite-driver';
import { createSqlite, createTestDatabase, engine, TestDatabase } from './engine';

export type RawRow = Record<string, unknown>;

/** Runs a statement on a database of either engine, directly through its driver. Integers keep full precision. */
export async function raw(url: string, sql: string, values: unknown[] = []): Promise<RawRow[]> {
  if (url.startsWith('sqlite:')) {
    const Driver = loadSqliteDriver();
    const connection = new Driver(url.slice('sqlite:'.length), { timeout: 5_000 });
    try {
      const statement = connection.prepare(sql).safeIntegers(true);
      return statement.reader ? (statement.all(...values) as RawRow[]) : (statement.run(...values), []);
    } finally {
      connection.close();
    }
  }
  const connection = await createConnection({ uri: url, supportBigNumbers: true, bigNumberStrings: true });
  const [rows] = await connection.query<RowDataPacket[]>(sql, values);
  await connection.end();
  return rows;
}

/** Creates empty target databases: one on the other engine if it is available, and one on this engine. */
export async function copyTargets(): Promise<TestDatabase[]> {
  return engine === 'mysql' ? [createSqlite(), await createTestDatabase()] : [await createTestDatabase()];
}
