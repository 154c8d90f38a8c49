import { fakeDate } from '../../../test/support/fake-date';
import { MemoryWindow } from './memory-window';
import { WINDOW_MS } from './rate-window';
import { WindowThrottlerStorage } from './throttler-storage';

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

  it('blocks until the window ends and no longer', async () => {
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

  it('gives at least one second when the end has just passed', async () => {
    const late = new WindowThrottlerStorage({
      hit: async () => ({ hits: 2, resetAt: start, refund: async () => false }),
    });
    expect((await late.increment('user:1', WINDOW_MS, 1)).timeToBlockExpire).toBe(1);
  });

  it('refunds in the window it counts in', async () => {
    const { refund } = await storage.increment('user:1', WINDOW_MS, 1);
    expect(await refund()).toBe(true);
    expect((await storage.increment('user:1', WINDOW_MS, 1)).isBlocked).toBe(false);
  });
});
