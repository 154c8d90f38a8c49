import type BetterSqlite3 from 'better-sqlite3';
import { createConnection } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import type { DataSourceOptions, EntityTarget, ObjectLiteral } from 'typeorm';
import type { DatabaseTarget } from '../config/config';
import { applyEngineTypes } from './columns';
import { addExactFunctions } from './exact-sums';
import { migrations } from './migrations';
import { beginImmediately, loadSqliteDriver } from './sqlite-driver';

/** SQLite waits in the thread that serves everybody, so it waits briefly and `Database` tries again. */
const BUSY_TIMEOUT_MS = 50;
const CONNECT_TIMEOUT_MS = 5_000;
const POOL_CONNECTIONS = 10;
const POOL_QUEUE = 1_000;

type Entities = (EntityTarget<ObjectLiteral> & (new () => ObjectLiteral))[];

/** MariaDB and MySQL speak one protocol but differ in what their schema reports, so TypeORM must know which it is. */
async function mysqlFlavour(url: string): Promise<'mysql' | 'mariadb'> {
  const connection = await createConnection({ uri: url, connectTimeout: CONNECT_TIMEOUT_MS });
  try {
    const [rows] = await connection.query('SELECT VERSION() AS version');
    return JSON.stringify(rows).toLowerCase().includes('mariadb') ? 'mariadb' : 'mysql';
  } finally {
    await connection.end();
  }
}

function sqliteOptions(file: string, entities: Entities): DataSourceOptions {
  return {
    type: 'better-sqlite3',
    database: file,
    driver: loadSqliteDriver(),
    timeout: BUSY_TIMEOUT_MS,
    enableWAL: true,
    prepareDatabase: (connection: BetterSqlite3.Database) => {
      connection.pragma('synchronous = FULL');
      beginImmediately(connection);
      addExactFunctions(connection);
    },
    entities,
    migrations,
  };
}

/** A second, read-only connection: readers never see what is not committed, and a write outside of a transaction fails. */
function sqliteReaderOptions(file: string, entities: Entities): DataSourceOptions {
  return {
    type: 'better-sqlite3',
    database: file,
    driver: loadSqliteDriver(),
    timeout: BUSY_TIMEOUT_MS,
    readonly: true,
    prepareDatabase: addExactFunctions,
    entities,
  };
}

function mysqlOptions(url: string, type: 'mysql' | 'mariadb', entities: Entities): DataSourceOptions {
  return {
    type,
    url,
    charset: 'utf8mb4',
    timezone: 'Z',
    connectTimeout: CONNECT_TIMEOUT_MS,
    poolSize: POOL_CONNECTIONS,
    extra: { queueLimit: POOL_QUEUE },
    entities,
    migrations,
  };
}

/** The data source that writes and migrates; not yet initialised. On MySQL the server is asked for its flavour first. */
export async function createWriter(target: DatabaseTarget, entities: Entities): Promise<DataSource> {
  const options =
    target.engine === 'sqlite'
      ? sqliteOptions(target.file, entities)
      : mysqlOptions(target.url, await mysqlFlavour(target.url), entities);
  applyEngineTypes(options.type);
  return new DataSource(options);
}

/** The data source that reads outside of transactions; on MySQL the writer itself. Needs the file to exist. */
export function createReader(target: DatabaseTarget, writer: DataSource, entities: Entities): DataSource {
  return target.engine === 'sqlite' ? new DataSource(sqliteReaderOptions(target.file, entities)) : writer;
}

export type { Entities };
