import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { WINDOW_MS } from './rate-window';
import { RedisConnection } from './redis-connection';
import { RedisWindow } from './redis-window';
import { until } from '../../../test/support/waiting';

/** Implements just enough of the protocol to simulate Redis, with a single count for all keys. */
class FakeRedis {
  mode: 'answer' | 'silent' | 'mute' | 'refuse' | 'hang-up' = 'answer';
  connections = 0;
  /** The received increments, one for each command, with or without a response. */
  readonly points: number[] = [];
  /** Commands that set the count if there is none. */
  readonly restored: string[][] = [];
  answered = 0;
  private server: Server;
  private readonly sockets = new Set<Socket>();

  async listen(port = 0): Promise<number> {
    this.server = createServer((socket) => this.accept(socket));
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.sockets.forEach((socket) => socket.destroy());
    // If the server is already closed, `close` only reports an error, which can be ignored.
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  /** Closes all connections gracefully, and accepts new ones. */
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
        const words = command.split('\r\n').filter((_, index) => index > 0 && index % 2 === 0);
        socket.write(this.reply(words));
      }
    });
  }

  private reply([name = '', ...rest]: string[]): string {
    const command = name.toLowerCase();
    if (this.mode === 'mute') return '';
    if (command === 'info') return '$17\r\nredis_version:7.0\r\n';
    if (command === 'client') return '+OK\r\n';
    if (command === 'ping') return this.mode === 'silent' ? '' : '+PONG\r\n';
    if (command === 'set') {
      this.restored.push(rest);
      return '$-1\r\n';
    }
    if (this.mode === 'refuse') return "-OOM command not allowed when used memory > 'maxmemory'.\r\n";
    // evalsha <digest> 1 <key> <points> <seconds> ...
    this.points.push(Number(rest[3]));
    if (this.mode === 'silent') return '';
    this.answered += 1;
    return `*2\r\n:${this.count}\r\n:60000\r\n`;
  }

  get count(): number {
    return this.points.reduce((sum, points) => sum + points, 0);
  }
}

describe('RedisWindow in an outage', () => {
  let server: FakeRedis;
  let port: number;
  let warnings: string[];
  let window: RedisWindow;

  beforeEach(async () => {
    server = new FakeRedis();
    port = await server.listen();
    warnings = [];
    const warn = (message: string): number => warnings.push(message);
    window = new RedisWindow(new RedisConnection({ url: `redis://127.0.0.1:${port}`, warn }), 'gosset:rate');
  });
  afterEach(async () => {
    window.close();
    await server.stop();
  });

  const hits = async (): Promise<number> => (await window.hit('user:1')).hits;
  const viaRedis = async (): Promise<boolean> => {
    const before = server.answered;
    await window.hit('user:1');
    return server.answered > before;
  };

  it('counts locally if Redis is unreachable', async () => {
    await server.stop();
    await window.connect();
    expect((await window.hit('user:1')).hits).toBe(1);
    const { hits, resetAt, refund } = await window.hit('user:1');
    expect(hits).toBe(2);
    expect(resetAt).toBeGreaterThan(Date.now());
    expect(resetAt).toBeLessThanOrEqual(Date.now() + WINDOW_MS);
    expect(await refund()).toBe(true);
    expect((await window.hit('user:1')).hits).toBe(2);
    expect(warnings).toEqual([expect.stringContaining('ECONNREFUSED')]);
  });

  it('connects on the first hit', async () => {
    expect(server.connections).toBe(0);
    expect((await window.hit('user:1')).hits).toBe(1);
    await until(viaRedis);
    expect(warnings).toEqual([]);
  });

  it('does not wait for a Redis that accepts connections but never responds, and uses it once it does', async () => {
    server.mode = 'mute';
    const order: string[] = [];
    const connected = window.connect().then(() => order.push('connection ended'));
    expect([await hits(), await hits(), await hits()]).toEqual([1, 2, 3]);
    order.push('counted');
    await connected;
    expect(order).toEqual(['counted', 'connection ended']);
    expect(warnings).toEqual([expect.stringContaining('no response within 2000 ms')]);
    server.mode = 'answer';
    await until(viaRedis);
    expect(await hits()).toBe(server.count);
    expect(server.count).toBeGreaterThan(3);
  });

  it('keeps a connection that has responded', async () => {
    await window.connect();
    // Longer than the time limit of the handshake.
    await sleep(2_500);
    expect([await hits(), server.connections, warnings]).toEqual([1, 1, []]);
  });

  it('adds hits that Redis refused once it accepts them again', async () => {
    await window.connect();
    expect(await hits()).toBe(1);
    server.mode = 'refuse';
    expect([await hits(), await hits(), await hits()]).toEqual([2, 3, 4]);
    server.mode = 'answer';
    expect([await hits(), server.count]).toEqual([5, 5]);
    expect(warnings).toEqual([expect.stringContaining('OOM')]);
  });

  it('does not treat a single lost connection as an outage', async () => {
    await window.connect();
    await server.dropClients();
    expect((await window.hit('user:1')).hits).toBe(1);
    await until(viaRedis);
    expect(warnings).toEqual([]);
  });

  it('warns once for any number of retries', async () => {
    server.mode = 'hang-up';
    await window.connect();
    await until(() => server.connections >= 4);
    expect(warnings).toHaveLength(1);
  });

  it('returns to Redis automatically, and warns again about the next outage', async () => {
    await server.stop();
    await window.connect();
    await server.listen(port);
    await until(viaRedis);
    await server.stop();
    await until(() => warnings.length === 2);
    expect(await viaRedis()).toBe(false);
  });

  it('does not hang if Redis accepts a command and never responds', async () => {
    await window.connect();
    server.mode = 'silent';
    expect((await window.hit('user:1')).hits).toBe(1);
    expect(warnings).toHaveLength(1);
  });

  it('continues from the last shared count if Redis does not respond', async () => {
    await window.connect();
    expect([await hits(), await hits(), await hits()]).toEqual([1, 2, 3]);
    server.mode = 'silent';
    const late = await Promise.all([hits(), hits(), hits()]);
    expect(late.sort()).toEqual([4, 5, 6]);
    expect(await hits()).toBe(7);
  });

  it('adds its local count to Redis after the outage, without counting twice', async () => {
    await window.connect();
    await hits();
    server.mode = 'silent';
    // The first command has reached Redis, which does not respond.
    expect([await hits(), await hits(), await hits(), await hits()]).toEqual([2, 3, 4, 5]);
    const sent = server.points.length;
    server.mode = 'answer';
    await until(viaRedis);
    expect(server.points.slice(0, sent)).toEqual([1, 1]);
    expect(server.points[sent]).toBeGreaterThanOrEqual(4);
    expect(await hits()).toBe(server.count);
  });

  it('restores the last shared count once after Redis has restarted', async () => {
    await window.connect();
    await hits();
    await hits();
    await server.dropClients();
    await until(viaRedis);
    await hits();
    expect(server.restored).toEqual([
      ['gosset:rate:user:1', '2', 'PX', expect.stringMatching(/^\d{4,5}$/), 'NX'],
    ]);
  });

  it('does not refund a local hit in Redis', async () => {
    await server.stop();
    await window.connect();
    await hits();
    const { refund } = await window.hit('user:1');
    expect(await refund()).toBe(true);
    await server.listen(port);
    await until(viaRedis);
    expect(server.points.every((points) => points > 0)).toBe(true);
    expect(await hits()).toBe(server.count);
  });

  it('keeps the new connection if a command on the old one times out', async () => {
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

  it('still counts after it is closed, without a warning', async () => {
    await window.connect();
    server.mode = 'silent';
    const underway = window.hit('user:1');
    window.close();
    expect((await underway).hits).toBe(1);
    expect((await window.hit('user:1')).hits).toBe(2);
    expect(warnings).toEqual([]);
  });
});
