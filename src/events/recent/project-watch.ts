import type { Micros } from '../../common/time/clock';
import { isStoredExposure, type RecentMessage } from './recent-message';

const MINUTE_MICROS = 60_000_000;
const MINUTES = 60;
const MAX_HOSTS = 20;

/** Counts of one minute, by name. */
type Counts = Record<string, number>;

/** Facts about a project's messages and scripts, as seen by one process or by several processes combined. */
export interface Facts {
  /** The start of the recorded period. Nothing is known about earlier times. */
  since: Micros;
  /** When the snippet was last delivered or last sent a message. */
  snippetAt: Micros | null;
  /** When the last message arrived, with any outcome. */
  messageAt: Micros | null;
  /** When the last stored exposure arrived. */
  exposureAt: Micros | null;
  /** The latest page hosts where the snippet was seen, and when. */
  hosts: readonly (readonly [host: string, at: Micros])[];
  /** The latest minutes with messages, oldest first. */
  minutes: readonly (readonly [minute: number, counts: Counts])[];
}

const minuteOf = (at: Micros): number => Math.floor(at / MINUTE_MICROS);

/** Facts that show no activity since the given time. */
export const nothingSince = (since: Micros): Facts => ({
  since,
  snippetAt: null,
  messageAt: null,
  exposureAt: null,
  hosts: [],
  minutes: [],
});

/** Combines the facts of several processes. @param all at least one */
export function mergeFacts(all: readonly Facts[]): Facts {
  return {
    since: Math.min(...all.map(({ since }) => since)),
    snippetAt: latest(all.map(({ snippetAt }) => snippetAt)),
    messageAt: latest(all.map(({ messageAt }) => messageAt)),
    exposureAt: latest(all.map(({ exposureAt }) => exposureAt)),
    hosts: lastHosts(all.flatMap(({ hosts }) => hosts)),
    minutes: all.flatMap(({ minutes }) => minutes),
  };
}

/** Counts by name in the last 60 minutes. */
export function lastHour({ minutes }: Facts, now: Micros): ReadonlyMap<string, number> {
  const first = minuteOf(now) - MINUTES;
  const sums = new Map<string, number>();
  for (const [, counts] of minutes.filter(([minute]) => minute > first)) {
    for (const [name, count] of Object.entries(counts)) {
      sums.set(name, (sums.get(name) ?? 0) + count);
    }
  }
  return sums;
}

const latest = (moments: readonly (Micros | null)[]): Micros | null =>
  moments.reduce((last, at) => (at !== null && (last === null || at > last) ? at : last), null);

function lastHosts(hosts: Facts['hosts']): Facts['hosts'] {
  const byHost = new Map<string, Micros>();
  for (const [host, at] of hosts) {
    byHost.set(host, Math.max(at, byHost.get(host) ?? 0));
  }
  return [...byHost].sort(([, a], [, b]) => b - a).slice(0, MAX_HOSTS);
}

/** Maximum number of recorded messages in a project. */
export const MAX_MESSAGES = 200;

/** The messages and facts of a project that this process has seen, kept in a bounded amount of memory. */
export class ProjectWatch {
  private readonly ring: (RecentMessage | null)[] = [];
  /** Number of messages so far, which determines the position of the next one in the ring buffer. */
  private total = 0;
  private snippetAt: Micros | null = null;
  private messageAt: Micros | null = null;
  private exposureAt: Micros | null = null;
  /** Page hosts and the times when the snippet was last seen there, ordered by time. */
  private readonly hosts = new Map<string, Micros>();
  private readonly minutes = new Map<number, Counts>();
  /** Number of messages that have been shared with other processes. */
  shared = 0;

  constructor(private readonly since: Micros) {}

  /** Total number of messages, including evicted ones. */
  get count(): number {
    return this.total;
  }

  /**
   * The time from which all messages are listed. Messages at this time may be missing, because those of one request
   * have the same time.
   */
  get listedSince(): Micros {
    const isFull = this.total > MAX_MESSAGES;
    return isFull ? (this.newest().at(-1)?.receivedAt ?? this.messageAt ?? this.since) : this.since;
  }

  /** Counts messages that are not listed, because at least `MAX_MESSAGES` later ones follow immediately. */
  skip(count: number): void {
    this.total += count;
  }

  add(message: RecentMessage): void {
    this.ring[this.total % MAX_MESSAGES] = message;
    this.total += 1;
    this.messageAt = message.receivedAt;
    if (isStoredExposure(message)) {
      this.exposureAt = message.receivedAt;
    }
  }

  /** Adds to the counter with this name, for example for accepted messages or for a rejection reason. */
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

  /** Records that the snippet was delivered to a page or sent a message from it. */
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

  /** The messages recorded after the first `after` messages, newest first. */
  newest(after = 0): RecentMessage[] {
    const kept = Math.min(this.total - after, this.ring.length);
    return Array.from(
      { length: kept },
      (_, index) => this.ring[(this.total - 1 - index) % MAX_MESSAGES] ?? null,
    ).filter((message) => message !== null);
  }

  /** Removes messages. Their places in the ring buffer stay empty, so all other messages keep their places. */
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

/** Deletes the oldest entry of a map. */
function deleteFirst<Key>(map: Map<Key, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}
