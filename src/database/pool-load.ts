/** How busy the connections of a pool are at the moment. */
export interface PoolLoad {
  pool: 'writer' | 'main' | 'delivery';
  /** Connections in use. */
  busy: number;
  /** Open connections that are not in use. */
  idle: number;
  /** Work that waits for a connection. */
  waiting: number;
}
