import type { VisitorEvent } from '../../src/events/attribution';

/* A reference implementation that computes results as simply as possible, directly from the definitions. */

const DAY = 86_400_000_000;

export type AnyEvent = VisitorEvent & { visitor_id: string };

export interface Question {
  experimentId: number;
  goalId: number;
  variationId: number;
  /** First and last day as UTC day numbers, both inclusive. */
  start: number;
  end: number;
  devices: readonly number[];
  /** The cap on a visitor's total value, in 1/10,000; null if there is no cap. */
  cap: number | null;
  /** The conversion window in days after the day of entry; null if there is no window. */
  window: number | null;
  /** Counts only participants who entered in this phase. By default, counts all phases. */
  phase?: { number: number; course: Course };
}

export interface Count {
  participants: number;
  converters: number;
  conversions: number;
  value: bigint;
  valueExcess: bigint;
  valueSquared: bigint;
  conversionsSquared: bigint;
  valueByConversions: bigint;
}

/** Removes duplicates: an event that a visitor sent several times counts once. */
export function withoutRepeats(events: readonly AnyEvent[]): AnyEvent[] {
  return events.filter(
    (event, index) =>
      events.findIndex(
        (other) => other.visitor_id === event.visitor_id && other.event_id === event.event_id,
      ) === index,
  );
}

/** A link between two ids of one visitor. */
export interface AnyLink {
  kind: 'identify' | 'alias';
  from: string;
  to: string;
  linkedAt: number;
}

/**
 * Returns a function that maps each id to its visitor, which is one of the linked ids. A link between two ids applies
 * unless both already have links. An `identify` link applies only while its `from` id has no links. In final results,
 * ids that were linked at or after `finalAt` remain separate visitors.
 */
export function visitorsByHand(links: readonly AnyLink[], finalAt: number | null): (id: string) => string {
  const visitors: { first: string; joined: Map<string, number> }[] = [];
  const find = (id: string) => visitors.find(({ first, joined }) => first === id || joined.has(id));
  for (const { kind, from, to, linkedAt } of links) {
    const [a, b] = [find(from), find(to)];
    if (from === to || (a !== undefined && (b !== undefined || kind === 'identify'))) {
      continue;
    }
    if (a !== undefined) {
      a.joined.set(to, linkedAt);
    } else if (b !== undefined) {
      b.joined.set(from, linkedAt);
    } else {
      visitors.push({ first: to, joined: new Map([[from, linkedAt]]) });
    }
  }
  return (id) => {
    const visitor = find(id);
    const linkedAt = visitor?.joined.get(id) ?? -Infinity;
    return visitor === undefined || (finalAt !== null && linkedAt >= finalAt) ? id : visitor.first;
  };
}

/** When an experiment ran, and when its result became final. All times are in microseconds. */
export interface Course {
  runs: readonly { startedAt: number; endedAt: number | null }[];
  finalAt: number | null;
  /** When its phases began. */
  phases: readonly number[];
  /** The caps of goals, in 1/10,000. */
  caps: ReadonlyMap<number, number>;
  hasSquares: boolean;
  recounts: number;
}

/**
 * The phase of an exposure: the phase that it names, if that phase exists or is unknown; otherwise the phase at the time of the
 * exposure. A phase includes the millisecond in which it began.
 */
function phaseByHand({ phase, occurred_at }: AnyEvent, { phases }: Course): number {
  const begun = phases.filter((began) => Math.floor(began / 1000) * 1000 <= occurred_at).length;
  const isUnknown = phase === 2_147_483_647;
  return phase !== null && phase !== undefined && (phase <= phases.length || isUnknown)
    ? phase
    : Math.max(1, begun);
}

/**
 * The events that happened during a run of the experiment and arrived before its results became final. A run includes
 * the millisecond in which it began.
 */
export function withinRuns(events: readonly AnyEvent[], { runs, finalAt }: Course): AnyEvent[] {
  return events.filter(({ occurred_at, arrived_at }) => {
    const isLate = finalAt !== null && typeof arrived_at === 'number' && arrived_at >= finalAt;
    const own = runs.filter(({ startedAt }) => Math.floor(startedAt / 1000) * 1000 <= occurred_at);
    return !isLate && own.some(({ endedAt }) => endedAt === null || occurred_at < endedAt);
  });
}

/**
 * The exposure that made a visitor a participant: the earliest one. If several have the same time, the one with the
 * lowest event id.
 */
function firstExposure(
  events: readonly AnyEvent[],
  visitor: string,
  experimentId: number,
): AnyEvent | undefined {
  let first: AnyEvent | undefined;
  for (const event of events) {
    if (event.visitor_id !== visitor || event.experiment_id !== experimentId) {
      continue;
    }
    const isEarlier =
      first === undefined ||
      event.occurred_at < first.occurred_at ||
      (event.occurred_at === first.occurred_at && event.event_id < first.event_id);
    first = isEarlier ? event : first;
  }
  return first;
}

export function countByHand(events: readonly AnyEvent[], question: Question): Count {
  const { experimentId, goalId, variationId, start, end, devices, phase, cap, window } = question;
  const count: Count = {
    participants: 0,
    converters: 0,
    conversions: 0,
    value: 0n,
    valueExcess: 0n,
    valueSquared: 0n,
    conversionsSquared: 0n,
    valueByConversions: 0n,
  };
  for (const visitor of new Set(events.map(({ visitor_id }) => visitor_id))) {
    const first = firstExposure(events, visitor, experimentId);
    const entered = first === undefined ? NaN : Math.floor(first.occurred_at / DAY);
    if (first?.variation_id !== variationId || !(entered >= start && entered <= end)) {
      continue;
    }
    if (!devices.includes(first.device)) {
      continue;
    }
    if (phase !== undefined && phaseByHand(first, phase.course) !== phase.number) {
      continue;
    }
    const own = events.filter(
      ({ visitor_id, goal_id, occurred_at }) =>
        visitor_id === visitor &&
        goal_id === goalId &&
        occurred_at >= first.occurred_at &&
        Math.floor(occurred_at / DAY) <= end &&
        (window === null || Math.floor(occurred_at / DAY) - entered <= window),
    );
    const total = own.reduce((sum, { value }) => sum + BigInt(value ?? 0), 0n);
    count.participants += 1;
    count.converters += own.length > 0 ? 1 : 0;
    count.conversions += own.length;
    const counted = cap === null || total < BigInt(cap) ? total : BigInt(cap);
    count.value += total;
    count.valueExcess += total - counted;
    count.valueSquared += counted * counted;
    count.conversionsSquared += BigInt(own.length) ** 2n;
    count.valueByConversions += counted * BigInt(own.length);
  }
  return count;
}

/** The number of participants who were also exposed to a variation other than their first. */
export function crossoversByHand(events: readonly AnyEvent[], experimentId: number): number {
  return [...new Set(events.map(({ visitor_id }) => visitor_id))].filter((visitor) => {
    const first = firstExposure(events, visitor, experimentId);
    return events.some(
      (event) =>
        event.visitor_id === visitor &&
        event.experiment_id === experimentId &&
        event.variation_id !== first?.variation_id,
    );
  }).length;
}
