import type { GuardrailTrip } from '../experiments/experiment.entity';
import type { Tx } from '../database/database';
import type { Micros } from '../common/time/clock';
import type { VariationStatistics } from '../statistics/result';
import type { Outbox } from '../webhooks/outbox';
import type { ExperimentResults } from './experiment-results';

/** The webhook event about a tripped guardrail. */
export const TRIP_EVENT = 'experiment.guardrail';

/** A tripped guardrail and the worse variation, with their names. */
export interface Trip extends GuardrailTrip {
  goal: string;
  variation: string;
  /** The difference between the variation and the original, in the unit of the goal. */
  difference: number;
}

/** The guardrails that any variation has tripped, in result order. */
export const tripsIn = ({ goals }: Pick<ExperimentResults, 'goals'>): Trip[] =>
  goals.flatMap(({ id, name, direction, tripped, variations }) =>
    variations
      .filter((variation) => tripped.includes(variation.id))
      .map((variation) => ({
        goal_id: id,
        variation_id: variation.id,
        direction,
        goal: name,
        variation: variation.name,
        difference: differenceOf(variation),
      })),
  );

const differenceOf = ({ statistics }: VariationStatistics): number =>
  statistics[statistics.metric]?.difference ?? 0;

const isIn = (
  known: readonly GuardrailTrip[],
  { goal_id, variation_id, direction }: GuardrailTrip,
): boolean =>
  known.some(
    (trip) =>
      trip.goal_id === goal_id &&
      trip.variation_id === variation_id &&
      (trip.direction ?? direction) === direction,
  );

/** The trips that have not been recorded yet. */
export const newTrips = <T extends GuardrailTrip>(
  trips: readonly T[],
  known: readonly GuardrailTrip[] | null,
): T[] => trips.filter((trip) => !isIn(known ?? [], trip));

/** The trips that have been recorded. */
export const knownTrips = <T extends GuardrailTrip>(
  trips: readonly T[],
  known: readonly GuardrailTrip[],
): T[] => trips.filter((trip) => isIn(known, trip));

/** Known and new trips as they are stored, without names and figures, which can change. */
export const notedTrips = (
  known: readonly GuardrailTrip[] | null,
  added: readonly GuardrailTrip[],
): GuardrailTrip[] => [
  ...(known ?? []),
  ...added.map(({ goal_id, variation_id, direction }) => ({ goal_id, variation_id, direction })),
];

/**
 * Queues a webhook message for each trip, unless its goal or variation has been deleted. @returns the trips of which at
 * least one webhook is notified
 */
export async function reportTrips(
  outbox: Outbox,
  { tx, projectId, now }: { tx: Tx; projectId: number; now: Micros },
  experimentId: number,
  trips: readonly Trip[],
): Promise<Trip[]> {
  const sent: Trip[] = [];
  for (const trip of trips) {
    const { goal_id, variation_id, difference } = trip;
    const goal = await outbox.named(tx, 'goal', goal_id);
    const variation = await outbox.named(tx, 'variation', variation_id);
    if (goal !== null && variation !== null) {
      const data = { goal, variation, difference };
      if (await outbox.record(tx, { type: TRIP_EVENT, projectId, experimentId, data }, now)) {
        sent.push(trip);
      }
    }
  }
  return sent;
}
