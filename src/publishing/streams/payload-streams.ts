import { Readable } from 'node:stream';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import { UnavailableError, ValidationError } from '../../common/errors/api-errors';
import { mapInTurns } from '../../common/event-loop';
import { idleTimeout } from '../../common/http/connections';
import { groupBy } from '../../common/lists/collections';
import { Config } from '../../config/config';
import { requestedPayload } from '../payload-query';
import { type Encoded, writtenPayload } from '../published';
import { PublishedProjects } from '../published-projects';
import { StreamLimits, type StreamOwner } from './stream-limits';

/**
 * How often to check for new payloads, in milliseconds. Streams poll, because other processes also publish.
 * `PublishedProjects` queries the database only once a second, for all projects in use.
 */
const CHECK_MS = 500;
const HEARTBEAT_MS = 15_000;
/**
 * The delay before clients reconnect. It differs between clients, so they do not all reconnect at the same moment after
 * a restart.
 */
const RETRY_MS = { least: 2_000, spread: 3_000 };
/** The `Retry-After` for clients that exceed a limit. */
const RETRY_AFTER_SECONDS = 30;

/** The query parameters that select a payload; see `requestedPayload`. */
interface PayloadQuery {
  environment?: unknown;
  experiments?: unknown;
}

/** A client's request. */
export interface StreamRequest extends StreamOwner {
  query: PayloadQuery;
  /** `Last-Event-ID`: the tag of the payload that the client has. */
  lastTag: string | undefined;
}

interface Subscriber {
  stream: EventStream;
  clientKey: string;
  query: PayloadQuery;
  /** The tag of the payload that was sent last. */
  tag: string;
}

/** Streams payloads to SDKs: the current payload when a client connects, and each new one when it goes live. */
@Injectable()
export class PayloadStreams {
  private readonly logger = new Logger('Streams');
  private readonly limits: StreamLimits;
  private readonly subscribers = new Set<Subscriber>();
  private readonly refused: Counter<'limit'>;
  private readonly heartbeatMs: number;
  private timer: NodeJS.Timeout | undefined;
  private heartbeatAt = 0;
  /** Why streams are rejected; null while they are accepted. */
  private closedReason: string | null = null;

  constructor(
    private readonly projects: PublishedProjects,
    @Inject(Config) private readonly config: Pick<Config, 'maxStreams' | 'requestTimeoutSeconds'>,
    registry: Registry,
  ) {
    this.limits = new StreamLimits(config.maxStreams);
    // Heartbeats are frequent enough to keep the idle timeout from closing the connection.
    this.heartbeatMs = Math.min(HEARTBEAT_MS, idleTimeout(config.requestTimeoutSeconds * 1000) / 4);
    const gauge: Gauge = new Gauge({
      name: 'gosset_streams_open',
      help: 'Open payload streams to SDKs',
      registers: [registry],
      collect: () => gauge.set(this.limits.size),
    });
    this.refused = new Counter({
      name: 'gosset_streams_refused_total',
      help: 'Refused streams, by the limit that they exceeded',
      labelNames: ['limit'],
      registers: [registry],
    });
  }

  /** Whether this process offers streams. */
  get isEnabled(): boolean {
    return this.config.maxStreams > 0;
  }

  /**
   * Opens a stream, which begins with the current payload unless the client already has it.
   * @returns null if the client key is unknown
   * @throws UnavailableError if a limit is exceeded, streams are closed, or no revision is available
   * @throws ValidationError if a query parameter is invalid
   */
  async open({ query, lastTag, ...owner }: StreamRequest): Promise<EventStream | null> {
    const { clientKey } = owner;
    const current = await this.current(clientKey, query);
    if (current === null) {
      return null;
    }
    const limit = this.limits.exceededBy(owner);
    const reason = limit === null ? this.closedReason : this.limits.reasonOf(limit);
    if (reason !== null) {
      this.refused.inc({ limit: limit ?? 'process' });
      throw new UnavailableError(RETRY_AFTER_SECONDS, 'UNAVAILABLE', reason);
    }
    const stream = this.subscribe(owner, query, tagOf(current));
    const retry = retryField(RETRY_MS.least + Math.floor(Math.random() * RETRY_MS.spread));
    stream.write(retry, ...(tagOf(current) === lastTag ? [] : [payloadEvent(current)]));
    this.schedule();
    return stream;
  }

  /** Ends all streams, and rejects new ones. @param reason a sentence for their clients */
  close(reason = 'The server is stopping.'): void {
    this.closedReason = reason;
    clearTimeout(this.timer);
    this.subscribers.forEach(({ stream }) => stream.end());
  }

  private subscribe(
    owner: StreamOwner,
    { environment, experiments }: PayloadQuery,
    tag: string,
  ): EventStream {
    const stream = new EventStream();
    const query = { environment, experiments };
    const subscriber = { stream, clientKey: owner.clientKey, query, tag };
    const release = this.limits.add(owner);
    this.subscribers.add(subscriber);
    stream.once('close', () => {
      release();
      this.subscribers.delete(subscriber);
    });
    return stream;
  }

  /** The current payload; null if there is none. */
  private async current(clientKey: string, query: PayloadQuery): Promise<Encoded | null> {
    const published = await this.projects.find(clientKey);
    const payload = published && requestedPayload(query, published);
    return payload && writtenPayload(payload);
  }

  private schedule(): void {
    if (this.timer !== undefined || this.closedReason !== null) {
      return;
    }
    this.timer = setTimeout(() => {
      void this.check().finally(() => {
        this.timer = undefined;
        if (this.subscribers.size > 0) {
          this.schedule();
        }
      });
    }, CHECK_MS).unref();
  }

  /** Sends the payloads that have changed, and heartbeats when they are due. */
  private async check(): Promise<void> {
    const now = performance.now();
    const isDue = now - this.heartbeatAt >= this.heartbeatMs;
    if (isDue) {
      this.heartbeatAt = now;
    }
    const groups = groupBy(this.subscribers, ({ clientKey, query }) => JSON.stringify([clientKey, query]));
    await Promise.all(
      [...groups.values()].map((group) =>
        this.update(group, isDue).catch((error: unknown) => {
          if (!(error instanceof UnavailableError)) {
            this.logger.error({ err: error }, 'A payload cannot be streamed');
          }
        }),
      ),
    );
  }

  /**
   * Updates all clients of one payload. If the payload no longer exists, the clients are disconnected and will get an
   * error when they reconnect.
   */
  private async update(group: readonly Subscriber[], isHeartbeatDue: boolean): Promise<void> {
    const [{ clientKey, query }] = group;
    const current = await this.current(clientKey, query).catch(nullIfInvalid);
    await mapInTurns(group, (subscriber) => {
      if (current === null) {
        subscriber.stream.end();
      } else if (subscriber.tag !== tagOf(current)) {
        subscriber.tag = tagOf(current);
        subscriber.stream.write(payloadEvent(current));
      } else if (isHeartbeatDue) {
        subscriber.stream.write(HEARTBEAT);
      }
    });
  }
}

/** Returns null for an invalid query, because the environment may have been deleted since the stream was opened. */
function nullIfInvalid(error: unknown): null {
  if (error instanceof ValidationError) {
    return null;
  }
  throw error;
}

/* Server-sent events, as defined by the HTML standard. */

/** The event stream that is sent to one client. */
export class EventStream extends Readable {
  /** Does nothing, because events are written when they occur, not on demand. */
  override _read(): void {}

  /**
   * Writes to the client. A client that has not read the previous data is disconnected, so that unread data cannot fill
   * the memory. When the client reconnects, it gets the current state.
   */
  write(...chunks: readonly Buffer[]): void {
    if (this.readableLength > 0) {
      this.destroy();
    } else if (!this.destroyed) {
      chunks.forEach((chunk) => this.push(chunk));
    }
  }

  /** Ends the response once all written data has been sent, or immediately if the client is not reading. */
  end(): void {
    if (this.readableLength > 0) {
      this.destroy();
    } else if (!this.destroyed) {
      this.push(null);
    }
  }
}

/** Identifies a payload. Clients send it as `Last-Event-ID` when they reconnect. */
const tagOf = ({ sha256 }: Encoded): string => sha256.slice(0, 32);

/** The encoded event of each payload, which all clients share. */
const events = new WeakMap<Encoded, Buffer>();

/** The event for a payload, in the format of the GrowthBook SDKs. Serialized JSON is always a single line. */
export function payloadEvent(payload: Encoded): Buffer {
  const known = events.get(payload);
  if (known !== undefined) {
    return known;
  }
  const head = Buffer.from(`id: ${tagOf(payload)}\nevent: features\ndata: `);
  const event = Buffer.concat([head, payload.plain, Buffer.from('\n\n')]);
  events.set(payload, event);
  return event;
}

/** A comment, which clients ignore. It keeps proxies from closing an idle connection. */
const HEARTBEAT = Buffer.from(':\n\n');

/** Sets the delay before the client reconnects. */
export const retryField = (milliseconds: number): Buffer => Buffer.from(`retry: ${milliseconds}\n\n`);
