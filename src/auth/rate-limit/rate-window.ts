import { hash } from 'node:crypto';
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';

/** Length of every window, in milliseconds. */
export const WINDOW_MS = 60_000;

const MAX_KEY_LENGTH = 100;

/**
 * Options of the library's limiters. They only count; the caller compares, because every user may have a different
 * limit.
 */
export const COUNTING = { points: Number.MAX_SAFE_INTEGER, duration: WINDOW_MS / 1000 } as const;

/** One counted hit, or several that were counted together. */
export interface Hit {
  /** Hits counted in the window so far, these included. */
  hits: number;
  /** When the window ends: Unix time in milliseconds. */
  resetAt: number;
  /** Reverts the hits, unless its window is over. Call it once only. @returns whether they were reverted */
  refund: () => boolean | Promise<boolean>;
}

/** Counts hits per key in fixed windows of one minute; a key's window begins with its first hit. */
export interface RateWindow {
  /**
   * Counts hits, and opens a window if none is open. Never rejects.
   * @param count a positive integer; 1 by default
   */
  hit(key: string, count?: number): Hit | Promise<Hit>;
}

/** A key of bounded length, because keys may contain client input. */
export const bounded = (key: string): string =>
  key.length <= MAX_KEY_LENGTH ? key : hash('sha256', key, 'base64url');

/** When a window ends: Unix time in milliseconds, never more than the length of a window ahead. */
export const endOf = ({ msBeforeNext }: RateLimiterRes): number =>
  Date.now() + Math.min(WINDOW_MS, Math.max(0, msBeforeNext));

/**
 * Reverts hits in the window that ends at `resetAt` (Unix milliseconds), if it is still open. The library's `reward`
 * decrements any open window, and opens one below zero if there is none; both cases are undone here.
 */
export async function takeBack(
  limiter: RateLimiterAbstract,
  key: string,
  resetAt: number,
  count: number,
): Promise<boolean> {
  const msLeft = resetAt - Date.now();
  if (msLeft <= 0) {
    return false;
  }
  const { consumedPoints, msBeforeNext } = await limiter.reward(key, count);
  // Clocks may differ slightly, but a later window ends at least one window length later.
  const isAnotherWindow = consumedPoints < 0 || msBeforeNext > msLeft + WINDOW_MS / 2;
  if (isAnotherWindow) {
    await limiter.penalty(key, count);
  }
  return !isAnotherWindow;
}
