import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { inTime } from '../common/time/deadline';
import { Config } from '../config/config';
import { Database } from '../database/database';
import { EventLog } from './event-log';
import { linkedIdsOf } from './links/linked-ids.store';
import { eventsIn, rejecting, type Resolution, type ResolvedEvent } from './message-outcome';

/**
 * Number of a visitor's events after which its stored events are counted, unless the maximum is lower. Few visitors ever
 * send that many.
 */
const COUNTED_EVERY = 500;
const MAX_VISITORS = 50_000;
/** A visitor at the limit is counted again later, because its events may be removed. */
const FULL_MS = 600_000;
/** Collection must not wait for an event log that does not respond, or cannot be read while events move. */
const LOOK_MS = 1_000;

/**
 * Rejects events of visitors that have too many. Each new event of a visitor is attributed with all earlier ones, so an
 * id that many visitors share, or that an attacker sends, would block the process for seconds and finally exhaust its
 * memory. Each process counts the events that it receives, and queries the event log only for visitors with many
 * events, so a visitor may slightly exceed the maximum.
 */
@Injectable()
export class VisitorLimit {
  /** Events since the last query of the event log. */
  private readonly received = new LRUCache<string, number>({ max: MAX_VISITORS });
  private readonly full = new LRUCache<string, true>({ max: MAX_VISITORS, ttl: FULL_MS });

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly log: EventLog,
  ) {}

  /** The same messages, with events of visitors at the limit rejected. */
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
    const countedEvery = Math.min(COUNTED_EVERY, this.config.eventsPerVisitor);
    for (const { visitor_id } of events) {
      const key = keyOf(projectId, visitor_id);
      const received = (this.received.get(key) ?? 0) + 1;
      this.received.set(key, received);
      if (received >= countedEvery && !this.full.has(key)) {
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

  /** All ids of a visitor at the limit; none for other visitors. */
  private async idsIfFull(projectId: number, visitorId: string): Promise<readonly string[]> {
    const links = await linkedIdsOf(this.database.read, projectId, [visitorId], 'all');
    const ids = links.and([visitorId]);
    const limit = this.config.eventsPerVisitor;
    return (await this.log.countOf(projectId, ids, limit)) >= limit ? ids : [];
  }
}

const keyOf = (projectId: number, visitorId: string): string => `${projectId}\n${visitorId}`;
