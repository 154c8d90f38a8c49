import type { Micros } from '../common/time/clock';
import type { Run } from '../events/counting-rules';
import type { Runtime } from '../statistics/input';
import type { ExperimentFacts } from './experiment-facts';
import type { ResultFilter } from './experiment-results';
import { daysRunning } from './result-filter';

/** The runtime on the days from `start` to `end`. */
type RuntimeWithin = (days: Pick<ResultFilter, 'start' | 'end'>) => Runtime;

/**
 * The runtime until `asOf`. A variation and the original are compared in the phases in which both have a share. Time
 * before the first phase counts as part of that phase.
 */
export function runtimeOf(
  { runs, phases, variations }: Pick<ExperimentFacts, 'runs' | 'phases' | 'variations'>,
  asOf: Micros,
): RuntimeWithin {
  const original = variations.find(({ is_original }) => is_original);
  const periods = phases.map(({ beganAt, shares }, index) => {
    const from = index === 0 ? -Infinity : beganAt;
    return { shares, runs: runsWithin(runs, from, phases[index + 1]?.beganAt ?? Infinity, asOf) };
  });
  const runsWith = (ids: readonly number[]): Run[] =>
    periods.filter(({ shares }) => ids.every((id) => (shares[id] ?? 0) > 0)).flatMap((period) => period.runs);
  const compared =
    phases.length === 0 ? [] : variations.map(({ id }) => ({ id, runs: runsWith([id, original?.id ?? id]) }));
  return (days) => ({
    daysRunning: daysRunning(runs, days, asOf),
    daysCompared: new Map(compared.map((each) => [each.id, daysRunning(each.runs, days, asOf)])),
  });
}

/** The parts of the runs in a period. */
const runsWithin = (runs: readonly Run[], from: Micros, until: Micros, asOf: Micros): Run[] =>
  runs
    .map(({ startedAt, endedAt }) => ({
      startedAt: Math.max(startedAt, from),
      endedAt: Math.min(endedAt ?? asOf, until),
    }))
    .filter(({ startedAt, endedAt }) => startedAt < endedAt);
