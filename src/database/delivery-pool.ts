import type { PoolConnection } from 'mysql2';
import type { EntityManager } from 'typeorm';
import type { HostPools, PoolLoad } from './host-pools';
import { SESSION_DEFAULTS } from './mysql-server';

/** Executes SQL queries: an entity manager, or a separate pool. */
export type Reader = Pick<EntityManager, 'query'>;

/** A reader that is closed when the server stops. */
export interface StatementReader extends Reader {
  close(): Promise<void>;
  /** Null if the reader has no separate connections. */
  load(): PoolLoad | null;
}

const CONNECTIONS = 2;
const QUEUE = 200;
const CONNECT_TIMEOUT_MS = 1_000;
/** Statement timeout, after which the connection is also closed. */
const QUERY_TIMEOUT_MS = 3_000;
const TIMED_OUT = 'PROTOCOL_SEQUENCE_TIMEOUT';

/** A few connections to MySQL for short reads. */
export class DeliveryPool implements StatementReader {
  private readonly pools: HostPools;

  /** Connects on the first statement. @param main the pools for all other statements */
  constructor(main: HostPools) {
    const limits = { connectTimeout: CONNECT_TIMEOUT_MS, connectionLimit: CONNECTIONS, queueLimit: QUEUE };
    this.pools = main.beside(limits, { statements: SESSION_DEFAULTS, idleMs: Infinity });
  }

  /** @throws driver errors, for example if the database is unreachable or a timeout expires */
  async query<T>(sql: string, values: unknown[] = []): Promise<T> {
    const connection = await this.connection();
    try {
      const [rows] = await connection.promise().query({ sql, values, timeout: QUERY_TIMEOUT_MS });
      connection.release();
      return rows as T;
    } catch (error) {
      leave(connection, error);
      throw error;
    }
  }

  load(): PoolLoad {
    return { pool: 'delivery', ...this.pools.load() };
  }

  close(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.pools.end((error) => (error === undefined ? resolve() : reject(error)));
    });
  }

  private connection(): Promise<PoolConnection> {
    return new Promise((resolve, reject) => {
      this.pools.getConnection((error, connection) =>
        connection === undefined
          ? reject(error ?? new Error('There is no connection.'))
          : resolve(connection),
      );
    });
  }
}

/** After a timeout, the driver keeps waiting for the response, which would block the connection's next statement. */
function leave(connection: PoolConnection, error: unknown): void {
  if ((error as NodeJS.ErrnoException).code === TIMED_OUT) {
    connection.destroy();
  } else {
    connection.release();
  }
}
