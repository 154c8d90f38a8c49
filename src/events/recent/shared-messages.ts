import { randomUUID } from 'node:crypto';
import type { Config } from '../../config/config';
import { RedisConnection, redisPrefix } from '../../platform/rate-limit/redis-connection';
import { DAY_MICROS, dayOf, type Micros, nowMicros } from '../../common/time/clock';
import { isObject } from '../../common/validation/values';
import { type Facts, MAX_MESSAGES } from './project-watch';
import type { RecentMessage } from './recent-message';

/** Version of the stored format. During an upgrade, processes of a different version use a separate list. */
const FORMAT = 1;
const TWO_DAYS_S = 2 * 86_400;

/** The messages and facts of a project, from all processes with the same Redis. */
export interface Shared {
  /** Newest first. */
  messages: RecentMessage[];
  /** One entry for each process. */
  facts: Facts[];
  /** Data from before this time may have expired in Redis. */
  since: Micros;
}

/**
 * Shares messages and facts with other processes over Redis. There is one list of messages per project. Facts have one
 * entry per project, day and process, so writing the same facts again changes nothing.
 */
export class SharedMessages {
  private readonly redis: RedisConnection;
  private readonly process = randomUUID();
  private readonly prefix: string;

  constructor(url: string, config: Config, warn: (message: string) => void) {
    this.redis = new RedisConnection({ url, warn });
    this.prefix = redisPrefix(config, `recent:${FORMAT}`);
  }

  /** @param messages newest first @returns whether Redis has stored the messages and facts */
  async write(projectId: number, messages: readonly RecentMessage[], facts: Facts): Promise<boolean> {
    const taken = await this.redis.ask(() => {
      const writes = this.redis.client.pipeline();
      const list = this.listKey(projectId);
      if (messages.length > 0) {
        writes.lpush(list, ...[...messages].reverse().map((message) => JSON.stringify(message)));
        writes.ltrim(list, 0, MAX_MESSAGES - 1);
        writes.expire(list, TWO_DAYS_S);
      }
      const today = this.factsKey(projectId, dayOf(nowMicros()));
      writes.hset(today, this.process, JSON.stringify(facts));
      writes.expire(today, TWO_DAYS_S);
      return writes.exec();
    });
    return taken?.every(([error]) => error === null) ?? false;
  }

  /**
   * The messages and facts of a project, except for the facts from this process. Undefined if Redis does not respond.
   */
  async read(projectId: number): Promise<Shared | undefined> {
    const day = dayOf(nowMicros());
    const answers = await this.redis.ask(() =>
      Promise.all([
        this.redis.client.lrange(this.listKey(projectId), 0, MAX_MESSAGES - 1),
        this.redis.client.hgetall(this.factsKey(projectId, day - 1)),
        this.redis.client.hgetall(this.factsKey(projectId, day)),
      ]),
    );
    if (answers === undefined) {
      return undefined;
    }
    const [messages, yesterday, today] = answers;
    const { [this.process]: _, ...others } = { ...yesterday, ...today };
    return {
      messages: messages.flatMap((text) => parsed<RecentMessage>(text)),
      facts: Object.values(others).flatMap((text) => parsed<Facts>(text)),
      since: (day - 1) * DAY_MICROS,
    };
  }

  /** Removes messages from a project's list, if Redis responds. */
  async forget(projectId: number, isForgotten: (message: RecentMessage) => boolean): Promise<void> {
    await this.redis.ask(async () => {
      const list = this.listKey(projectId);
      const texts = await this.redis.client.lrange(list, 0, -1);
      const removals = this.redis.client.pipeline();
      for (const text of texts.filter((each) => parsed<RecentMessage>(each).some(isForgotten))) {
        removals.lrem(list, 0, text);
      }
      return removals.exec();
    });
  }

  /** Removes a project's messages and facts, if Redis responds. Otherwise they expire. */
  async forgetProject(projectId: number): Promise<void> {
    const day = dayOf(nowMicros());
    const facts = [day - 1, day].map((each) => this.factsKey(projectId, each));
    await this.redis.ask(() => this.redis.client.del(this.listKey(projectId), ...facts));
  }

  close(): void {
    this.redis.close();
  }

  private listKey(projectId: number): string {
    return `${this.prefix}:${projectId}:messages`;
  }

  private factsKey(projectId: number, day: number): string {
    return `${this.prefix}:${projectId}:facts:${day}`;
  }
}

/** Skips entries that are not JSON objects, because data from a different writer must not cause an error. */
function parsed<Entry>(text: string): Entry[] {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? [value as Entry] : [];
  } catch {
    return [];
  }
}
