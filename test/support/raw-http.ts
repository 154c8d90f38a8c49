import { connect, Socket } from 'node:net';
import { until } from './waiting';

/** A single connection on which tests send bytes. */
export class RawHttp {
  received = '';
  readonly closed: Promise<void>;

  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk) => (this.received += chunk.toString()));
    // The server may close the connection at any time.
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  /** @param address the address of the server, such as `http://127.0.0.1:3000` */
  static async open(address: string): Promise<RawHttp> {
    const { hostname, port } = new URL(address);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: false });
    const raw = new RawHttp(socket);
    await new Promise<void>((resolve) => {
      socket.once('connect', resolve);
      socket.once('close', resolve);
    });
    return raw;
  }

  send(...lines: string[]): void {
    this.socket.write(lines.join('\r\n'));
  }

  /** Resolves when this text has been received or the connection has ended. */
  async until(text: string | RegExp): Promise<string> {
    const found = (): boolean =>
      typeof text === 'string' ? this.received.includes(text) : text.test(this.received);
    await until(() => found() || this.socket.destroyed, String(text));
    return this.received;
  }

  /** The status codes of all responses received so far. */
  get statuses(): number[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
  }

  close(): void {
    this.socket.destroy();
  }
}
