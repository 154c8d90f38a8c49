import { fakeDate } from '../../../test/support/fake-date';
import { MemoryWindow, WINDOW_MS, WindowThrottlerStorage } from './rate-window';

describe('MemoryWindow', () => {
  const start = 1_700_000_000_000;
  let window: MemoryWindow;

  beforeEach(() => {
    fakeDate(start);
    window = new MemoryWindow(3);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const pass = (milliseconds: number): void => {
    jest.setSystemTime(Date.now() + milliseconds);
  };
  const hits = (key: string): number => window.hit(key).hits;

  it('counts the hits of a key in one-minute windows', () => {
    expect(window.hit('user:1')).toMatchObject({ hits: 1, resetAt: start + 60_000 });
    pass(59_999);
    expect(window.hit('user:1')).toMatchObject({ hits: 2, resetAt: start + 60_000 });
  });

  it('starts a new window as soon as the old one ends', () => {
    window.hit('user:1');
    pass(WINDOW_MS);
    expect(window.hit('user:1')).toMatchObject({ hits: 1, resetAt: start + 2 * WINDOW_MS });
  });

  it('starts a new window after the clock is set back by hours', () => {
    window.hit('user:1');
    pass(-5 * 60 * WINDOW_MS);
    expect(hits('user:1')).toBe(1);
    expect(hits('user:1')).toBe(2);
  });

  it('counts each key separately', () => {
    window.hit('user:1');
    expect(hits('address:203.0.113.7')).toBe(1);
  });

  it('also counts long keys separately', () => {
    window.hit(`address:${'a'.repeat(20_000)}`);
    expect(hits(`address:${'a'.repeat(20_000)}b`)).toBe(1);
    expect(hits(`address:${'a'.repeat(20_000)}`)).toBe(2);
  });

  it('never reports a window longer than a minute, even if the clock is set back', () => {
    window.hit('user:1');
    pass(-3_600_000);
    const { resetAt } = window.hit('user:1');
    expect(resetAt).toBeLessThanOrEqual(Date.now() + WINDOW_MS);
  });

  it('continues from the count of another process', () => {
    window.hit('user:1');
    window.goOnFrom('user:1', 40, start + 30_000);
    expect(window.hit('user:1')).toMatchObject({ hits: 41, resetAt: start + 30_000 });
    pass(30_000);
    expect(hits('user:1')).toBe(1);
  });

  describe('refund', () => {
    it('reverts one hit', () => {
      window.hit('user:1');
      const { refund } = window.hit('user:1');
      expect(refund()).toBe(true);
      expect(hits('user:1')).toBe(2);
    });

    it('keeps the window', () => {
      const { refund, resetAt } = window.hit('user:1');
      expect(refund()).toBe(true);
      pass(1_000);
      expect(window.hit('user:1')).toMatchObject({ hits: 1, resetAt });
    });

    it('does not change a later window', () => {
      const { refund } = window.hit('user:1');
      pass(WINDOW_MS);
      window.hit('user:1');
      expect(refund()).toBe(false);
      expect(hits('user:1')).toBe(2);
    });

    it('does not give a free hit after the window is evicted', () => {
      const { refund } = window.hit('a');
      for (const key of ['b', 'c', 'd']) {
        window.hit(key);
      }
      expect(refund()).toBe(false);
      expect(hits('a')).toBe(1);
    });
  });

  it('evicts the least recently hit windows above the maximum', () => {
    for (const key of ['a', 'b', 'a', 'c', 'd']) {
      window.hit(key);
    }
    expect(window.size).toBe(3);
    expect(hits('a')).toBe(3);
    expect(hits('b')).toBe(1);
  });
});

describe('WindowThrottlerStorage', () => {
  const start = 1_700_000_000_500;
  const resetAt = start + WINDOW_MS;
  let storage: WindowThrottlerStorage;

  beforeEach(() => {
    fakeDate(start);
    storage = new WindowThrottlerStorage(new MemoryWindow());
  });
  afterEach(() => jest.useRealTimers());

  it('allows as many hits as the limit and blocks the next', async () => {
    const allowed = { totalHits: 1, timeToExpire: 60, isBlocked: false, timeToBlockExpire: 0, resetAt };
    expect(await storage.increment('user:1', WINDOW_MS, 1)).toMatchObject(allowed);
    const blocked = { totalHits: 2, timeToExpire: 60, isBlocked: true, timeToBlockExpire: 60, resetAt };
    expect(await storage.increment('user:1', WINDOW_MS, 1)).toMatchObject(blocked);
  });

  it('blocks until the window ends, but no longer', async () => {
    await storage.increment('user:1', WINDOW_MS, 1);
    jest.setSystemTime(start + 50_000);
    expect(await storage.increment('user:1', WINDOW_MS, 1)).toMatchObject({
      isBlocked: true,
      timeToBlockExpire: 10,
    });
    jest.setSystemTime(resetAt);
    expect(await storage.increment('user:1', WINDOW_MS, 1)).toMatchObject({ isBlocked: false, totalHits: 1 });
  });

  it('rounds the remaining seconds up', async () => {
    await storage.increment('user:1', WINDOW_MS, 1);
    jest.setSystemTime(start + 58_999);
    expect((await storage.increment('user:1', WINDOW_MS, 1)).timeToBlockExpire).toBe(2);
  });

  it('reports at least one second when the window has just ended', async () => {
    const late = new WindowThrottlerStorage({
      hit: async () => ({ hits: 2, resetAt: start, refund: async () => false }),
    });
    expect((await late.increment('user:1', WINDOW_MS, 1)).timeToBlockExpire).toBe(1);
  });

  it('refunds in the window in which it counted', async () => {
    const { refund } = await storage.increment('user:1', WINDOW_MS, 1);
    expect(await refund()).toBe(true);
    expect((await storage.increment('user:1', WINDOW_MS, 1)).isBlocked).toBe(false);
  });
});
