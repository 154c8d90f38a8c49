import type BetterSqlite3 from 'better-sqlite3';
import type { PoolOptions } from 'mysql2';
import { AbstractLogger, DataSource } from 'typeorm';
import type { DataSourceOptions, EntityTarget, ObjectLiteral } from 'typeorm';
import type { DatabaseTarget } from '../config/config';
import { encryptionOf, hostUrls } from '../config/database-url';
import { applyEngineTypes } from './columns';
import { addExactFunctions } from './dialect';
import { DeliveryPool, StatementReader } from './delivery-pool';
import { HostPools } from './host-pools';
import { migrations } from './migrations';
import { askServer, sessionSettings } from './mysql-server';
import { retryTransient } from './retry';
import { MysqlSnapshots, type SnapshotConnections, SqliteSnapshots } from './snapshots';
import { beginImmediately, loadSqliteDriver } from './sqlite-driver';
import { observeSqlite } from './statement-observer';

/**
 * SQLite blocks the main thread while it waits for a lock. Transactions therefore do not wait; `Database` retries them.
 * Reads are not retried, but locks block them only briefly.
 */
const WRITER_BUSY_TIMEOUT_MS = 0;
const READER_BUSY_TIMEOUT_MS = 50;
const CONNECT_TIMEOUT_MS = 5_000;
/** Maximum number of concurrent transactions on MySQL, except those of collection. */
export const MAX_TRANSACTIONS = 10;
/** Includes connections for reads, which transactions cannot occupy. */
const MAIN_CONNECTIONS = MAX_TRANSACTIONS + 3;
const POOL_QUEUE = 1_000;
/** Two commits at a time, and reads. */
const COLLECTION_CONNECTIONS = 3;

/**
 * TypeORM would print failed migrations to standard output, which is reserved for results. The code that catches the
 * error reports it instead.
 */
class SilentLogger extends AbstractLogger {
  protected writeLog(): void {
    return;
  }
}

type Entities = (EntityTarget<ObjectLiteral> & (new () => ObjectLiteral))[];

type SqliteTarget = Extract<DatabaseTarget, { engine: 'sqlite' }>;

function sqliteOptions({ file, isObserved }: SqliteTarget, entities: Entities): DataSourceOptions {
  return {
    type: 'better-sqlite3',
    database: file,
    driver: loadSqliteDriver(),
    timeout: WRITER_BUSY_TIMEOUT_MS,
    enableWAL: true,
    prepareDatabase: (connection: BetterSqlite3.Database) => {
      connection.pragma('synchronous = FULL');
      // Deleted personal data must not remain in free pages of the file.
      connection.pragma('secure_delete = ON');
      beginImmediately(connection);
      if (isObserved) {
        observeSqlite(connection);
      }
      addExactFunctions(connection);
    },
    entities,
    migrations,
    logger: new SilentLogger(),
  };
}

/** A second, read-only connection. Readers see only committed data, and writes outside a transaction fail. */
function sqliteReaderOptions({ file, isObserved }: SqliteTarget, entities: Entities): DataSourceOptions {
  return {
    type: 'better-sqlite3',
    database: file,
    driver: loadSqliteDriver(),
    timeout: READER_BUSY_TIMEOUT_MS,
    readonly: true,
    prepareDatabase: (connection: BetterSqlite3.Database) => {
      if (isObserved) {
        observeSqlite(connection);
      }
      addExactFunctions(connection);
    },
    entities,
  };
}

type MysqlTarget = Extract<DatabaseTarget, { engine: 'mysql' }>;

async function mysqlOptions({ url }: MysqlTarget, entities: Entities): Promise<DataSourceOptions> {
  const urls = hostUrls(url) ?? [];
  const encryption = encryptionOf(url);
  const server = await askServer(urls, { ...encryption, connectTimeout: CONNECT_TIMEOUT_MS });
  const settings = sessionSettings(server);
  return {
    type: server.flavour,
    url: urls[0],
    ...encryption,
    driver: { createPool: (options: PoolOptions) => new HostPools(urls, options, settings) },
    charset: 'utf8mb4',
    timezone: 'Z',
    connectTimeout: CONNECT_TIMEOUT_MS,
    poolSize: MAIN_CONNECTIONS,
    // Collecting statement stack traces takes 3 percent of the time that a read takes, and TypeORM's errors have stack
    // traces anyway.
    extra: { queueLimit: POOL_QUEUE, trace: false },
    entities,
    migrations,
    logger: new SilentLogger(),
  };
}

/** The data source for writes and migrations; not yet initialised. On MySQL, the server type is read first. */
export async function createWriter(target: DatabaseTarget, entities: Entities): Promise<DataSource> {
  const options =
    target.engine === 'sqlite' ? sqliteOptions(target, entities) : await mysqlOptions(target, entities);
  applyEngineTypes(options.type);
  return new DataSource(options);
}

/** The data source for reads outside transactions. On MySQL, it is the writer; on SQLite, the file must exist. */
export function createReader(target: DatabaseTarget, writer: DataSource, entities: Entities): DataSource {
  return target.engine === 'sqlite' ? new DataSource(sqliteReaderOptions(target, entities)) : writer;
}

/**
 * The data source for collection. On MySQL, it has separate connections, which management requests cannot exhaust. On
 * SQLite, it is the reader.
 */
export function createCollector(target: DatabaseTarget, reader: DataSource): DataSource {
  if (target.engine === 'sqlite') {
    return reader;
  }
  const createPool = (): HostPools => poolsOf(reader).beside({ connectionLimit: COLLECTION_CONNECTIONS });
  return new DataSource({ ...reader.options, driver: { createPool } });
}

/** Snapshot reads, on separate connections. */
export function createSnapshots(
  target: DatabaseTarget,
  reader: DataSource,
  entities: Entities,
): SnapshotConnections {
  return target.engine === 'sqlite'
    ? new SqliteSnapshots(new DataSource(sqliteReaderOptions(target, entities)))
    : new MysqlSnapshots(reader);
}

/**
 * The reader for delivery and health checks. On MySQL, it is a small separate pool that management requests cannot
 * exhaust.
 */
export function createDeliveryReader(target: DatabaseTarget, reader: DataSource): StatementReader {
  return target.engine === 'sqlite'
    ? {
        query: (sql, parameters) => reader.manager.query(sql, parameters),
        close: () => Promise.resolve(),
        load: () => null,
      }
    : new DeliveryPool(poolsOf(reader));
}

/** Connects the data source if it is not connected yet. */
export async function initialized(source: DataSource): Promise<DataSource> {
  return source.isInitialized ? source : retryTransient(() => source.initialize());
}

/** The connection pools of a data source on MySQL. */
export const poolsOf = (source: DataSource): HostPools =>
  (source.driver as unknown as { pool: HostPools }).pool;

export type { Entities };
