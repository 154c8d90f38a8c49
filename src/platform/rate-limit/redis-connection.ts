import { createHash } from 'node:crypto';
import { Redis, ReplyError } from 'ioredis';
import { inTime } from '../../common/event-loop';
import type { Config } from '../../config/config';

const LATE = Symbol('late');

/** Command timeout in milliseconds. After a timeout, requests no longer wait for this connection. */
const DEADLINE_MS = 150;
/**
 * Timeout in milliseconds, once for opening a connection and once more for the client's handshake on the connection.
 */
const CONNECT_TIMEOUT_MS = 2_000;
/** Time in milliseconds before the next connection attempt, if Redis responds but refuses the connection. */
const REFUSED_PAUSE_MS = 2_000;

/**
 * The prefix of all keys in Redis with this purpose. It depends on a secret that the processes of a deployment share,
 * because several deployments can use the same Redis, and their users and projects have the same ids.
 */
export function redisPrefix({ sessionSecret, database }: Config, purpose: string): string {
  const secret = sessionSecret ?? JSON.stringify(database);
  return `gosset:${purpose}:${createHash('sha256').update(secret).digest('hex').slice(0, 16)}`;
}

/** The Redis URL and a callback for outages. */
export interface RedisOptions {
  /** `redis://` or `rediss://` URL. */
  url: string;
  /** Called once per outage, with a log message. */
  warn: (message: string) => void;
}

/**
 * A Redis connection with a command timeout. After a timeout, no commands are sent until a new connection has responded
 * in time (circuit breaker).
 */
export class RedisConnection {
  readonly client: Redis;
  private readonly warn: (message: string) => void;
  private usable = false;
  private serial = 0;
  private probing: Promise<void> = Promise.resolve();
  private handshake: NodeJS.Timeout | undefined;
  private outage = false;
  private closed = false;
  /** Settles when the first connection is usable or has failed. */
  private first: Promise<void> | undefined;
  /** Like `first`, but settles at the latest after the time that a command may take. */
  private firstInTime: Promise<void> | undefined;

  /** Does not connect. The connection is opened by `connect` or the first command. */
  constructor({ url, warn }: RedisOptions) {
    this.warn = warn;
    this.client = new Redis(url, {
      lazyConnect: true,
      enableOfflineQueue: false,
      // Hits that were counted in this process must not be counted again in Redis later.
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 1,
      connectTimeout: CONNECT_TIMEOUT_MS,
      // The client waits this long even for a closed connection. A longer time would delay the shutdown.
      disconnectTimeout: DEADLINE_MS,
    });
    this.client.on('connect', () => this.watchHandshake());
    this.client.on('ready', () => {
      clearTimeout(this.handshake);
      this.probing = this.probe();
    });
    this.client.on('close', () => {
      clearTimeout(this.handshake);
      this.usable = false;
    });
    this.client.on('error', (error: Error) => this.noteOutage(error));
  }

  /** Identifies the connection, because Redis may have lost data since an earlier connection. */
  get connection(): number {
    return this.serial;
  }

  /**
   * Connects before the first command. Resolves when Redis has responded or the first attempt has failed (with a
   * warning), in either case within seconds. After a failure, attempts to connect continue in the background.
   */
  connect(): Promise<void> {
    return (this.first ??= this.open());
  }

  /**
   * Sends commands. The first command opens the connection.
   * @returns undefined if Redis is unavailable or has not responded in time
   */
  async ask<T>(command: () => Promise<T>): Promise<T | undefined> {
    if (!this.usable) {
      await (this.firstInTime ??= answered(this.connect()).catch(() => undefined));
    }
    if (!this.usable) {
      return undefined;
    }
    const connection = this.serial;
    try {
      const answer = await answered(command());
      this.outage = false;
      return answer;
    } catch (error) {
      this.noteOutage(error as Error);
      if (!(error instanceof ReplyError)) this.reconnect(connection);
      return undefined;
    }
  }

  /** Closes the connection immediately and permanently. */
  close(): void {
    this.closed = true;
    this.usable = false;
    this.client.disconnect();
  }

  private async open(): Promise<void> {
    await this.client.connect().catch(() => undefined);
    await this.probing;
  }

  /** Ends a connection on which Redis does not respond, because the client would wait for it forever. */
  private watchHandshake(): void {
    const end = (): void => {
      this.noteOutage(new Error(`no response within ${CONNECT_TIMEOUT_MS} ms`));
      this.client.disconnect(true);
    };
    this.handshake = setTimeout(end, CONNECT_TIMEOUT_MS).unref();
  }

  /** Probes a new connection before use, because it may still be slow and requests should not wait for it. */
  private async probe(): Promise<void> {
    this.serial += 1;
    const connection = this.serial;
    try {
      await answered(this.answer());
      this.usable = connection === this.serial && this.client.status === 'ready';
    } catch (error) {
      this.noteOutage(error as Error);
      const reconnect = (): void => {
        if (connection === this.serial && !this.closed) this.client.disconnect(true);
      };
      if (error instanceof ReplyError) {
        setTimeout(reconnect, REFUSED_PAUSE_MS).unref();
      } else {
        reconnect();
      }
    }
  }

  /**
   * Pings Redis or, if the URL specifies a database other than 0, selects this database. Without the selection, the
   * client would silently use database 0 if Redis does not have this database.
   */
  private answer(): Promise<string> {
    const { db = 0 } = this.client.options;
    return db === 0 ? this.client.ping() : this.client.select(db);
  }

  private reconnect(connection: number): void {
    if (!this.usable || connection !== this.serial) return;
    this.usable = false;
    this.client.disconnect(true);
  }

  private noteOutage(error: Error & { code?: string }): void {
    if (this.outage || this.closed) return;
    this.outage = true;
    const cause = error.message || error.code;
    this.warn(
      `Redis is unavailable (${cause}). Until it is available again, each process counts separately.`,
    );
  }
}

/** Rejects on timeout. */
async function answered<T>(answer: Promise<T>): Promise<T> {
  const result = await inTime(answer, DEADLINE_MS, LATE);
  if (result === LATE) {
    throw new Error(`no response within ${DEADLINE_MS} ms`);
  }
  return result;
}
