import { createPool, Pool, PoolConnection, PoolOptions, RowDataPacket } from 'mysql2';
import type { Connection as PromiseConnection } from 'mysql2/promise';
import { hostOf } from '../common/http/addresses';
import { WaitTimeoutError } from './errors';
import { IdleConnections, PoolQueue, SilentConnections, type Taken } from './pool-connections';
import { breakOff, HostProbes, socketOf } from './host-probes';
import { currentObserver, errorCodeOf, type StatementSource } from './statement-observer';

/** The current load of a connection pool. */
export interface PoolLoad {
  pool: 'writer' | 'main' | 'collection' | 'delivery';
  /** Connections in use. */
  busy: number;
  /** Open connections that are not in use. */
  idle: number;
  /** Number of callers that wait because all connections are in use, or for their turn. */
  waiting: number;
}

/** How each host is probed and each connection is set up. */
export interface SessionSettings {
  flavour: 'mysql' | 'mariadb';
  /** Statements that are executed first on each connection. */
  statements: readonly string[];
  /** A query that returns `OFF` in the column `Value` if the host cannot serve requests. */
  probe: string;
  /**
   * Time in milliseconds after which unused connections are closed. It must be shorter than the time after which the
   * server closes them; otherwise, a statement could be sent at that very moment.
   */
  idleMs: number;
}

/** The host responds but cannot serve requests. */
class NotReadyError extends Error {
  /** The code with which a Galera node rejects statements while it is cut off from its cluster. */
  readonly code = 'ER_UNKNOWN_COM_ERROR';

  constructor(host: string) {
    super(`The database node ${host} is not part of its cluster at the moment, or is read-only.`);
  }
}

/** Errors of a node that has left its cluster, is shutting down or has become a replica. */
const LOST = new Set(['ER_UNKNOWN_COM_ERROR', 'ER_SERVER_SHUTDOWN', 'ER_OPTION_PREVENTS_STATEMENT']);
const OWN_LIMITS = new Set(['Queue limit reached.', 'Pool is closed.']);
const IS_READ_ONLY = "SELECT IF(@@global.read_only, 'OFF', 'ON') AS Value";
const END_MS = 2_000;

/**
 * Sets up a connection, if its host can be used. If there are several hosts, a replica cannot.
 * @throws NotReadyError
 */
export async function prepareSession(
  connection: Pick<PromiseConnection, 'query'>,
  { probe, statements }: Pick<SessionSettings, 'probe' | 'statements'>,
  { name, count }: { name: string; count: number },
): Promise<void> {
  for (const check of count > 1 ? [probe, IS_READ_ONLY] : [probe]) {
    const [rows] = await connection.query<RowDataPacket[]>(check);
    if (rows[0]?.Value === 'OFF') {
      throw new NotReadyError(name);
    }
  }
  for (const statement of statements) {
    await connection.query(statement);
  }
}

interface Host {
  name: string;
  pool: Pool;
  queue: PoolQueue;
  connections: Set<PoolConnection>;
  /** The connections in use. */
  busy: Set<PoolConnection>;
  idle: IdleConnections;
  silent: SilentConnections;
}

/**
 * One connection pool per database host. Only one host is used at a time: the first one that works, until it fails.
 * Connections to a failed host are closed immediately, including connections with pending queries. Implements the pool
 * interface that TypeORM expects.
 */
export class HostPools {
  private readonly hosts: Host[];
  private readonly ready = new WeakSet<PoolConnection>();
  private current = 0;

  /**
   * @param urls URLs of the hosts, in the order in which they are tried
   * @param probes can be shared with other pools for the same hosts
   */
  constructor(
    private readonly urls: readonly string[],
    private readonly options: PoolOptions,
    private readonly settings: SessionSettings,
    private readonly probes = new HostProbes(
      urls.map((url) => addressed(url, options)),
      settings.probe,
    ),
  ) {
    this.hosts = urls.map((url, index) => this.host(index, addressed(url, options)));
    probes.onLost((index) => this.abandon(index));
    probes.onAlive((index, ask) => {
      this.hosts[index].silent.check(ask);
      this.hosts[index].idle.close(settings.idleMs);
    });
  }

  /**
   * Creates more pools for the same hosts. The new pools share the probes.
   * @param options options that differ from these pools
   * @param settings settings that differ from these pools
   */
  beside(options: PoolOptions, settings: Partial<SessionSettings> = {}): HostPools {
    return new HostPools(
      this.urls,
      { ...this.options, ...options },
      { ...this.settings, ...settings },
      this.probes,
    );
  }

  getConnection(taken: Taken): void {
    this.take(this.current, this.hosts.length, taken);
  }

  /** The total load of the connections to all hosts. */
  load(): Omit<PoolLoad, 'pool'> {
    const busy = this.hosts.reduce((sum, host) => sum + host.busy.size, 0);
    const open = this.hosts.reduce((sum, host) => sum + host.connections.size, 0);
    const waiting = this.hosts.reduce((sum, host) => sum + host.queue.size, 0);
    return { busy, idle: open - busy, waiting };
  }

  /** Closes all connections, by force if necessary. */
  end(done: (error?: Error) => void): void {
    this.probes.stop();
    const ended = this.hosts.map(({ pool }) => new Promise<void>((resolve) => pool.end(() => resolve())));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, END_MS);
    });
    void Promise.race([Promise.all(ended), late]).then(() => {
      clearTimeout(timer);
      this.hosts.forEach(breakAllOff);
      done();
    });
  }

  /** @param left the number of hosts that can be tried, including this host */
  private take(index: number, left: number, taken: Taken): void {
    const host = this.hosts[index];
    host.queue.take((error, connection) => {
      if (connection === undefined) {
        this.takeNext(index, left, error ?? new Error('There is no connection.'), taken);
        return;
      }
      // The connection has just been closed, and the pool has not been notified yet.
      if (socketOf(connection).destroyed) {
        connection.destroy();
        this.take(index, left, taken);
        return;
      }
      this.prepare(host, connection).then(
        () => taken(null, connection),
        (reason: unknown) => {
          connection.destroy();
          breakOff(connection);
          this.takeNext(index, left, reason as Error, taken);
        },
      );
    });
  }

  private takeNext(index: number, left: number, error: Error, taken: Taken): void {
    if (left === 1 || error instanceof WaitTimeoutError || OWN_LIMITS.has(error.message)) {
      taken(error);
      return;
    }
    this.leave(index);
    this.take(this.next(index), left - 1, taken);
  }

  /** Switches to a different host, unless that has already happened. */
  private leave(index: number): void {
    if (this.current === index) {
      this.current = this.next(index);
    }
  }

  private next(index: number): number {
    return (index + 1) % this.hosts.length;
  }

  private host(index: number, options: Addressed): Host {
    const pool = createPool(options);
    const source = sourceOf(options, this.settings);
    const connections = new Set<PoolConnection>();
    const busy = new Set<PoolConnection>();
    const idle = new IdleConnections();
    const silent = new SilentConnections();
    pool.on('connection', (connection) => {
      connections.add(connection);
      socketOf(connection).once('close', () => {
        connections.delete(connection);
        busy.delete(connection);
        idle.forget(connection);
        silent.forget(connection);
      });
      this.watch(index, connection, { source, silent });
    });
    pool.on('acquire', (connection) => {
      busy.add(connection);
      idle.forget(connection);
    });
    pool.on('release', (connection) => {
      busy.delete(connection);
      idle.released(connection);
    });
    const queue = new PoolQueue(pool);
    return { name: `${options.host}:${options.port}`, pool, queue, connections, busy, idle, silent };
  }

  /** Detects a lost host from the results of regular queries, and notifies the observer of each query. */
  private watch(
    index: number,
    connection: PoolConnection,
    { source, silent }: { source: StatementSource; silent: SilentConnections },
  ): void {
    // Pools report errors on idle connections only to this listener.
    connection.on('error', () => undefined);
    const query = connection.query.bind(connection) as (...args: unknown[]) => unknown;
    const watched = (...args: unknown[]): unknown => {
      const done = args.at(-1);
      if (typeof done !== 'function') {
        return query(...args);
      }
      const end = currentObserver()?.begin(sqlOf(args[0]), source);
      silent.asked(connection);
      const judged = (error: NodeJS.ErrnoException | null, ...rest: unknown[]): void => {
        end?.(error === null ? null : errorCodeOf(error));
        silent.answered(connection);
        if (error !== null) {
          this.judge(index, connection, String(args[0]), error.code ?? '');
        }
        (done as (...values: unknown[]) => void)(error, ...rest);
      };
      return query(...args.slice(0, -1), judged);
    };
    Object.assign(connection, { query: watched });
  }

  /** After a failed ROLLBACK or COMMIT, a transaction may still be open, and the next caller must not continue it. */
  private judge(index: number, connection: PoolConnection, sql: string, code: string): void {
    if (LOST.has(code)) {
      this.probes.lose(index);
    } else if (sql === 'ROLLBACK' || (sql === 'COMMIT' && code !== 'ER_LOCK_DEADLOCK')) {
      breakOff(connection);
    }
  }

  private abandon(index: number): void {
    this.leave(index);
    breakAllOff(this.hosts[index]);
  }

  /** Sets up a new connection after a successful probe of the host. */
  private async prepare(host: Host, connection: PoolConnection): Promise<void> {
    if (this.ready.has(connection)) {
      return;
    }
    const place = { name: host.name, count: this.hosts.length };
    await prepareSession(connection.promise(), this.settings, place);
    this.ready.add(connection);
  }
}

type Addressed = PoolOptions & { host: string; port: number };

const sqlOf = (query: unknown): string =>
  typeof query === 'string' ? query : (query as { sql: string }).sql;

const sourceOf = (
  { host, port, database = '' }: Addressed,
  { flavour }: SessionSettings,
): StatementSource => ({
  system: flavour,
  server: { host, port, database },
});

function addressed(url: string, options: PoolOptions): Addressed {
  const parsed = new URL(url);
  return {
    ...options,
    host: decodeURIComponent(hostOf(parsed)),
    port: Number(parsed.port || 3306),
  };
}

function breakAllOff({ connections }: Host): void {
  connections.forEach(breakOff);
}
