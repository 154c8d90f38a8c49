import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { WINDOW_MS } from './fixed-window';
import { RedisWindow } from './redis-window';

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}

/**
 * Speaks just enough of the protocol to be taken for Redis; every hit is answered with a count of 1000 or
 * more.
 */
class FakeRedis {
  mode: 'answer' | 'silent' | 'hang-up' = 'answer';
  connections = 0;
  /** Hits received, answered or not. */
  hits = 0;
  private server: Server;
  private readonly sockets = new Set<Socket>();

  async listen(port = 0): Promise<number> {
    this.server = createServer((socket) => this.accept(socket));
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.sockets.forEach((socket) => socket.destroy());
    // Closing what is closed already only reports so, and that is fine.
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  /** Ends all connections in an orderly way; new ones are welcome. */
  async dropClients(): Promise<void> {
    this.sockets.forEach((socket) => socket.end());
    await until(() => this.sockets.size === 0);
  }

  private accept(socket: Socket): void {
    this.connections += 1;
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
    if (this.mode === 'hang-up') socket.end();
    socket.on('data', (data) => {
      for (const command of data.toString().match(/\*\d+\r\n(?:\$\d+\r\n[^\r]*\r\n)+/g) ?? []) {
        socket.write(this.reply(command.split('\r\n')[2].toLowerCase()));
      }
    });
  }

  private reply(command: string): string {
    if (command === 'info') return '$17\r\nredis_version:7.0\r\n';
    if (command === 'client') return '+OK\r\n';
    this.hits += 1;
    return this.mode === 'silent' ? '' : `*2\r\n:${999 + this.hits}\r\n:60000\r\n`;
  }
}

describe('RedisWindow in an outage', () => {
  const now = 1_700_000_000_000;
  let server: FakeRedis;
  let port: number;
  let warnings: string[];
  let window: RedisWindow;

  beforeEach(async () => {
    server = new FakeRedis();
    port = await server.listen();
    warnings = [];
    window = new RedisWindow({
      url: `redis://127.0.0.1:${port}`,
      warn: (message) => warnings.push(message),
      now: () => now,
    });
  });
  afterEach(async () => {
    window.close();
    await server.stop();
  });

  const viaRedis = async (): Promise<boolean> => (await window.hit('user:1')).hits >= 1000;

  it('counts by itself when nothing listens', async () => {
    await server.stop();
    await window.connect();
    expect(await window.hit('user:1')).toEqual({ hits: 1, resetAt: now + WINDOW_MS });
    const { hits, resetAt } = await window.hit('user:1');
    expect(hits).toBe(2);
    expect(await window.refund('user:1', resetAt)).toBe(true);
    expect((await window.hit('user:1')).hits).toBe(2);
    expect(warnings).toEqual([expect.stringContaining('ECONNREFUSED')]);
  });

  it('connects at the first hit, which it counts by itself', async () => {
    expect(server.connections).toBe(0);
    expect((await window.hit('user:1')).hits).toBe(1);
    await until(viaRedis);
    expect(warnings).toEqual([]);
  });

  it('takes a single lost connection for no outage', async () => {
    await window.connect();
    await server.dropClients();
    expect((await window.hit('user:1')).hits).toBe(1);
    await until(viaRedis);
    expect(warnings).toEqual([]);
  });

  it('warns once however often it tries again', async () => {
    server.mode = 'hang-up';
    await window.connect();
    await until(() => server.connections >= 4);
    expect(warnings).toHaveLength(1);
  });

  it('returns to Redis by itself and warns again of the next outage', async () => {
    await server.stop();
    await window.connect();
    await server.listen(port);
    await until(viaRedis);
    await server.stop();
    await until(() => warnings.length === 2);
    expect((await window.hit('user:1')).hits).toBeLessThan(1000);
  });

  it('does not hang when Redis accepts a command and never answers', async () => {
    await window.connect();
    server.mode = 'silent';
    expect(await window.hit('user:1')).toEqual({ hits: 1, resetAt: now + WINDOW_MS });
    expect(warnings).toHaveLength(1);
  });

  it('does not send a hit again that it has counted by itself', async () => {
    await window.connect();
    server.mode = 'silent';
    await window.hit('user:1');
    server.mode = 'answer';
    await until(viaRedis);
    expect((await window.hit('user:1')).hits).toBe(1002);
  });

  it('keeps the new connection when a command of the old one runs out of time', async () => {
    await window.connect();
    server.mode = 'silent';
    const first = window.hit('user:1');
    await new Promise((resolve) => setTimeout(resolve, 120));
    const second = window.hit('user:1');
    await first;
    server.mode = 'answer';
    await Promise.all([second, until(viaRedis)]);
    expect(await viaRedis()).toBe(true);
    expect(server.connections).toBe(2);
  });

  it('still counts when it is closed, and warns of nothing', async () => {
    await window.connect();
    server.mode = 'silent';
    const underway = window.hit('user:1');
    window.close();
    expect((await underway).hits).toBe(1);
    expect((await window.hit('user:1')).hits).toBe(2);
    expect(warnings).toEqual([]);
  });
});
