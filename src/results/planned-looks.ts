import { isDeepStrictEqual } from 'node:util';
import type { Micros } from '../common/time/clock';
import { Day, dayOf, formatDay, parseDay } from '../common/time/days';
import { finalAfter } from '../events/counting-rules';
import { ENTERED } from '../events/result-cell.entity';
import type { Phase } from '../experiments/experiment-phase.store';
import type { FixedPlan } from '../experiments/experiment-plan.store';
import type { ExperimentPlan, Look } from '../statistics/input';
import { filledShares } from '../variations/variation-shares';
import type { AttachedGoal, ExperimentFacts } from './experiment-facts';
import type { ResultFilter } from './experiment-results';
import type { CellSum, DailyCellSum } from './result-cells.store';
import { EVERYBODY } from './result-filter';
import { daysRunning } from './shown-days';
import { byGoal, goalTotals, groupedBy, sharesById, summedOverDays } from './totals';

/** The plan as the statistics take it, with the shares of the first start. */
export function planOf(
  plan: FixedPlan | null,
  [first]: readonly Phase[],
  variations: ExperimentFacts['variations'],
): ExperimentPlan | null {
  if (plan === null) {
    return null;
  }
  const defined = filledShares(variations.map(({ traffic_allocation }) => traffic_allocation));
  return {
    participants: plan.participants,
    shares:
      first === undefined
        ? new Map(variations.map(({ id }, index) => [id, defined[index]]))
        : sharesById(first.shares),
    end: plan.end_day === null ? null : formatDay(plan.end_day),
    removedOn: plan.removed_day === null ? null : formatDay(plan.removed_day),
    minConversions: plan.min_conversions,
    minRuntimeDays: plan.min_runtime_days,
  };
}

/** Has the result a verdict by the plan? Filtered ones have none. */
export const hasPlannedLooks = ({ settings, plan }: ExperimentFacts, filter: ResultFilter): boolean =>
  settings.statistics_method === 'planned' && plan !== null && isDeepStrictEqual(filter, EVERYBODY);

/**
 * How a goal stood at the end of each whole day since the start, from the cells of today.
 * @param cells of the goal and of who entered, each day, of everybody
 */
export function looksOfGoal(
  goal: AttachedGoal,
  facts: ExperimentFacts,
  cells: readonly DailyCellSum[],
  asOf: Micros,
): Look[] {
  const own = cells.filter(({ goalId }) => goalId === ENTERED || goalId === goal.id);
  const byDay = groupedBy(own, ({ day }) => day);
  let sums: CellSum[] = [];
  return wholeDays(facts, asOf).map((day) => {
    sums = summedOverDays([...sums, ...(byDay.get(day) ?? [])]);
    return {
      date: formatDay(day),
      daysRunning: daysRunning(facts.runs, { start: null, end: day }, asOf),
      phases: goalTotals(goal, facts, byGoal(sums)).phases,
    };
  });
}

/**
 * The days to look at the end of: those that are over, from that of the start until the experiment stopped or, if that
 * is later, its plan ends. No look follows after a result is final.
 */
function wholeDays(
  { experiment, runs, plan }: Pick<ExperimentFacts, 'experiment' | 'runs' | 'plan'>,
  asOf: Micros,
): Day[] {
  const [start, stop] = [runs.at(0), runs.at(-1)];
  if (start === undefined) {
    return [];
  }
  const first = dayOf(start.startedAt);
  const known = Math.min(asOf, finalAfter(experiment.archived_at) ?? Infinity);
  const stopped = stop?.endedAt == null ? Infinity : dayOf(stop.endedAt);
  const planned = plan?.end == null ? -Infinity : (parseDay(plan.end) ?? -Infinity);
  const last = Math.min(dayOf(known) - 1, Math.max(stopped, planned));
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
