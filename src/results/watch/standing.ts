import type { GuardrailTrip } from '../../experiments/experiment.entity';
import type { ExperimentResults } from '../experiment-results';
import { newTrips, tripsIn } from '../guardrail-trips';

/** The reported state of an experiment's results. */
export interface Standing {
  hasMismatch: boolean;
  /** Verdicts that are not inconclusive, by goal id and variation id: `3:7`. */
  verdicts: Record<string, string>;
  /** Every guardrail and variation that has tripped it so far: it is reported once. */
  trips: GuardrailTrip[];
}

/** A changed verdict. */
export interface VerdictChange {
  goalId: number;
  variationId: number;
  verdict: string;
  previous: string;
}

const INCONCLUSIVE = 'inconclusive';

/** @param told the last reported state; null before the first */
export function standingOf(results: ExperimentResults, told: Standing | null): Standing {
  const { goals, sampleRatio } = results;
  const verdicts = goals.flatMap(({ id, variations }) =>
    variations
      .filter(({ isOriginal, statistics }) => !isOriginal && statistics.verdict !== INCONCLUSIVE)
      .map(({ id: variationId, statistics }) => [`${id}:${variationId}`, statistics.verdict] as const),
  );
  const known = told?.trips ?? [];
  const added = newTrips(tripsIn(results), known).map(({ goal_id, variation_id }) => ({
    goal_id,
    variation_id,
  }));
  return {
    hasMismatch: sampleRatio.isMismatch,
    verdicts: Object.fromEntries(verdicts),
    trips: [...known, ...added],
  };
}

/** The changed verdicts, in the order of their ids. A verdict that no longer exists has become inconclusive. */
export function verdictChanges(before: Standing, after: Standing): VerdictChange[] {
  const keys = new Set([...Object.keys(before.verdicts), ...Object.keys(after.verdicts)]);
  return [...keys]
    .map((key) => {
      const [goalId = 0, variationId = 0] = key.split(':').map(Number);
      const verdict = after.verdicts[key] ?? INCONCLUSIVE;
      return { goalId, variationId, verdict, previous: before.verdicts[key] ?? INCONCLUSIVE };
    })
    .filter(({ verdict, previous }) => verdict !== previous)
    .sort((a, b) => a.goalId - b.goalId || a.variationId - b.variationId);
}
