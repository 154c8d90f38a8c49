import { hash } from 'node:crypto';
import type { ThrottlerStorage } from '@nestjs/throttler';
import type { LRUCache } from 'lru-cache';
import { ApiError } from '../../common/errors/api-errors';
import { growingCache } from '../../common/lists/collections';
import { cutCopy } from '../../common/text/strings';

/** Length of every window, in milliseconds. */
export const WINDOW_MS = 60_000;

/** Maximum number of keys of one kind whose windows are kept. */
export const MAX_KEYS = 50_000;
const MAX_KEY_LENGTH = 100;

/** One hit, or several hits counted together. */
export interface Hit {
  /** Hits in the window so far, including these. */
  hits: number;
  /** When the window ends: Unix time in milliseconds. */
  resetAt: number;
  /** Reverts the hits, unless their window has ended. Call it only once. @returns whether they were reverted */
  refund: () => boolean | Promise<boolean>;
}

/** Counts hits per key in fixed windows of one minute. A key's window begins with its first hit. */
export interface RateWindow {
  /**
   * Counts hits, and opens a window if none is open. Never rejects.
   * @param count a positive integer; 1 by default
   */
  hit(key: string, count?: number): Hit | Promise<Hit>;
}

/**
 * A copy of a key with bounded length, because keys contain client input. The key itself may point into a whole body or
 * header, which would stay in memory as long as its window.
 */
export const bounded = (key: string): string =>
  key.length <= MAX_KEY_LENGTH ? cutCopy(key, MAX_KEY_LENGTH) : hash('sha256', key, 'base64url');

/**
 * What a key of the API's and the sign-in's limits counts. Each kind has its own windows, so that keys that are easy to
 * invent cannot evict the windows of another kind.
 */
const KINDS = [
  'user',
  'address',
  'sign-in-address',
  'sign-in-email',
  'sign-in-email-address',
  'invitation-address',
  'openid-address',
  'password-user',
] as const;

type Kind = (typeof KINDS)[number];

/** A key of the API's and the sign-in's limits. */
export type RateKey = `${Kind}:${string}`;

/** Counts each kind of key in a counter of its own. */
export class WindowsByKind implements RateWindow {
  private readonly windows: ReadonlyMap<string, RateWindow>;

  /** @param create creates the counter for one kind */
  constructor(create: () => RateWindow) {
    this.windows = new Map(KINDS.map((kind) => [kind, create()]));
  }

  hit(key: RateKey, count?: number): Hit | Promise<Hit> {
    const kind = key.slice(0, key.indexOf(':'));
    const window = this.windows.get(kind);
    if (window === undefined) {
      throw new Error(`Unknown kind of rate limit: ${kind}`);
    }
    return window.hit(key, count);
  }
}

interface Window {
  hits: number;
  /** Unix milliseconds. */
  resetAt: number;
}

/**
 * Counts in the memory of this process, for a bounded number of keys. The memory limiter of `rate-limiter-flexible` is
 * not used, because its number of keys is unbounded and its API is asynchronous, while delivery counts every request
 * synchronously.
 */
export class MemoryWindow implements RateWindow {
  private readonly windows: LRUCache<string, Window>;

  /** @param maxKeys the maximum number of windows; if there are more, the least recently hit windows are evicted */
  constructor(maxKeys: number = MAX_KEYS) {
    this.windows = growingCache(maxKeys);
  }

  /** Number of stored keys, including keys with expired windows. */
  get size(): number {
    return this.windows.size;
  }

  /**
   * Counts hits, and opens a window if none is open.
   * @param count number of hits, a positive integer
   */
  hit(key: string, count = 1): Hit {
    const name = bounded(key);
    const window = this.openWindow(name);
    window.hits += count;
    const refund = (): boolean => {
      const isOpen = window.resetAt > Date.now() && this.windows.peek(name) === window;
      window.hits -= isOpen ? count : 0;
      return isOpen;
    };
    return { hits: window.hits, resetAt: window.resetAt, refund };
  }

  /** Replaces the local count with the count of a window that ends at `resetAt` (Unix milliseconds). */
  goOnFrom(key: string, hits: number, resetAt: number): void {
    if (resetAt > Date.now()) {
      this.windows.set(bounded(key), { hits, resetAt });
    }
  }

  /**
   * The key's open window, or a new one. If a window ends later than a new one would, it was opened before the system
   * clock was set back and is therefore replaced.
   */
  private openWindow(name: string): Window {
    const now = Date.now();
    const known = this.windows.get(name);
    if (known !== undefined && known.resetAt > now && known.resetAt <= now + WINDOW_MS) {
      return known;
    }
    const window = { hits: 0, resetAt: now + WINDOW_MS };
    this.windows.set(name, window);
    return window;
  }
}

type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/**
 * The throttler's record (times in whole seconds), with the exact end of the window and a function that reverts the
 * hit.
 */
export type WindowRecord = ThrottlerRecord & Pick<Hit, 'resetAt' | 'refund'>;

/** Throttler storage with fixed windows. A client is blocked until the window ends. */
export class WindowThrottlerStorage implements ThrottlerStorage {
  /** @param window counter of hits */
  constructor(private readonly window: RateWindow) {}

  /**
   * Counts one hit. The length of the window is fixed, so the throttler's `ttl` and `blockDuration` are not used.
   * @param limit hits allowed per window
   */
  async increment(key: RateKey, _ttl: number, limit: number): Promise<WindowRecord> {
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

/** Seconds until a window ends, for `Retry-After`. At least 1, and at most the length of a window. */
export const secondsLeft = ({ resetAt }: Pick<Hit, 'resetAt'>): number =>
  Math.min(WINDOW_MS / 1000, Math.max(1, Math.ceil((resetAt - Date.now()) / 1000)));

/**
 * Thrown when the limit for a window is exceeded (429). The headers contain the limit and the start of the next window.
 */
export class TooManyAttemptsError extends ApiError {
  constructor(
    limit: number,
    window: Pick<Hit, 'resetAt'>,
    code: 'RATE_LIMITED' | 'EVENTS_RATE_LIMITED' = 'RATE_LIMITED',
  ) {
    super(
      code,
      undefined,
      {},
      {
        'retry-after': String(secondsLeft(window)),
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(Math.ceil(window.resetAt / 1000)),
      },
    );
  }
}
