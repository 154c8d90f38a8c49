import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { FixedWindowCounter, type RateWindow, WINDOW_MS } from './fixed-window';
import { RedisWindow } from './redis-window';
import { WindowThrottlerStorage } from './window-throttler-storage';

const redisUrl = process.env.TEST_REDIS_URL;
const whenRedis = redisUrl ? describe : describe.skip;

interface Harness {
  window: RateWindow;
  /** Makes the key's window be over. */
  endWindow(key: string): Promise<void>;
  close(): Promise<void>;
}

async function memoryHarness(): Promise<Harness> {
  let now = Date.now();
  const endWindow = async (): Promise<void> => {
    now += WINDOW_MS;
  };
  return { window: new FixedWindowCounter(() => now), endWindow, close: async () => undefined };
}

async function redisHarness(): Promise<Harness> {
  let now = Date.now();
  const raw = new Redis(redisUrl as string);
  const window = new RedisWindow({ url: redisUrl as string, warn: fail, now: () => now });
  await window.connect();
  const endWindow = async (key: string): Promise<void> => {
    await raw.del(`gosset:rate:${key}`);
    now += WINDOW_MS;
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

describe.each(kinds)('the contract of a rate window, in %s', (_kind, open) => {
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

  it('begins again after the end of the window', async () => {
    const first = await harness.window.hit(key);
    await harness.endWindow(key);
    const next = await harness.window.hit(key);
    expect(next.hits).toBe(1);
    expect(next.resetAt).toBeGreaterThan(first.resetAt);
  });

  it('takes hits back, not below zero', async () => {
    const { resetAt } = await harness.window.hit(key);
    await harness.window.hit(key);
    expect(await harness.window.refund(key, resetAt)).toBe(true);
    expect(await harness.window.refund(key, resetAt)).toBe(true);
    expect(await harness.window.refund(key, resetAt)).toBe(false);
    expect((await harness.window.hit(key)).hits).toBe(1);
  });

  it('takes nothing back from a later window', async () => {
    const { resetAt } = await harness.window.hit(key);
    await harness.endWindow(key);
    await harness.window.hit(key);
    expect(await harness.window.refund(key, resetAt)).toBe(false);
    expect((await harness.window.hit(key)).hits).toBe(2);
  });

  it('takes nothing back from a key without a window', async () => {
    expect(await harness.window.refund(key, Date.now() + WINDOW_MS)).toBe(false);
    expect((await harness.window.hit(key)).hits).toBe(1);
  });
});

whenRedis('RedisWindow with Redis', () => {
  let now: number;
  let raw: Redis;
  let warnings: string[];
  let windows: RedisWindow[];
  let key: string;

  beforeEach(async () => {
    key = `test:${randomUUID()}`;
    warnings = [];
    now = 1_700_000_000_000;
    raw = new Redis(redisUrl as string, { keyPrefix: 'gosset:rate:' });
    const options = {
      url: redisUrl as string,
      warn: (message: string) => warnings.push(message),
      now: () => now,
    };
    windows = [new RedisWindow(options), new RedisWindow(options)];
    await Promise.all(windows.map((window) => window.connect()));
  });
  afterEach(async () => {
    windows.forEach((window) => window.close());
    await raw.del(key);
    await raw.quit();
  });

  it('gives two storages one exact count', async () => {
    const storages = windows.map((window) => new WindowThrottlerStorage(window, () => now));
    const each = Array.from({ length: 100 }, (_, index) => storages[index % 2].increment(key, WINDOW_MS, 60));
    const records = await Promise.all(each);
    const counts = records.map((record) => record.totalHits).sort((a, b) => a - b);
    expect(counts).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(records.filter((record) => record.isBlocked)).toHaveLength(40);
  });

  it('refunds a hit of another process', async () => {
    const { resetAt } = await windows[0].hit(key);
    expect(await windows[1].refund(key, resetAt)).toBe(true);
    expect(await raw.get(key)).toBe('0');
  });

  it('knows the window again although the clocks disagree', async () => {
    const { resetAt } = await windows[0].hit(key);
    now += 10_000;
    expect(await windows[0].refund(key, resetAt)).toBe(true);
  });

  it('lets the window end where it began to, however many hits and refunds follow', async () => {
    const { resetAt } = await windows[0].hit(key);
    expect(resetAt).toBeLessThanOrEqual(now + WINDOW_MS);
    await raw.pexpire(key, 40_000);
    await windows[0].refund(key, resetAt);
    const again = await windows[0].hit(key);
    expect(again.hits).toBe(1);
    expect(again.resetAt).toBeGreaterThan(now);
    expect(again.resetAt).toBeLessThanOrEqual(now + 40_000);
  });

  it('gives an end to a counter that has none', async () => {
    await raw.set(key, 70);
    expect((await windows[0].hit(key)).hits).toBe(71);
    expect(await raw.pttl(key)).toBeGreaterThan(0);
  });

  it('counts by itself when Redis refuses the command, warning once', async () => {
    await raw.lpush(key, 'not a counter');
    expect((await windows[0].hit(key)).hits).toBe(1);
    const { hits, resetAt } = await windows[0].hit(key);
    expect(hits).toBe(2);
    expect(warnings).toEqual([expect.stringContaining('WRONGTYPE')]);
    expect(await windows[0].refund(key, resetAt)).toBe(true);
    await raw.del(key);
    expect((await windows[0].hit(key)).hits).toBe(1);
  });
});
