import type { Pool, PoolConnection } from 'mysql2';
import { type Ask, breakOff } from './host-probes';
import { WaitTimeoutError } from './errors';

/**
 * Number of probes without a response after which the server is asked what the connection is doing. Probes come every
 * second.
 */
const PROBES_WITHOUT_ANSWER = 5;
/** A response may be on its way while the server says that it has finished. */
const FOUND_IDLE = 2;

interface Pending {
  statements: number;
  /** Probes since the first statement began or the last response arrived. */
  probes: number;
  /** How many times in a row the server has said that the connection executes nothing. */
  idle: number;
}

/**
 * Finds connections whose statements will never be answered, because a firewall or load balancer has silently dropped
 * the connection, while other connections to the host work. A long wait alone proves nothing, because migrations may
 * take hours. But if the server says that it executes nothing for such a connection, both ends of the connection are
 * closed, which releases its locks.
 */
export class SilentConnections {
  private readonly pending = new Map<PoolConnection, Pending>();

  /** Called when a statement is sent. */
  asked(connection: PoolConnection): void {
    const pending = this.pending.get(connection) ?? { statements: 0, probes: 0, idle: 0 };
    pending.statements += 1;
    this.pending.set(connection, pending);
  }

  /** Called when a statement has succeeded or failed. */
  answered(connection: PoolConnection): void {
    const statements = (this.pending.get(connection)?.statements ?? 0) - 1;
    if (statements > 0) {
      this.pending.set(connection, { statements, probes: 0, idle: 0 });
    } else {
      this.pending.delete(connection);
    }
  }

  /** Called when a connection is closed. */
  forget(connection: PoolConnection): void {
    this.pending.delete(connection);
  }

  /** Called about once a second, with a function that asks the server over a different connection. */
  check(ask: Ask): void {
    this.pending.forEach((each) => (each.probes += 1));
    const late = [...this.pending].filter(([, { probes }]) => probes > PROBES_WITHOUT_ANSWER);
    if (late.length === 0) {
      return;
    }
    ask('SHOW PROCESSLIST', (threads) => {
      const sleeping = new Set(
        threads.filter(({ Command }) => Command === 'Sleep').map(({ Id }) => Number(Id)),
      );
      for (const [connection, found] of late) {
        if (this.pending.get(connection) === found) {
          found.idle = sleeping.has(connection.threadId) ? found.idle + 1 : 0;
          if (found.idle >= FOUND_IDLE) {
            breakOff(connection);
            ask(`KILL ${connection.threadId}`, () => undefined);
          }
        }
      }
    });
  }
}

/** The unused connections of a pool. The driver can close them too, but by the system clock, which may jump. */
export class IdleConnections {
  private readonly since = new Map<PoolConnection, number>();

  /** Called when a connection has been returned to the pool. */
  released(connection: PoolConnection): void {
    this.since.set(connection, performance.now());
  }

  /** Called when a connection is taken from the pool or closed. */
  forget(connection: PoolConnection): void {
    this.since.delete(connection);
  }

  /** Closes the connections that have been unused for longer than allowed. */
  close(milliseconds: number): void {
    const now = performance.now();
    this.since.forEach((since, connection) => {
      if (now - since > milliseconds) {
        this.since.delete(connection);
        connection.destroy();
      }
    });
  }
}

export type Taken = (error: NodeJS.ErrnoException | null, connection?: PoolConnection) => void;

const WAIT_MS = 5_000;

/** The callers that take connections from a pool. */
export class PoolQueue {
  private waiting = 0;

  constructor(private readonly pool: Pool) {}

  /** Number of callers that wait because all connections are in use. */
  get size(): number {
    return this.waiting;
  }

  /**
   * Takes a connection. Fails with `WaitTimeoutError` if all connections are in use for too long. The time for opening a
   * connection is limited separately.
   */
  take(taken: Taken): void {
    let timer: NodeJS.Timeout | undefined;
    let isLate = false;
    const beginWait = (): void => {
      this.waiting += 1;
      timer = setTimeout(() => {
        isLate = true;
        this.waiting -= 1;
        taken(new WaitTimeoutError());
      }, WAIT_MS);
    };
    // The pool emits the event while the function is called, and only if the caller has to wait.
    this.pool.once('enqueue', beginWait);
    this.pool.getConnection((error, connection) => {
      if (!isLate) {
        clearTimeout(timer);
        this.waiting -= timer === undefined ? 0 : 1;
        taken(error, connection);
      } else if (error === null) {
        connection.release();
      }
    });
    this.pool.removeListener('enqueue', beginWait);
  }
}
