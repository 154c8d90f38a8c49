import { createConnection, format } from 'mysql2/promise';
import { loadConfig } from '../../src/config/config';
import { Database } from '../../src/database/database';
import { loadSqliteDriver } from '../../src/database/sqlite-driver';
import { entities } from '../../src/entities';
import { createTestDatabase, engine, TestDatabase } from './engine';

const TEMPLATE: unique symbol = Symbol.for('gosset.template');
/** All test files of a worker share the migrated database. */
const worker = globalThis as { [TEMPLATE]?: Promise<Buffer | string> };

/** Creates a database with the current schema and no records, as a copy of a migrated one. */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  worker[TEMPLATE] ??= makeTemplate().catch((error: unknown) => {
    // The next test file tries to create the template again.
    worker[TEMPLATE] = undefined;
    throw error;
  });
  return createTestDatabase(await worker[TEMPLATE]);
}

async function makeTemplate(): Promise<Buffer | string> {
  const store = await createTestDatabase();
  try {
    await migrate(store.url);
    return await contentsOf(store.url);
  } finally {
    await store.remove();
  }
}

/** Creates the current schema. */
export async function migrate(url: string): Promise<void> {
  const config = loadConfig({ DATABASE_URL: url, SESSION_SECRET: 's'.repeat(32) });
  const database = await Database.open(config.database, entities);
  await database.migrate();
  await database.onApplicationShutdown();
}

/** The contents of a database, in the format that `createTestDatabase` accepts. */
export async function contentsOf(url: string): Promise<Buffer | string> {
  if (engine === 'mysql') {
    return statementsOf(url);
  }
  const Driver = loadSqliteDriver();
  const connection = new Driver(url.slice('sqlite:'.length), { readonly: true });
  try {
    return connection.serialize();
  } finally {
    connection.close();
  }
}

async function statementsOf(url: string): Promise<string> {
  const connection = await createConnection(url);
  const select = async (sql: string): Promise<string[][]> => {
    const [rows] = await connection.query({ sql, rowsAsArray: true });
    return rows as unknown as string[][];
  };
  const statements: string[] = [];
  for (const [table] of await select('SHOW TABLES')) {
    const [[, definition]] = await select(`SHOW CREATE TABLE \`${table}\``);
    const rows = await select(`SELECT * FROM \`${table}\``);
    statements.push(
      definition,
      ...(rows.length > 0 ? [format(`INSERT INTO \`${table}\` VALUES ?`, [rows])] : []),
    );
  }
  await connection.end();
  // Tables are sorted by name, not by the foreign keys between them, so the keys cannot be checked.
  return ['SET FOREIGN_KEY_CHECKS = 0', ...statements].join(';\n');
}
