import type { Socket } from 'node:net';
import type { Connection } from 'mysql2';

/** The socket of a connection, which the types of the driver leave out. */
export const socketOf = (connection: Connection): Socket =>
  (connection as unknown as { stream: Socket }).stream;

/**
 * Closes a connection without contacting the server, which may be unresponsive. Pending queries fail as if the server
 * had closed the connection; the driver's `destroy` would leave them pending forever.
 */
export const breakOff = (connection: Connection): void => {
  socketOf(connection).destroy();
};
