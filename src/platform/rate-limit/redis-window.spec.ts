import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import {
  MemoryWindow,
  type RateKey,
  type RateWindow,
  WINDOW_MS,
  WindowThrottlerStorage,
} from './rate-window';
import { RedisConnection } from './redis-connection';
import { RedisWindow } from './redis-window';

const redisUrl = process.env.TEST_REDIS_URL;
const whenRedis = redisUrl ? describe : describe.skip;

/** Ends the window of a key, by changing the date in memory or by deleting the key in Redis. */
type EndWindow = (key: string) => Promise<void>;

interface Harness {
  window: RateWindow;
  endWindow: EndWindow;
  close(): Promise<void>;
}

afterEach(() => jest.restoreAllMocks());

/** Advances the clock of this process. */
function pass(milliseconds: number): void {
  const now = Date.now();
  jest.spyOn(Date, 'now').mockReturnValue(now + milliseconds);
}

async function memoryHarness(): Promise<Harness> {
  return { window: new MemoryWindow(), endWindow: async () => pass(WINDOW_MS), close: async () => undefined };
}

async function redisHarness(): Promise<Harness> {
  const raw = new Redis(redisUrl as string);
  const window = new RedisWindow(new RedisConnection({ url: redisUrl as string, warn: fail }), 'gosset:rate');
  await window.connect();
  const endWindow = async (key: string): Promise<void> => {
    await raw.del(`gosset:rate:${key}`);
    pass(WINDOW_MS);
  };
  const close = async (): Promise<void> => {
    window.close();
    await raw.quit();
  };
  return { window, endWindow, close };
}

function fail(message: string): never {
  throw new Error(message);
}

const kinds: [string, () => Promise<Harness>][] = [['memory', memoryHarness]];
if (redisUrl) kinds.push(['redis', redisHarness]);

describe.each(kinds)('a rate window in %s', (_kind, open) => {
  let harness: Harness;
  let key: string;

  beforeEach(async () => {
    key = `test:${randomUUID()}`;
    harness = await open();
  });
  afterEach(async () => {
    await harness.endWindow(key);
    await harness.close();
  });

  it('counts hits one by one', async () => {
    expect((await harness.window.hit(key)).hits).toBe(1);
    expect((await harness.window.hit(key)).hits).toBe(2);
  });

  it('restarts after the end of the window', async () => {
    const first = await harness.window.hit(key);
    await harness.endWindow(key);
    const next = await harness.window.hit(key);
    expect(next.hits).toBe(1);
    expect(next.resetAt).toBeGreaterThan(first.resetAt);
  });

  it('refunds hits', async () => {
    const first = await harness.window.hit(key);
    const second = await harness.window.hit(key);
    expect(await first.refund()).toBe(true);
    expect(await second.refund()).toBe(true);
    expect((await harness.window.hit(key)).hits).toBe(1);
  });

  it('does not refund in a later window', async () => {
    const { refund } = await harness.window.hit(key);
    await harness.endWindow(key);
    await harness.window.hit(key);
    expect(await refund()).toBe(false);
    expect((await harness.window.hit(key)).hits).toBe(2);
  });
});

whenRedis('RedisWindow with Redis', () => {
  let raw: Redis;
  let warnings: string[];
  let windows: RedisWindow[];
  let key: RateKey;

  beforeEach(async () => {
    key = `user:${randomUUID()}`;
    warnings = [];
    raw = new Redis(redisUrl as string, { keyPrefix: 'gosset:rate:' });
    const options = { url: redisUrl as string, warn: (message: string) => warnings.push(message) };
    windows = [1, 2].map(() => new RedisWindow(new RedisConnection(options), 'gosset:rate'));
    await Promise.all(windows.map((window) => window.connect()));
  });
  afterEach(async () => {
    windows.forEach((window) => window.close());
    await raw.del(key);
    await raw.quit();
  });

  it('counts the hits of two storages together and exactly', async () => {
    const storages = windows.map((window) => new WindowThrottlerStorage(window));
    const each = Array.from({ length: 100 }, (_, index) => storages[index % 2].increment(key, WINDOW_MS, 60));
    const records = await Promise.all(each);
    const counts = records.map((record) => record.totalHits).sort((a, b) => a - b);
    expect(counts).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(records.filter((record) => record.isBlocked)).toHaveLength(40);
  });

  it('refunds a hit after another process has counted more', async () => {
    const { refund } = await windows[0].hit(key);
    await windows[1].hit(key);
    expect(await refund()).toBe(true);
    expect(await raw.get(key)).toBe('1');
  });

  it('does not give a free hit if the window has ended in the meantime', async () => {
    const { refund } = await windows[0].hit(key);
    await raw.del(key);
    expect(await refund()).toBe(false);
    expect((await windows[1].hit(key)).hits).toBe(1);
  });

  it('recognises the window even if the clocks differ', async () => {
    const { refund } = await windows[0].hit(key);
    pass(10_000);
    expect(await refund()).toBe(true);
  });

  it('keeps the end of the window for any number of hits and refunds', async () => {
    const { refund, resetAt } = await windows[0].hit(key);
    expect(resetAt).toBeLessThanOrEqual(Date.now() + WINDOW_MS);
    await raw.pexpire(key, 40_000);
    await refund();
    const again = await windows[0].hit(key);
    expect(again.hits).toBe(1);
    expect(again.resetAt).toBeGreaterThan(Date.now());
    expect(again.resetAt).toBeLessThanOrEqual(Date.now() + 40_000);
  });

  it('sets an expiry on a counter that has none', async () => {
    await raw.set(key, 70);
    expect((await windows[0].hit(key)).hits).toBe(71);
    expect(await raw.pttl(key)).toBeGreaterThan(0);
  });

  it('limits the length of its keys, whatever a client sends', async () => {
    const long = `address:${randomUUID()}${'a'.repeat(20_000)}`;
    await windows[0].hit(long);
    expect((await windows[1].hit(long)).hits).toBe(2);
    expect(await raw.exists(long)).toBe(0);
  });

  it('counts locally and warns once if Redis rejects the command, and adds these hits later', async () => {
    await raw.lpush(key, 'not a counter');
    expect((await windows[0].hit(key)).hits).toBe(1);
    const { hits, refund } = await windows[0].hit(key);
    expect(hits).toBe(2);
    expect(warnings).toEqual([expect.stringContaining('WRONGTYPE')]);
    expect(await refund()).toBe(true);
    await raw.del(key);
    // The first hit was neither counted in Redis nor refunded.
    expect((await windows[0].hit(key)).hits).toBe(2);
  });
});

whenRedis('a URL with a database that Redis does not have', () => {
  it('is treated as an outage, and nothing is written to another database', async () => {
    const url = new URL(redisUrl as string);
    url.pathname = '/9999';
    const said: string[] = [];
    const warn = (message: string): number => said.push(message);
    const window = new RedisWindow(new RedisConnection({ url: url.href, warn }), 'gosset:rate');
    const key = `test:${randomUUID()}`;
    await window.connect();
    expect((await window.hit(key)).hits).toBe(1);
    expect((await window.hit(key)).hits).toBe(2);
    window.close();
    url.pathname = '/0';
    const raw = new Redis(url.href);
    const written = await raw.del(`gosset:rate:${key}`);
    await raw.quit();
    expect([written, said]).toEqual([
      0,
      [expect.stringMatching(/^Redis is unavailable \(.*\bDB index\b.*\)\. Until it is available again/)],
    ]);
  });
});
