import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Hit, RateWindow } from './rate-window';

type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/**
 * The throttler's record (times in whole seconds), with the exact end of the window and a function to revert the hit.
 */
export type WindowRecord = ThrottlerRecord & Pick<Hit, 'resetAt' | 'refund'>;

/** Throttler storage with a fixed window. A client is blocked until the window ends. */
export class WindowThrottlerStorage implements ThrottlerStorage {
  /** @param window counter of hits */
  constructor(private readonly window: RateWindow) {}

  /**
   * Counts one hit. The length of the window is fixed, so the throttler's `ttl` and `blockDuration` are not used.
   * @param limit hits allowed per window
   */
  async increment(key: string, _ttl: number, limit: number): Promise<WindowRecord> {
    const { hits, resetAt, refund } = await this.window.hit(key);
    const timeToExpire = Math.max(1, Math.ceil((resetAt - Date.now()) / 1000));
    const isBlocked = hits > limit;
    return {
      totalHits: hits,
      timeToExpire,
      isBlocked,
      timeToBlockExpire: isBlocked ? timeToExpire : 0,
      resetAt,
      refund,
    };
  }
}
