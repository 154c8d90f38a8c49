import { Redis, ReplyError } from 'ioredis';
import { FixedWindowCounter, type RateWindow, WINDOW_MS, type WindowState } from './fixed-window';

const KEY_PREFIX = 'gosset:rate:';
const COMMAND_TIMEOUT_MS = 200;
const CONNECT_TIMEOUT_MS = 2_000;

/**
 * The expiry is set whenever there is none rather than on the count of 1: after a refund the count is 1
 * again in a window that is already running.
 */
const HIT_SCRIPT = `
local hits = redis.call('INCR', KEYS[1])
local ttl = redis.call('PTTL', KEYS[1])
if ttl < 0 then
  ttl = tonumber(ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ttl)
end
return {hits, ttl}`;

const REFUND_SCRIPT = `
local ttl = redis.call('PTTL', KEYS[1])
if ttl < 0 or ttl > tonumber(ARGV[1]) or tonumber(redis.call('GET', KEYS[1])) < 1 then
  return 0
end
redis.call('DECR', KEYS[1])
return 1`;

interface RateCommands {
  rateHit(key: string, windowMs: number): Promise<[hits: number, ttlMs: number]>;
  rateRefund(key: string, longestTtlMs: number): Promise<0 | 1>;
}

/** How to reach Redis and whom to tell when it cannot be reached. */
export interface RedisWindowOptions {
  /** `redis://` or `rediss://` address. */
  url: string;
  /** Called once per outage with a sentence for the log. */
  warn: (message: string) => void;
  /** Clock, Unix time in milliseconds. */
  now?: () => number;
}

/**
 * Counts in Redis, so that all processes share one budget. While Redis cannot be used each process counts
 * by itself: no call ever rejects, and none takes much longer than the command time-out.
 */
export class RedisWindow implements RateWindow {
  private readonly client: Redis & RateCommands;
  private readonly now: () => number;
  private readonly warn: (message: string) => void;
  private readonly local: FixedWindowCounter;
  private usable = false;
  /**
   * Tells connections apart: a command that fails late must not close the connection that came after its
   * own.
   */
  private connection = 0;
  private outage = false;
  private closed = false;

  /** Opens no connection yet; `connect` or the first hit does. */
  constructor({ url, warn, now = Date.now }: RedisWindowOptions) {
    this.now = now;
    this.warn = warn;
    this.local = new FixedWindowCounter(now);
    this.client = this.createClient(url);
    this.client.on('ready', () => this.onReady());
    this.client.on('close', () => (this.usable = false));
    this.client.on('error', (error: Error) => this.noteOutage(error));
  }

  /**
   * Opens the connection ahead of the first hit, which would otherwise be counted in this process only.
   * Resolves when Redis is ready or the first attempt has failed (which is warned of); attempts then go on
   * in the background.
   */
  async connect(): Promise<void> {
    await this.client.connect().catch(() => undefined);
  }

  /** Counts one hit, in Redis if it answers, otherwise in this process. */
  async hit(key: string): Promise<WindowState> {
    const answer = await this.ask(() => this.client.rateHit(key, WINDOW_MS));
    if (!answer) return this.local.hit(key);
    const [hits, ttlMs] = answer;
    return { hits, resetAt: this.now() + ttlMs };
  }

  /** Takes one hit back from the window that ends at `resetAt` (Unix milliseconds), where it was counted. */
  async refund(key: string, resetAt: number): Promise<boolean> {
    if (this.local.refund(key, resetAt)) return true;
    // The clocks here and there may disagree by a little, but a later window ends at least one length later.
    const longestTtlMs = resetAt - this.now() + WINDOW_MS / 2;
    const refunded = await this.ask(() => this.client.rateRefund(key, longestTtlMs));
    return refunded === 1;
  }

  /** Closes the connection at once and for good; hits that still come are counted in this process. */
  close(): void {
    this.closed = true;
    this.usable = false;
    this.client.disconnect();
  }

  private createClient(url: string): Redis & RateCommands {
    const client = new Redis(url, {
      keyPrefix: KEY_PREFIX,
      lazyConnect: true,
      enableOfflineQueue: false,
      // A hit that is already counted in this process must not be counted in Redis later.
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 1,
      commandTimeout: COMMAND_TIMEOUT_MS,
      connectTimeout: CONNECT_TIMEOUT_MS,
      // The client waits this long even for a connection that is gone already, which would delay the end of
      // the process.
      disconnectTimeout: COMMAND_TIMEOUT_MS,
    });
    client.defineCommand('rateHit', { numberOfKeys: 1, lua: HIT_SCRIPT });
    client.defineCommand('rateRefund', { numberOfKeys: 1, lua: REFUND_SCRIPT });
    return client as Redis & RateCommands;
  }

  private async ask<T>(command: () => Promise<T>): Promise<T | undefined> {
    if (!this.usable) {
      if (this.client.status === 'wait') void this.connect();
      return undefined;
    }
    const connection = this.connection;
    try {
      const answer = await command();
      this.outage = false;
      return answer;
    } catch (error) {
      this.noteOutage(error as Error);
      if (!(error instanceof ReplyError)) this.reconnect(connection);
      return undefined;
    }
  }

  /**
   * Without this every request would wait for the time-out while Redis hangs: a new connection must answer
   * first.
   */
  private reconnect(connection: number): void {
    if (!this.usable || connection !== this.connection) return;
    this.usable = false;
    this.client.disconnect(true);
  }

  private onReady(): void {
    this.connection += 1;
    this.usable = true;
  }

  private noteOutage(error: Error & { code?: string }): void {
    if (this.outage || this.closed) return;
    this.outage = true;
    const cause = error.message || error.code;
    this.warn(`Redis cannot be used (${cause}); until it can, each process counts requests by itself.`);
  }
}
