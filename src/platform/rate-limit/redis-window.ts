import { type RateLimiterAbstract, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import { growingCache } from '../../common/lists/collections';
import { ReplyError } from 'ioredis';
import { bounded, type Hit, MAX_KEYS, MemoryWindow, type RateWindow, WINDOW_MS } from './rate-window';
import type { RedisConnection } from './redis-connection';

/**
 * Options of the library's limiters. The limiters only count. The caller compares the count with the limit, because
 * each user can have a different limit.
 */
const COUNTING = { points: Number.MAX_SAFE_INTEGER, duration: WINDOW_MS / 1000 } as const;

/** Local copy of a shared count. */
interface Known {
  /** The last count from Redis, and the end of its window (Unix milliseconds). */
  shared: number;
  resetAt: number;
  /** The connection that returned the count. */
  connection: number;
  /** Hits counted only in this process. They are added to the shared count with the next hit. */
  owed: number;
  /** Whether this process has continued the shared count locally. */
  isLocal: boolean;
}

/**
 * Counts in Redis, so all processes share one budget. While Redis is unavailable, each process continues from the last
 * shared count. The library's insurance limiter would start at zero and discard its count afterwards, which would
 * multiply the limit of any client that can slow Redis down.
 */
export class RedisWindow implements RateWindow {
  private readonly limiter: RateLimiterRedis;
  private readonly local = new MemoryWindow();
  private readonly known = growingCache<string, Known>(MAX_KEYS);

  /**
   * Does not connect. The connection is opened by `connect` or the first hit.
   * @param redis the connection, which several counters can share
   * @param keyPrefix prefix of the keys in Redis
   */
  constructor(
    private readonly redis: RedisConnection,
    keyPrefix: string,
  ) {
    this.limiter = new RateLimiterRedis({
      ...COUNTING,
      storeClient: redis.client,
      keyPrefix,
      rejectIfRedisNotReady: true,
    });
  }

  /** See `RedisConnection.connect`. */
  connect(): Promise<void> {
    return this.redis.connect();
  }

  /** Counts hits, in Redis if it responds, otherwise in this process. */
  async hit(key: string, count = 1): Promise<Hit> {
    const name = bounded(key);
    const known = this.knownOf(name);
    let isSent = false;
    const counted = await this.redis.ask(async () => {
      const { owed } = known;
      isSent = true;
      try {
        return await this.share(name, known, count);
      } catch (error) {
        if (error instanceof ReplyError) {
          isSent = false;
          known.owed += owed;
        }
        throw error;
      }
    });
    if (counted === undefined) {
      // A hit that timed out was sent, and Redis will probably still count it once Redis recovers. Only hits that were
      // not sent, or that Redis refused, are added later.
      return this.hitLocally(name, known, count, isSent ? 0 : count);
    }
    Object.assign(known, { shared: counted.consumedPoints, resetAt: endOf(counted), isLocal: false });
    const { resetAt } = known;
    const refund = async (): Promise<boolean> =>
      (await this.redis.ask(() => rewardHits(this.limiter, name, resetAt, count))) ?? false;
    return { hits: counted.consumedPoints, resetAt, refund };
  }

  /** Closes the connection permanently. Later hits are counted in this process. */
  close(): void {
    this.redis.close();
  }

  private knownOf(name: string): Known {
    const known = this.known.get(name);
    if (known !== undefined && known.resetAt > Date.now()) {
      return known;
    }
    const { connection } = this.redis;
    const fresh = { shared: 0, resetAt: Date.now() + WINDOW_MS, connection, owed: 0, isLocal: false };
    this.known.set(name, fresh);
    return fresh;
  }

  /**
   * Counts hits in Redis, including local hits that Redis does not have yet. Commands on the same connection run in
   * order.
   */
  private share(name: string, known: Known, count: number): Promise<RateLimiterRes> {
    const { shared, resetAt, owed } = known;
    const isNewConnection = known.connection !== this.redis.connection;
    Object.assign(known, { connection: this.redis.connection, owed: 0 });
    if (isNewConnection && shared > 0) {
      // Redis may have lost its counts in a restart. The first process that reconnects restores the count.
      const msLeft = Math.max(1, resetAt - Date.now());
      void this.redis.client
        .set(this.limiter.getKey(name), shared, 'PX', msLeft, 'NX')
        .catch(() => undefined);
    }
    return this.limiter.consume(name, count + owed);
  }

  private hitLocally(name: string, known: Known, count: number, owed: number): Hit {
    known.owed += owed;
    if (!known.isLocal) {
      known.isLocal = true;
      this.local.goOnFrom(name, known.shared, known.resetAt);
    }
    const hit = this.local.hit(name, count);
    known.resetAt = hit.resetAt;
    const refund = (): boolean | Promise<boolean> => {
      known.owed = Math.max(0, known.owed - owed);
      return hit.refund();
    };
    return { ...hit, refund };
  }
}

/** The end of a window in Unix milliseconds, at most one window length from now. */
const endOf = ({ msBeforeNext }: RateLimiterRes): number =>
  Date.now() + Math.min(WINDOW_MS, Math.max(0, msBeforeNext));

/**
 * Reverts hits in the window that ends at `resetAt` (Unix milliseconds), if the window is still open. The library's
 * `reward` decrements any open window and, if there is none, opens one with a negative count. Both cases are corrected
 * here.
 */
async function rewardHits(
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
