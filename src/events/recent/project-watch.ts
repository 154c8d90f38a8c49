import type { Micros } from '../../common/time/clock';
import { type Counts, type Facts, MAX_HOSTS, minuteOf, MINUTES } from './facts';
import { isStoredExposure, type RecentMessage } from './recent-message';

/** Maximum number of recorded messages of a project. */
export const MAX_MESSAGES = 200;

/** The messages and facts of a project that this process has seen, in bounded memory. */
export class ProjectWatch {
  private readonly ring: (RecentMessage | null)[] = [];
  /** Number of messages so far, which determines the position of the next one in the ring buffer. */
  private total = 0;
  private snippetAt: Micros | null = null;
  private messageAt: Micros | null = null;
  private exposureAt: Micros | null = null;
  /** In the order of the last sighting. */
  private readonly hosts = new Map<string, Micros>();
  private readonly minutes = new Map<number, Counts>();
  /** Number of messages that other processes can read. */
  shared = 0;

  constructor(private readonly since: Micros) {}

  /** Total number of messages, including evicted ones. */
  get count(): number {
    return this.total;
  }

  add(message: RecentMessage): void {
    this.ring[this.total % MAX_MESSAGES] = message;
    this.total += 1;
    this.messageAt = message.receivedAt;
    if (isStoredExposure(message)) {
      this.exposureAt = message.receivedAt;
    }
  }

  /** Counts messages, or anything else, by name. */
  tally(name: string, count: number, at: Micros): void {
    const minute = minuteOf(at);
    let counts = this.minutes.get(minute);
    if (counts === undefined) {
      counts = {};
      this.minutes.set(minute, counts);
      if (this.minutes.size > MINUTES) {
        deleteFirst(this.minutes);
      }
    }
    counts[name] = (counts[name] ?? 0) + count;
  }

  /** The snippet was delivered to a page, or has sent a message from it. */
  sawSnippet(host: string | null, at: Micros): void {
    this.snippetAt = at;
    if (host === null) {
      return;
    }
    this.hosts.delete(host);
    this.hosts.set(host, at);
    if (this.hosts.size > MAX_HOSTS) {
      deleteFirst(this.hosts);
    }
  }

  /** The messages after the given number of messages, newest first. */
  newest(after = 0): RecentMessage[] {
    const kept = Math.min(this.total - after, this.ring.length);
    return Array.from(
      { length: kept },
      (_, index) => this.ring[(this.total - 1 - index) % MAX_MESSAGES] ?? null,
    ).filter((message) => message !== null);
  }

  /** Removes messages. Their positions stay empty, so that the other messages keep theirs. */
  forget(isForgotten: (message: RecentMessage) => boolean): void {
    this.ring.forEach((message, place) => {
      if (message !== null && isForgotten(message)) {
        this.ring[place] = null;
      }
    });
  }

  get facts(): Facts {
    const { since, snippetAt, messageAt, exposureAt } = this;
    return {
      since,
      snippetAt,
      messageAt,
      exposureAt,
      hosts: [...this.hosts],
      minutes: [...this.minutes],
    };
  }
}

/** The oldest entry of a map. */
function deleteFirst<Key>(map: Map<Key, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}
