import { Injectable, Logger, OnModuleDestroy } from '@nestjs/common';
import { TooLargeError } from '../common/errors/api-errors';
import { inTime } from '../common/event-loop';
import { chunksOf, groupBy, growingCache } from '../common/lists/collections';
import { Config } from '../config/config';
import { Database } from '../database/database';
import { type Hit, MemoryWindow, TooManyAttemptsError } from '../platform/rate-limit/rate-window';
import { RedisConnection, redisPrefix } from '../platform/rate-limit/redis-connection';
import { RedisWindow } from '../platform/rate-limit/redis-window';
import type { KeyedProject } from './client-keys.store';
import { EventLog } from './event-log';
import { linkedIdsOf } from './links/linked-ids.store';
import { eventsIn, rejecting, type Resolution, type ResolvedEvent } from './message-outcome';
import { type EventKey, keyText } from './recent/recent-events.store';

/** Undoes the counting of events. */
type TakeBack = Hit['refund'];

/** @throws TooManyAttemptsError if the events exceed the limit; the events are then not counted */
function admitted(hit: Hit, limit: number): TakeBack | Promise<TakeBack> {
  if (hit.hits <= limit) {
    return hit.refund;
  }
  const refusal = new TooManyAttemptsError(limit, hit, 'EVENTS_RATE_LIMITED');
  const isTakenBack = hit.refund();
  if (isTakenBack instanceof Promise) {
    return isTakenBack.then(() => Promise.reject(refusal));
  }
  throw refusal;
}

/**
 * Limits the events per minute that each project collects with its client key, in fixed windows that begin with the
 * first event. With Redis, all processes share the counts; without Redis, each process counts separately.
 */
@Injectable()
export class EventLimits implements OnModuleDestroy {
  private readonly shared: RedisWindow | null;
  private readonly own = new MemoryWindow();

  constructor(private readonly config: Config) {
    const logger = new Logger(EventLimits.name);
    const warn = (message: string): void => logger.warn(message);
    const { redisUrl: url } = config;
    this.shared =
      url === null
        ? null
        : new RedisWindow(new RedisConnection({ url, warn }), redisPrefix(config, 'events'));
  }

  onModuleDestroy(): void {
    this.shared?.close();
  }

  /**
   * Counts received events. Without Redis, the result is synchronous.
   * @returns a function that undoes the counting; call it if the events are not stored
   * @throws TooLargeError if there are more events than the limit per minute
   * @throws TooManyAttemptsError if the limit for this minute is reached
   */
  admit({ projectId, eventsPerMinute }: KeyedProject, events: number): TakeBack | Promise<TakeBack> {
    const limit = eventsPerMinute ?? this.config.eventsPerMinute;
    if (limit === 0 || events === 0) {
      return () => true;
    }
    if (events > limit) {
      throw new TooLargeError(limit);
    }
    const key = String(projectId);
    return this.shared === null
      ? admitted(this.own.hit(key, events), limit)
      : this.shared.hit(key, events).then((hit) => admitted(hit, limit));
  }
}

/**
 * Number of received events after which a visitor's stored events are counted, unless `EVENTS_PER_VISITOR` is lower.
 * Few visitors ever send that many events.
 */
const COUNTED_EVERY = 500;
/**
 * Share of the limit that a visitor close to it can receive before the stored events are counted again, so that repeated
 * events do not cause a query each.
 */
const LEAST_SHARE = 0.01;
const MAX_VISITORS = 50_000;
/** Time after which the events from a visitor at the limit are counted again, because some may have been removed. */
const FULL_MS = 600_000;
/**
 * Timeout for queries of the event log. Collection must not wait if the event log does not respond, or if it cannot be
 * read because events are being moved.
 */
const LOOK_MS = 1_000;
const PARALLEL_LOOKS = 4;
/** Maximum number of events in a statement that lists their keys. */
const CHUNK = 500;

interface Received {
  projectId: number;
  resolution: Resolution;
}

interface Visitor {
  projectId: number;
  visitorId: string;
}

/**
 * Rejects events from visitors who already have too many. Each new event from a visitor is attributed together with all
 * earlier ones, so an id that many visitors share or that an attacker sends would block the process for seconds and
 * eventually exhaust its memory. Each process counts the events that it receives, and queries the event log only for
 * visitors with many events, so a visitor may exceed the maximum: by the events of one request, and by those that
 * arrive in other processes or under other linked ids before the next query.
 */
@Injectable()
export class VisitorLimit {
  /** Events that may be received before the event log is queried, by visitor; `countedEvery` by default. */
  private readonly left = growingCache<string, number>(MAX_VISITORS);
  private readonly full = growingCache<string, true>(MAX_VISITORS, FULL_MS);
  private readonly countedEvery: number;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly log: EventLog,
  ) {
    this.countedEvery = Math.min(COUNTED_EVERY, config.eventsPerVisitor);
  }

  /**
   * Rejects messages with new events from visitors at the limit. Messages whose events are already stored are accepted,
   * but their events are omitted.
   * @param received requests that are stored together; the results are in the same order
   */
  async apply(received: readonly Received[]): Promise<Resolution[]> {
    if (this.config.eventsPerVisitor < Infinity) {
      const due = this.note(received);
      if (due.size > 0) {
        await this.look(due, received);
      }
    }
    const stored = await this.storedOfFull(received);
    return received.map(({ projectId, resolution }) => {
      const isFull = (event: ResolvedEvent): boolean => this.isFull(projectId, event);
      if (!resolution.events.some(isFull)) {
        return resolution;
      }
      const isTooMuch = (event: ResolvedEvent): boolean =>
        isFull(event) && !stored.has(nameOf(projectId, event));
      const rest = rejecting(resolution, (outcome) => eventsIn(outcome).some(isTooMuch), 'too_many_events');
      return { ...rest, events: rest.events.filter((event) => !isFull(event)) };
    });
  }

  private isFull(projectId: number, { visitor_id }: ResolvedEvent): boolean {
    return this.full.size > 0 && this.full.has(keyOf(projectId, visitor_id));
  }

  /** @returns the visitors whose stored events have to be counted, by key */
  private note(received: readonly Received[]): ReadonlyMap<string, Visitor> {
    const due = new Map<string, Visitor>();
    for (const { projectId, resolution } of received) {
      for (const { visitor_id: visitorId } of resolution.events) {
        const key = keyOf(projectId, visitorId);
        const left = (this.left.get(key) ?? this.countedEvery) - 1;
        this.left.set(key, left);
        if (left <= 0 && !this.full.has(key)) {
          due.set(key, { projectId, visitorId });
        }
      }
    }
    return due;
  }

  /**
   * Finds out which visitors are at the limit, and how many events the others may send until the next query. The events
   * of visitors at the limit are counted again with the first one after `FULL_MS`.
   */
  private async look(due: ReadonlyMap<string, Visitor>, received: readonly Received[]): Promise<void> {
    due.forEach((_, key) => this.left.delete(key));
    const sent = groupBy(
      received.flatMap(({ projectId, resolution }) =>
        resolution.events.map(({ visitor_id }) => keyOf(projectId, visitor_id)),
      ),
      (key) => key,
    );
    await briefly([...due.values()], async (visitor) => {
      const { ids, count } = await this.storedOf(visitor);
      const left = this.leftAfter(count, ids.length);
      for (const key of ids.map((id) => keyOf(visitor.projectId, id))) {
        if (left === 0) {
          this.full.set(key, true);
        }
        // The received events are not stored yet.
        this.left.set(key, left - (sent.get(key)?.length ?? 0));
      }
    });
  }

  /** @returns events that each id of a visitor may send until the next query; 0 if the visitor is at the limit */
  private leftAfter(count: number, ids: number): number {
    const limit = this.config.eventsPerVisitor;
    const share = Math.max(Math.floor((limit - count) / ids), Math.ceil(limit * LEAST_SHARE));
    return count >= limit ? 0 : Math.min(share, this.countedEvery);
  }

  /** The already stored events from visitors at the limit, by `nameOf`. */
  private async storedOfFull(received: readonly Received[]): Promise<ReadonlySet<string>> {
    const stored = new Set<string>();
    const questions = [...groupBy(received, ({ projectId }) => projectId)].flatMap(([projectId, own]) => {
      const events = own.flatMap(({ resolution }) => resolution.events);
      const full = events.filter((event) => this.isFull(projectId, event));
      return chunksOf(full, CHUNK).map((chunk) => ({ projectId, keys: chunk.map(eventKeyOf) }));
    });
    await briefly(questions, async ({ projectId, keys }) => {
      const times = await this.log.storedAt(projectId, keys);
      [...times.keys()].forEach((text) => stored.add(keyOf(projectId, text)));
    });
    return stored;
  }

  /** All ids of a visitor, and the number of their stored events, up to the limit. */
  private async storedOf({ projectId, visitorId }: Visitor): Promise<{ ids: string[]; count: number }> {
    const links = await linkedIdsOf(this.database.read, projectId, [visitorId], 'all');
    const ids = links.and([visitorId]);
    return { ids, count: await this.log.countOf(projectId, ids, this.config.eventsPerVisitor) };
  }
}

const keyOf = (projectId: number, text: string): string => `${projectId}\n${text}`;

const eventKeyOf = ({ visitor_id, event_id }: ResolvedEvent): EventKey => ({
  visitorId: visitor_id,
  eventId: event_id,
});

const nameOf = (projectId: number, event: ResolvedEvent): string =>
  keyOf(projectId, keyText(eventKeyOf(event)));

/** Queries the event log with limited concurrency, and abandons queries that take too long. */
async function briefly<T>(questions: readonly T[], ask: (question: T) => Promise<void>): Promise<void> {
  if (questions.length === 0) {
    return;
  }
  const late = new AbortController();
  const waiting = questions.values();
  const asking = Array.from({ length: PARALLEL_LOOKS }, async () => {
    for (const question of waiting) {
      if (!late.signal.aborted) {
        await ask(question).catch(() => undefined);
      }
    }
  });
  await inTime(Promise.all(asking), LOOK_MS, null);
  late.abort();
}
