import type { GuardrailTrip } from '../experiment.entity';
import type { ExperimentResults } from '../../results/experiment-results';
import type { VariationStatistics } from '../../statistics/result';

/** A tripped guardrail and the variation that is worse, with their names. */
export interface Trip extends GuardrailTrip {
  goal: string;
  variation: string;
  /** The difference between the variation and the original, in the unit of the goal. */
  difference: number;
}

/** The guardrails that are tripped by any variation, in the order of the results. */
export const tripsIn = ({ goals }: Pick<ExperimentResults, 'goals'>): Trip[] =>
  goals.flatMap(({ id, name, tripped, variations }) =>
    variations
      .filter((variation) => tripped.includes(variation.id))
      .map((variation) => ({
        goal_id: id,
        variation_id: variation.id,
        goal: name,
        variation: variation.name,
        difference: differenceOf(variation),
      })),
  );

const differenceOf = ({ statistics }: VariationStatistics): number =>
  statistics[statistics.metric]?.difference ?? 0;

/** The trips that have not paused the experiment before. */
export const newTrips = <T extends GuardrailTrip>(
  trips: readonly T[],
  known: readonly GuardrailTrip[] | null,
): T[] =>
  trips.filter(
    ({ goal_id, variation_id }) =>
      known?.some((trip) => trip.goal_id === goal_id && trip.variation_id === variation_id) !== true,
  );

/** Names every goal and variation. */
export const pausedReason = (trips: readonly Trip[]): string =>
  trips
    .map(
      ({ goal, variation }) =>
        `Guardrail \u201c${goal}\u201d: variation \u201c${variation}\u201d is significantly worse than the original.`,
    )
    .join(' ');
