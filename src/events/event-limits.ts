import { Injectable, Logger, OnModuleDestroy } from '@nestjs/common';
import { type Hit, MemoryWindow, TooManyAttemptsError } from '../platform/rate-limit/rate-window';
import { RedisWindow } from '../platform/rate-limit/redis-window';
import { TooLargeError } from '../common/errors/api-errors';
import { Config } from '../config/config';
import type { KeyedProject } from './client-keys.store';

/** Undoes the counting of events. */
type TakeBack = Hit['refund'];

/** @throws TooManyAttemptsError if the events exceed the limit; in this case, they are not counted */
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
 * first event. With Redis, all processes share the count; without Redis, each process counts separately.
 */
@Injectable()
export class EventLimits implements OnModuleDestroy {
  private readonly shared: RedisWindow | null;
  private readonly own = new MemoryWindow();
  private connecting: Promise<void> | undefined;

  constructor(private readonly config: Config) {
    const logger = new Logger(EventLimits.name);
    const warn = (message: string): void => logger.warn(message);
    const { redisUrl: url } = config;
    this.shared = url === null ? null : new RedisWindow({ url, keyPrefix: 'gosset:events', warn });
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
      : this.countTogether(this.shared, key, events).then((hit) => admitted(hit, limit));
  }

  /** Connects when the first events arrive, because admin commands count no events and need no connection. */
  private async countTogether(shared: RedisWindow, key: string, events: number): Promise<Hit> {
    await (this.connecting ??= shared.connect());
    return shared.hit(key, events);
  }
}
