import type { PoolConnection } from 'mysql2';

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
