import { FixedWindowCounter, WINDOW_MS } from './fixed-window';
import { WindowThrottlerStorage } from './window-throttler-storage';

describe('WindowThrottlerStorage', () => {
  const start = 1_700_000_000_500;
  const resetAt = start + WINDOW_MS;
  let now: number;
  let storage: WindowThrottlerStorage;

  beforeEach(() => {
    now = start;
    const clock = (): number => now;
    storage = new WindowThrottlerStorage(new FixedWindowCounter(clock), clock);
  });

  it('allows as many hits as the limit and blocks the next', async () => {
    const allowed = { totalHits: 1, timeToExpire: 60, isBlocked: false, timeToBlockExpire: 0, resetAt };
    expect(await storage.increment('user:1', WINDOW_MS, 1)).toEqual(allowed);
    const blocked = { totalHits: 2, timeToExpire: 60, isBlocked: true, timeToBlockExpire: 60, resetAt };
    expect(await storage.increment('user:1', WINDOW_MS, 1)).toEqual(blocked);
  });

  it('blocks until the window ends and no longer', async () => {
    await storage.increment('user:1', WINDOW_MS, 1);
    now = start + 50_000;
    expect(await storage.increment('user:1', WINDOW_MS, 1)).toMatchObject({
      isBlocked: true,
      timeToBlockExpire: 10,
    });
    now = resetAt;
    expect(await storage.increment('user:1', WINDOW_MS, 1)).toMatchObject({ isBlocked: false, totalHits: 1 });
  });

  it('rounds the remaining seconds up', async () => {
    await storage.increment('user:1', WINDOW_MS, 1);
    now = start + 58_999;
    expect((await storage.increment('user:1', WINDOW_MS, 1)).timeToBlockExpire).toBe(2);
  });

  it('gives at least one second when the end has just passed', async () => {
    const late = new WindowThrottlerStorage(
      { hit: () => ({ hits: 2, resetAt: now }), refund: () => false },
      () => now,
    );
    expect((await late.increment('user:1', WINDOW_MS, 1)).timeToBlockExpire).toBe(1);
  });

  it('refunds in the window it counts in', async () => {
    const record = await storage.increment('user:1', WINDOW_MS, 1);
    expect(await storage.refund('user:1', record.resetAt)).toBe(true);
    expect((await storage.increment('user:1', WINDOW_MS, 1)).isBlocked).toBe(false);
    expect(await storage.refund('user:1', record.resetAt + 1)).toBe(false);
  });
});
