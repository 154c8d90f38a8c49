import type { Micros } from '../../common/time/clock';

const MINUTE_MICROS = 60_000_000;
export const MINUTES = 60;
export const MAX_HOSTS = 20;

/** Counts of one minute, by name. */
export type Counts = Record<string, number>;

/** The facts about a project's messages and scripts that one process has seen, or several processes together. */
export interface Facts {
  /** Nothing is known about the time before. */
  since: Micros;
  /** When the snippet was last delivered, or sent a message. */
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

export const minuteOf = (at: Micros): number => Math.floor(at / MINUTE_MICROS);

/** No activity since this time. */
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
