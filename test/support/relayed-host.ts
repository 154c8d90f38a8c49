import { connect, createServer, Server, Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** Simulates a database host: a proxy that can refuse connections, hang, lose one connection, and add latency. */
export class RelayedHost {
  private readonly sockets = new Set<Socket>();
  private isSilent = false;
  private losing: string | undefined;
  private server: Server | undefined;
  port = 0;
  /** The latency in each direction, in milliseconds. It may only be increased while connections are open. */
  delayMs = 0;

  constructor(private readonly target: { host: string; port: number }) {}

  async open(): Promise<this> {
    this.isSilent = false;
    const server = createServer((client) => this.relay(client));
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
    return this;
  }

  /** Closes all connections, and refuses new ones. */
  async close(): Promise<void> {
    this.sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => this.server?.close(resolve));
  }

  /** Keeps connections open and accepts new ones, but forwards nothing, like a machine that hangs. */
  fallSilent(): void {
    this.isSilent = true;
  }

  /**
   * Drops the next connection that sends this text, like a firewall: the connection stays open, but nothing arrives any
   * more.
   */
  loseConnectionOf(text: string): void {
    this.losing = text;
  }

  private relay(client: Socket): void {
    const upstream = connect(this.target.port, this.target.host);
    let isLost = false;
    const directions = [
      [client, upstream],
      [upstream, client],
    ] as const;
    for (const [from, to] of directions) {
      this.sockets.add(from);
      from.on('data', (data: Buffer) => {
        if (from === client && this.losing !== undefined && data.includes(this.losing)) {
          isLost = true;
          this.losing = undefined;
        }
        if (!isLost) {
          this.pass(data, to);
        }
      });
      from.on('error', () => isLost || to.destroy());
      from.on('close', () => isLost || to.destroy());
    }
  }

  private pass(data: Buffer, to: Socket): void {
    if (this.isSilent) {
      return;
    }
    if (this.delayMs === 0) {
      to.write(data);
    } else {
      // Timers with the same delay fire in the order in which they were started, so the order of the data is kept.
      setTimeout(() => to.write(data), this.delayMs);
    }
  }
}
