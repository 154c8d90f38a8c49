import type { GuardrailTrip } from '../../experiments/experiment.entity';
import type { ExperimentResults } from '../experiment-results';

/** What webhooks know about an experiment's results. */
export interface ReportedState {
  /** The results at the last check. Null if no webhook was notified of results at that time. */
  results: ReportedResults | null;
  /** The guardrail trips that were sent to any webhook. They are kept forever, because each one is sent only once. */
  sent: GuardrailTrip[];
  /**
   * The guardrail trips at the last check at which no webhook subscribed to guardrails, or at the first check, unless a
   * later check found them no longer tripped. They are sent only if they pause the experiment. Null before the first
   * check.
   */
  seen: GuardrailTrip[] | null;
}

/** The results whose changes are reported. */
export interface ReportedResults {
  hasMismatch: boolean;
  /** Verdicts other than inconclusive, by goal id and variation id: `3:7`. */
  verdicts: Record<string, string>;
}

/** The state of an experiment without data, which webhooks know without a check. */
export const WITHOUT_DATA: ReportedState = {
  results: { hasMismatch: false, verdicts: {} },
  sent: [],
  seen: [],
};

/** A changed verdict. */
export interface VerdictChange {
  goalId: number;
  variationId: number;
  verdict: string;
  previous: string;
}

const INCONCLUSIVE = 'inconclusive';

/** The part of these results whose changes are reported. */
export function reportedResults({ goals, sampleRatio }: ExperimentResults): ReportedResults {
  const verdicts = goals.flatMap(({ id, variations }) =>
    variations
      .filter(({ isOriginal, statistics }) => !isOriginal && statistics.verdict !== INCONCLUSIVE)
      .map(({ id: variationId, statistics }) => [`${id}:${variationId}`, statistics.verdict] as const),
  );
  return { hasMismatch: sampleRatio.isMismatch, verdicts: Object.fromEntries(verdicts) };
}

/** The changed verdicts, in id order. A verdict that no longer exists has become inconclusive. */
export function verdictChanges(before: ReportedResults, after: ReportedResults): VerdictChange[] {
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
