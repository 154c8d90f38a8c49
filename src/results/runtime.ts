import type { Micros } from '../common/time/clock';
import type { Run } from '../events/counting-rules';
import type { Runtime } from '../statistics/input';
import type { ExperimentFacts } from './experiment-facts';
import type { ResultFilter } from './experiment-results';
import { daysRunning } from './result-filter';

/**
 * The runtime until `asOf` on the days from `start` to `end`. A variation and the original are compared in the phases in
 * which both have a share. Time before the first phase counts as part of that phase.
 */
export function runtimeOf(
  { runs, phases, variations }: Pick<ExperimentFacts, 'runs' | 'phases' | 'variations'>,
  days: Pick<ResultFilter, 'start' | 'end'>,
  asOf: Micros,
): Runtime {
  const original = variations.find(({ is_original }) => is_original);
  const periods = phases.map(({ beganAt, shares }, index) => ({
    shares,
    from: index === 0 ? -Infinity : beganAt,
    until: phases[index + 1]?.beganAt ?? Infinity,
  }));
  const daysWith = (ids: readonly number[]): number => {
    const shared = periods.filter(({ shares }) => ids.every((id) => (shares[id] ?? 0) > 0));
    return daysRunning(
      shared.flatMap((period) => runsWithin(runs, period, asOf)),
      days,
      asOf,
    );
  };
  return {
    daysRunning: daysRunning(runs, days, asOf),
    daysCompared: new Map(
      phases.length === 0 ? [] : variations.map(({ id }) => [id, daysWith([id, original?.id ?? id])]),
    ),
  };
}

/** The runs, limited to a period. A run outside the period ends before it starts, so it has no days. */
const runsWithin = (
  runs: readonly Run[],
  { from, until }: { from: Micros; until: Micros },
  asOf: Micros,
): Run[] =>
  runs.map(({ startedAt, endedAt }) => ({
    startedAt: Math.max(startedAt, from),
    endedAt: Math.min(endedAt ?? asOf, until),
  }));
