import type { GuardrailTrip } from '../../experiments/experiment.entity';
import type { ExperimentResults } from '../experiment-results';

/** The reported state of an experiment's results. */
export interface ReportedState {
  hasMismatch: boolean;
  /** Verdicts other than inconclusive, by goal id and variation id: `3:7`. */
  verdicts: Record<string, string>;
  /** The guardrail trips that have been reported. They are stored because each one is reported only once. */
  trips: GuardrailTrip[];
  /** The guardrail trips before the first check. They are reported only if they pause the experiment. */
  earlier: GuardrailTrip[];
}

/** A changed verdict. */
export interface VerdictChange {
  goalId: number;
  variationId: number;
  verdict: string;
  previous: string;
}

const INCONCLUSIVE = 'inconclusive';

/** The state to store for these results, with all trips so far. */
export function reportedState(
  { goals, sampleRatio }: ExperimentResults,
  trips: Pick<ReportedState, 'trips' | 'earlier'>,
): ReportedState {
  const verdicts = goals.flatMap(({ id, variations }) =>
    variations
      .filter(({ isOriginal, statistics }) => !isOriginal && statistics.verdict !== INCONCLUSIVE)
      .map(({ id: variationId, statistics }) => [`${id}:${variationId}`, statistics.verdict] as const),
  );
  return { hasMismatch: sampleRatio.isMismatch, verdicts: Object.fromEntries(verdicts), ...trips };
}

/** The changed verdicts, in id order. A verdict that no longer exists has become inconclusive. */
export function verdictChanges(before: ReportedState, after: ReportedState): VerdictChange[] {
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
