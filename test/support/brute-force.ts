import type { VisitorEvent } from '../../src/events/attribution';

/*
 * Results counted in the plainest way there is, straight from the words of the definitions, to compare with.
 */

const DAY = 86_400_000_000;

export type AnyEvent = VisitorEvent & { visitor_id: string };

export interface Question {
  experimentId: number;
  goalId: number;
  variationId: number;
  /** UTC days, both inclusive. */
  start: number;
  end: number;
  devices: readonly number[];
}

export interface Count {
  participants: number;
  converters: number;
  conversions: number;
  value: bigint;
  valueSquared: bigint;
}

/** Events that a visitor sent more than once count once. */
export function withoutRepeats(events: readonly AnyEvent[]): AnyEvent[] {
  return events.filter(
    (event, index) =>
      events.findIndex(
        (other) => other.visitor_id === event.visitor_id && other.event_id === event.event_id,
      ) === index,
  );
}

/** The exposure that made a visitor a participant: the earliest, and of several at one moment that with the least id. */
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
  const { experimentId, goalId, variationId, start, end, devices } = question;
  const count: Count = { participants: 0, converters: 0, conversions: 0, value: 0n, valueSquared: 0n };
  for (const visitor of new Set(events.map(({ visitor_id }) => visitor_id))) {
    const first = firstExposure(events, visitor, experimentId);
    const entered = first === undefined ? NaN : Math.floor(first.occurred_at / DAY);
    if (first?.variation_id !== variationId || !(entered >= start && entered <= end)) {
      continue;
    }
    if (!devices.includes(first.device)) {
      continue;
    }
    const own = events.filter(
      ({ visitor_id, goal_id, occurred_at }) =>
        visitor_id === visitor &&
        goal_id === goalId &&
        occurred_at >= first.occurred_at &&
        Math.floor(occurred_at / DAY) <= end,
    );
    const total = own.reduce((sum, { value }) => sum + BigInt(value ?? 0), 0n);
    count.participants += 1;
    count.converters += own.length > 0 ? 1 : 0;
    count.conversions += own.length;
    count.value += total;
    count.valueSquared += total * total;
  }
  return count;
}

/** Participants that were later seen in another variation than their first. */
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
