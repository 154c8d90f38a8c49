import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { inTime } from '../common/time/deadline';
import { Config } from '../config/config';
import { Database } from '../database/database';
import { EventLog } from './event-log';
import { linkedIdsOf } from './links/linked-ids.store';
import { eventsIn, rejecting, type Resolution, type ResolvedEvent } from './message-outcome';

/** Events of a visitor after which its stored events are counted. Few visitors ever send so many. */
const COUNTED_EVERY = 500;
const MAX_VISITORS = 50_000;
/** Its events may be removed, so a full visitor is counted again later. */
const FULL_MS = 600_000;
/** Collection must not wait for a log that does not answer, or cannot be read while events move. */
const LOOK_MS = 1_000;

/**
 * Rejects events of visitors that have too many. Each new event of a visitor is attributed with all earlier ones, so an id
 * that many visitors share, or that somebody sends on purpose, would stop the process for seconds and in the end take its
 * memory. Each process counts what it receives, and asks the event log only for visitors that send much, so a visitor may
 * come to have some more than the maximum.
 */
@Injectable()
export class VisitorLimit {
  /** Events since the last look at the event log. */
  private readonly received = new LRUCache<string, number>({ max: MAX_VISITORS });
  private readonly full = new LRUCache<string, true>({ max: MAX_VISITORS, ttl: FULL_MS });

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly log: EventLog,
  ) {}

  /** The same messages, of which those with events of a full visitor are rejected. */
  async apply(projectId: number, resolution: Resolution): Promise<Resolution> {
    if (this.config.eventsPerVisitor === 0) {
      return resolution;
    }
    const due = this.note(projectId, resolution.events);
    for (const visitorId of due) {
      await this.look(projectId, visitorId);
    }
    const isFull = ({ visitor_id }: ResolvedEvent): boolean => this.full.has(keyOf(projectId, visitor_id));
    return this.full.size === 0 || !resolution.events.some(isFull)
      ? resolution
      : rejecting(resolution, (outcome) => eventsIn(outcome).some(isFull), 'too_many_events');
  }

  /** @returns the visitors whose stored events have to be counted */
  private note(projectId: number, events: readonly ResolvedEvent[]): ReadonlySet<string> {
    const due = new Set<string>();
    for (const { visitor_id } of events) {
      const key = keyOf(projectId, visitor_id);
      const received = (this.received.get(key) ?? 0) + 1;
      this.received.set(key, received);
      if (received >= COUNTED_EVERY && !this.full.has(key)) {
        due.add(visitor_id);
      }
    }
    return due;
  }

  private async look(projectId: number, visitorId: string): Promise<void> {
    const unknown: readonly string[] = [];
    const ids = await inTime(
      this.idsIfFull(projectId, visitorId).catch(() => unknown),
      LOOK_MS,
      unknown,
    );
    this.received.delete(keyOf(projectId, visitorId));
    ids.forEach((id) => this.full.set(keyOf(projectId, id), true));
  }

  /** All ids of a full visitor; of others, none. */
  private async idsIfFull(projectId: number, visitorId: string): Promise<readonly string[]> {
    const links = await linkedIdsOf(this.database.read, projectId, [visitorId], 'all');
    const ids = links.and([visitorId]);
    const limit = this.config.eventsPerVisitor;
    return (await this.log.countOf(projectId, ids, limit)) >= limit ? ids : [];
  }
}

const keyOf = (projectId: number, visitorId: string): string => `${projectId}\n${visitorId}`;
