import { randomUUID } from 'node:crypto';
import { Injectable, Logger, OnModuleDestroy } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type Micros, nowMicros } from '../../common/time/clock';
import { Config } from '../../config/config';
import { storedVisitor } from '../visitors';
import { isErrorReport, type Outcome } from '../message-outcome';
import { type Facts, MAX_MESSAGES, mergeFacts, nothingSince, ProjectWatch } from './project-watch';
import { isFromSnippet, recentMessage, type RecentMessage, refusedRequest } from './recent-message';
import type { Sending } from './sending';
import { type Shared, SharedMessages } from './shared-messages';

/** Maximum number of projects per process. Those with the latest messages are kept. */
export const MAX_PROJECTS = 200;

const SHARE_MS = 500;

/** The messages in one request, with their outcomes. */
export interface ResolvedMessages {
  sending: Sending;
  receivedAt: Micros;
  messages: readonly unknown[];
  outcomes: readonly Outcome[];
  /** False if no message was stored because one of the messages was rejected. */
  isStored: boolean;
}

/** The known messages and facts of a project. */
export interface Watched {
  /** At most `MAX_MESSAGES`, newest first. */
  messages: readonly RecentMessage[];
  facts: Facts;
  /** The time from which all messages are listed. Nothing is known about earlier messages. */
  listedSince: Micros;
  /** Whether data from other processes is included. False without Redis, and while Redis is unreachable. */
  isShared: boolean;
}

/** Counter names. All other counters are named after a reason for rejecting a message or refusing a request. */
export const ACCEPTED = 'accepted';
export const SCRIPT_ERROR = 'script_error';

/**
 * The latest messages in each project, for users who are connecting a site. They are kept in memory, so recording a
 * message neither waits nor fails. With Redis, each process shares its messages twice a second.
 */
@Injectable()
export class RecentMessages implements OnModuleDestroy {
  private readonly watches = new LRUCache<number, ProjectWatch>({
    max: MAX_PROJECTS,
    dispose: (_watch, projectId, reason) => {
      if (reason === 'evict') {
        this.completeSince = nowMicros();
        this.unshared.delete(projectId);
      }
    },
  });
  /** No project has been evicted since this time. */
  private completeSince = nowMicros();
  private readonly run = randomUUID().slice(0, 8);
  private serial = 0;
  private readonly shared: SharedMessages | null;
  private readonly unshared = new Set<number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(config: Config) {
    const logger = new Logger(RecentMessages.name);
    // Not logged as a warning, because the rate limits warn about the same outage.
    const warn = (message: string): void => logger.debug(message);
    const { redisUrl: url } = config;
    this.shared = url === null ? null : new SharedMessages(url, config, warn);
  }

  async onModuleDestroy(): Promise<void> {
    clearTimeout(this.timer);
    if (this.unshared.size > 0) {
      await this.share();
    }
    this.shared?.close();
  }

  /** Records the messages in a request, but only the last `MAX_MESSAGES` of them. */
  noteResolved(projectId: number, resolved: ResolvedMessages): void {
    const { sending, receivedAt, messages, outcomes, isStored } = resolved;
    const watch = this.watchOf(projectId);
    sending.isListed = true;
    const first = Math.max(0, messages.length - MAX_MESSAGES);
    watch.skip(first);
    for (let index = first; index < messages.length; index += 1) {
      const entry = { id: this.nextId(), receivedAt };
      watch.add(recentMessage(entry, messages[index], outcomes[index] ?? [], sending, isStored));
    }
    tallyAll(watch, resolved);
    if (isFromSnippet(messages[0])) {
      watch.sawSnippet(sending.host, receivedAt);
    }
    this.shareSoon(projectId);
  }

  /**
   * Records a request that was refused before its messages were read.
   * @param count number of messages in the request, if known
   */
  noteRefused(projectId: number, sending: Sending, reason: string, count = 1): void {
    const watch = this.watchOf(projectId);
    const receivedAt = nowMicros();
    sending.isListed = true;
    watch.add(refusedRequest({ id: this.nextId(), receivedAt }, reason, sending));
    watch.tally(reason, Math.max(1, count), receivedAt);
    this.shareSoon(projectId);
  }

  /** Records a delivery of the snippet. @param host host of the page */
  noteSnippet(projectId: number, host: string | null): void {
    this.watchOf(projectId).sawSnippet(host, nowMicros());
    this.shareSoon(projectId);
  }

  /** The known messages and facts of a project, from all processes if Redis responds. */
  async read(projectId: number): Promise<Watched> {
    const watch = this.watches.get(projectId);
    const own = watch?.newest() ?? [];
    const facts = watch?.facts ?? nothingSince(this.completeSince);
    const listedSince = watch?.listedSince ?? facts.since;
    const shared = await this.shared?.read(projectId);
    return shared === undefined
      ? { messages: own, facts, listedSince, isShared: false }
      : { ...together({ messages: own, facts, listedSince }, shared), isShared: true };
  }

  /**
   * Removes visitors' messages from this process and from Redis.
   * @param visitors visitor ids in their stored form
   */
  async forget(projectId: number, visitors: ReadonlySet<string>): Promise<void> {
    const isForgotten = ({ visitor }: RecentMessage): boolean =>
      visitor !== null && visitors.has(storedVisitor(visitor));
    this.watches.peek(projectId)?.forget(isForgotten);
    await this.shared?.forget(projectId, isForgotten);
  }

  /** The projects with messages or facts in this process. */
  get projectIds(): number[] {
    return [...this.watches.keys()];
  }

  /** Removes everything known about a project from this process and from Redis. */
  async forgetProject(projectId: number): Promise<void> {
    this.watches.delete(projectId);
    this.unshared.delete(projectId);
    await this.shared?.forgetProject(projectId);
  }

  private watchOf(projectId: number): ProjectWatch {
    let watch = this.watches.get(projectId);
    if (watch === undefined) {
      watch = new ProjectWatch(this.completeSince);
      this.watches.set(projectId, watch);
    }
    return watch;
  }

  private nextId(): string {
    this.serial += 1;
    return `${this.run}-${this.serial}`;
  }

  private shareSoon(projectId: number): void {
    if (this.shared === null) {
      return;
    }
    this.unshared.add(projectId);
    this.timer ??= setTimeout(() => {
      void this.share().finally(() => {
        this.timer = undefined;
        const [left] = this.unshared;
        if (left !== undefined) {
          this.shareSoon(left);
        }
      });
    }, SHARE_MS).unref();
  }

  /** Shares one project at a time, to keep each write small. Failed writes are retried. */
  private async share(): Promise<void> {
    for (const projectId of [...this.unshared]) {
      const watch = this.watches.peek(projectId);
      this.unshared.delete(projectId);
      if (watch !== undefined) {
        const { count } = watch;
        const isTaken = await this.shared?.write(projectId, watch.newest(watch.shared), watch.facts);
        if (isTaken !== true) {
          this.unshared.add(projectId);
          return;
        }
        watch.shared = count;
      }
    }
  }
}

function tallyAll(watch: ProjectWatch, { receivedAt, outcomes, isStored }: ResolvedMessages): void {
  let accepted = 0;
  for (const outcome of outcomes) {
    if (typeof outcome === 'string') {
      watch.tally(outcome, 1, receivedAt);
    } else if (!isStored) {
      continue;
    } else if (isErrorReport(outcome)) {
      watch.tally(SCRIPT_ERROR, 1, receivedAt);
    } else {
      accepted += 1;
    }
  }
  watch.tally(ACCEPTED, accepted, receivedAt);
}

/**
 * Merges this process's messages with the shared ones, each once. Redis may already have messages from this process. It
 * has a message twice if it stored the message but responded too late, because the write is then repeated. Messages with
 * equal times keep their order.
 */
function together(own: Omit<Watched, 'isShared'>, shared: Shared): Omit<Watched, 'isShared'> {
  const all = new Map([...own.messages, ...shared.messages].map((message) => [message.id, message]));
  const messages = [...all.values()].sort((a, b) => b.receivedAt - a.receivedAt).slice(0, MAX_MESSAGES);
  const merged = mergeFacts([own.facts, ...shared.facts]);
  const since = Math.max(merged.since, shared.since);
  // Redis drops the oldest messages of a full list.
  const oldest = messages[MAX_MESSAGES - 1];
  return { messages, facts: { ...merged, since }, listedSince: oldest?.receivedAt ?? since };
}
