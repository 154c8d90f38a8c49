import { Injectable } from '@nestjs/common';
import { DAY_MICROS, type Micros, nowMicros } from '../../common/time/clock';
import { Database } from '../../database/database';
import { DeletedVisitorStore, REJECTED_DAYS } from '../deletions/deleted-visitors.store';
import { EventLog } from '../event-log';
import type { LinkedIds } from '../links/linked-ids';
import { linkedIdsOf } from '../links/linked-ids.store';
import { storedVisitor } from '../visitors';
import type { Outcome } from './outcomes';
import { type EventKey, type Excluded, keyText, RecentEventsStore } from './recent-events.store';
import type { RecentMessage } from './recent-message';
import { RecentMessages, type Watched } from './recent-messages';

/** Filter for recent messages. */
export interface RecentFilter {
  /** Null for all. */
  outcomes: readonly Outcome[] | null;
  /** Only messages received after this time; null for all. */
  since: Micros | null;
}

/** A project's list of recent messages. */
export interface RecentList {
  /** Newest first. */
  messages: readonly RecentMessage[];
  /** The time from which all messages are known. */
  since: Micros;
  isShared: boolean;
}

/** The exclusions of visitors, and the links that show which ids belong to the same visitor. */
interface Exclusions {
  links: LinkedIds;
  excluded: readonly Excluded[];
}

/** A message whose event is stored, from this message or from an earlier copy. */
type StoredMessage = RecentMessage & { visitor: string; eventId: string };

/** The latest messages in a project, with their state in the database. */
@Injectable()
export class RecentEventsService {
  constructor(
    private readonly recent: RecentMessages,
    private readonly store: RecentEventsStore,
    private readonly database: Database,
    private readonly deleted: DeletedVisitorStore,
    private readonly log: EventLog,
  ) {}

  async read(projectId: number, { outcomes, since }: RecentFilter): Promise<RecentList> {
    const watched = await this.withoutDeleted(projectId, await this.recent.read(projectId));
    const stored = watched.messages.filter(isStored);
    const [storedAt, exclusions] = await Promise.all([
      this.log.storedAt(projectId, uniqueKeys(stored)),
      this.exclusions(projectId, [...new Set(stored.map((message) => keyOf(message).visitorId))]),
    ]);
    const repeated = duplicates(stored, storedAt);
    const messages = watched.messages
      .map((message) => withOutcome(message, repeated, exclusions))
      .filter(({ outcome }) => outcomes === null || outcomes.includes(outcome))
      .filter(({ receivedAt }) => since === null || receivedAt > since);
    return { messages, since: watched.listedSince, isShared: watched.isShared };
  }

  /** Removes purged projects' messages from this process and from Redis. Another process may have run the purge. */
  async forgetPurged(): Promise<void> {
    const { projectIds } = this.recent;
    const stored = await this.store.storedProjects(projectIds);
    for (const projectId of projectIds.filter((id) => !stored.has(id))) {
      await this.recent.forgetProject(projectId);
    }
  }

  /** A visitor is excluded under all its ids, although the exclusion lists only the ids that have an exposure. */
  private async exclusions(projectId: number, visitorIds: readonly string[]): Promise<Exclusions> {
    const links = await linkedIdsOf(this.database.read, projectId, visitorIds, 'all');
    return { links, excluded: await this.store.excluded(projectId, links.and(visitorIds)) };
  }

  /**
   * Removes messages from visitors whom another process has deleted in the meantime, and messages that are too old to
   * check: the server remembers a deleted visitor only while it rejects that visitor's messages.
   */
  private async withoutDeleted(projectId: number, watched: Watched): Promise<Watched> {
    const since = nowMicros() - REJECTED_DAYS * DAY_MICROS;
    const messages = watched.messages.filter(({ receivedAt }) => receivedAt > since);
    const visitors = messages.flatMap(({ visitor }) =>
      visitor === null ? [] : [{ project_id: projectId, visitor_id: storedVisitor(visitor) }],
    );
    const found = await this.deleted.among(this.database.read, visitors);
    const deleted = new Set(found.map(({ visitor_id }) => visitor_id));
    if (deleted.size > 0) {
      await this.recent.forget(projectId, deleted);
    }
    return {
      ...watched,
      listedSince: Math.max(watched.listedSince, since),
      messages: messages.filter(({ visitor }) => visitor === null || !deleted.has(storedVisitor(visitor))),
    };
  }
}

const isStored = (message: RecentMessage): message is StoredMessage =>
  message.eventId !== null && message.visitor !== null;

const keyOf = ({ visitor, eventId }: StoredMessage): EventKey => ({
  visitorId: storedVisitor(visitor),
  eventId,
});

const uniqueKeys = (stored: readonly StoredMessage[]): EventKey[] => [
  ...new Map(stored.map((message) => [keyText(keyOf(message)), keyOf(message)])).values(),
];

/**
 * The ids of messages that repeat an earlier message. Only the earlier message was stored. A repeat differs from the
 * stored event in its time, which is the time of receipt unless the back end sets it. Among messages with equal times,
 * all but the oldest are repeats.
 */
function duplicates(
  newestFirst: readonly StoredMessage[],
  storedAt: ReadonlyMap<string, Micros>,
): ReadonlySet<string> {
  const repeated = new Set<string>();
  const seen = new Set<string>();
  for (const message of [...newestFirst].reverse()) {
    const key = keyText(keyOf(message));
    const at = storedAt.get(key);
    if (seen.has(key) || (at !== undefined && at !== message.occurredAt)) {
      repeated.add(message.id);
    } else {
      seen.add(key);
    }
  }
  return repeated;
}

function withOutcome(
  message: RecentMessage,
  repeated: ReadonlySet<string>,
  { links, excluded }: Exclusions,
): RecentMessage {
  if (!isStored(message)) {
    return message;
  }
  if (repeated.has(message.id)) {
    return { ...message, outcome: 'duplicate', reason: null };
  }
  const visitor = links.canonicalIdOf(keyOf(message).visitorId);
  const isExcluded = excluded.some(
    ({ visitor_id, experiment_id }) =>
      links.canonicalIdOf(visitor_id) === visitor &&
      (experiment_id === null || experiment_id === message.experimentId),
  );
  return isExcluded ? { ...message, outcome: 'excluded', reason: null } : message;
}
