import type { Socket } from 'node:net';
import { Connection, ConnectionOptions, createConnection, type PoolOptions, RowDataPacket } from 'mysql2';

/** The socket of a connection, which the driver's types omit. */
export const socketOf = (connection: Connection): Socket =>
  (connection as unknown as { stream: Socket }).stream;

/**
 * Closes a connection without contacting the server, which may be unresponsive. Pending queries fail as if the server
 * had closed the connection; the driver's `destroy` would leave them pending forever.
 */
export const breakOff = (connection: Connection): void => {
  socketOf(connection).destroy();
};

const isFromServer = ({ code }: NodeJS.ErrnoException): boolean => code?.startsWith('ER_') === true;

/** Whether an error, such as too many connections, leaves open connections unaffected. */
const isRefusal = (error: NodeJS.ErrnoException): boolean =>
  isFromServer(error) && error.code !== 'ER_UNKNOWN_COM_ERROR' && error.code !== 'ER_SERVER_SHUTDOWN';

const PROBE_EVERY_MS = 1_000;
/**
 * Number of timer ticks without a response after which a host is considered lost. Counted in ticks, not by the clock,
 * so that a busy process does not mistake a working database for a dead one.
 */
const TURNS_WITHOUT_ANSWER = 5;

/**
 * Runs a statement on a probe's connection, which stays available for probes. Handling errors is left to the next
 * probe.
 */
export type Ask = (sql: string, done: (rows: RowDataPacket[]) => void) => void;

interface ProbeReports {
  /** Called if the host cannot serve requests or has not responded for five seconds. */
  lost: () => void;
  /** Called after each successful probe. */
  alive: (ask: Ask) => void;
}

/** Probes a host every second over a separate connection. */
class HostProbe {
  private readonly timer: NodeJS.Timeout;
  private connection: Connection | undefined;
  private isAsking = false;
  private turns = 0;

  /** @param sql the probe: returns `OFF` in the column `Value` if the host cannot serve requests */
  constructor(
    private readonly options: ConnectionOptions,
    private readonly sql: string,
    private readonly reports: ProbeReports,
  ) {
    this.timer = setInterval(() => this.turn(), PROBE_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
    this.hangUp();
  }

  private turn(): void {
    this.turns += 1;
    if (!this.isAsking) {
      this.ask();
    } else if (this.turns > TURNS_WITHOUT_ANSWER) {
      this.fail();
    }
  }

  private ask(): void {
    const isNew = this.connection === undefined;
    const connection = (this.connection ??= this.connect());
    this.isAsking = true;
    this.turns = 0;
    connection.query<RowDataPacket[]>(this.sql, (error, rows) => {
      if (connection !== this.connection) {
        return;
      }
      this.isAsking = false;
      if (error !== null && isRefusal(error)) {
        this.hangUp();
      } else if (error !== null && !isNew && !isFromServer(error)) {
        // The connection may have been closed since the last probe, by a host that works again.
        this.hangUp();
        this.ask();
      } else if (error !== null || rows[0]?.Value === 'OFF') {
        this.fail();
      } else {
        this.reports.alive((sql, done) => {
          connection.query<RowDataPacket[]>(sql, (failure, found) => failure === null && done(found));
        });
      }
    });
  }

  private connect(): Connection {
    const connection = createConnection(this.options);
    // The error is ignored here, because the query also reports it.
    connection.on('error', () => undefined);
    connection.once('connect', () => socketOf(connection).unref());
    return connection;
  }

  private fail(): void {
    this.hangUp();
    this.reports.lost();
  }

  private hangUp(): void {
    const connection = this.connection;
    this.connection = undefined;
    this.isAsking = false;
    if (connection !== undefined) {
      breakOff(connection);
    }
  }
}

/** Probes the hosts of a database, for all pools with connections to them. */
export class HostProbes {
  private readonly probes: HostProbe[];
  private readonly listeners: ((index: number) => void)[] = [];
  private readonly aliveListeners: ((index: number, ask: Ask) => void)[] = [];

  /**
   * @param hosts the connection options of each host
   * @param sql the probe: returns `OFF` in the column `Value` if the host cannot serve requests
   */
  constructor(hosts: readonly PoolOptions[], sql: string) {
    this.probes = hosts.map(({ connectionLimit: _limit, queueLimit: _queue, ...options }, index) => {
      return new HostProbe(options, sql, {
        lost: () => this.lose(index),
        alive: (ask) => this.aliveListeners.forEach((listener) => listener(index, ask)),
      });
    });
  }

  /** @param listener called with the index of each lost host */
  onLost(listener: (index: number) => void): void {
    this.listeners.push(listener);
  }

  /** @param listener called with the index of a host after each successful probe, about once a second */
  onAlive(listener: (index: number, ask: Ask) => void): void {
    this.aliveListeners.push(listener);
  }

  /** Notifies all pools that a host is lost. */
  lose(index: number): void {
    this.listeners.forEach((listener) => listener(index));
  }

  stop(): void {
    this.probes.forEach((probe) => probe.stop());
  }
}
