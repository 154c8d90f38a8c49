import type { ThrottlerStorage } from '@nestjs/throttler';
import type { RateWindow } from './fixed-window';

type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** The throttler's record (times in whole seconds) with the exact end of the window. */
export interface WindowRecord extends ThrottlerRecord {
  /** When the window ends: Unix time in milliseconds. */
  resetAt: number;
}

/** Lets the throttler count in a fixed window, whose end is also the end of being blocked. */
export class WindowThrottlerStorage implements ThrottlerStorage {
  /**
   * @param window where the hits are counted
   * @param now clock, Unix time in milliseconds
   */
  constructor(
    private readonly window: RateWindow,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Counts one hit. The window decides how long it lasts, so neither the throttler's `ttl` nor its
   * `blockDuration` is used.
   * @param limit hits allowed per window
   */
  async increment(key: string, _ttl: number, limit: number): Promise<WindowRecord> {
    const { hits, resetAt } = await this.window.hit(key);
    const timeToExpire = Math.max(1, Math.ceil((resetAt - this.now()) / 1000));
    const isBlocked = hits > limit;
    return {
      totalHits: hits,
      timeToExpire,
      isBlocked,
      timeToBlockExpire: isBlocked ? timeToExpire : 0,
      resetAt,
    };
  }

  /**
   * Takes one hit back, unless its window is over.
   * @param resetAt end of the window the hit was counted in (Unix milliseconds)
   * @returns whether a hit was taken back
   */
  async refund(key: string, resetAt: number): Promise<boolean> {
    return this.window.refund(key, resetAt);
  }
}
