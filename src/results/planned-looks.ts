import { groupBy } from '../common/lists/collections';
import { Day, dayOf, formatDay, type Micros, parseDay } from '../common/time/clock';
import { ENTERED } from '../events/cell.entities';
import { finalAfter } from '../events/counting-rules';
import type { FixedPlan, Phase } from '../experiments/experiment-run.store';
import type { ExperimentPlan, Look } from '../statistics/input';
import { filledShares } from '../experiments/variations/variation-shares';
import { countedGoal, EVERYBODY, hasWindows, isWithoutEffect } from './result-filter';
import type { AttachedGoal, ExperimentFacts } from './experiment-facts';
import type { ResultFilter } from './experiment-results';
import type { CellSum, DailyCellSum, ResultCells } from './result-cells.store';
import { runtimeOf } from './runtime';
import { byGoal, goalTotals, sharesById, summedOverDays } from './totals';

/** The plan as input for the statistics, with the shares at the first start. */
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
    comparisons: { goals: plan.goal_comparisons, guardrails: plan.guardrail_comparisons },
  };
}

/** Whether the plan decides the verdict. It does not decide filtered results. */
export const hasPlannedLooks = (facts: ExperimentFacts, filter: ResultFilter): boolean =>
  isPlanned(facts) && isWithoutEffect(filter, hasWindows(facts.goals));

/**
 * Whether filtered results need the looks. A removed plan still decides the verdict if it had reached a decision before
 * its removal.
 */
export const hasEarlierLooks = (facts: ExperimentFacts, filter: ResultFilter): boolean =>
  isPlanned(facts) && facts.plan?.removedOn != null && !hasPlannedLooks(facts, filter);

const isPlanned = ({ settings, plan }: ExperimentFacts): boolean =>
  settings.statistics_method === 'planned' && plan !== null;

/**
 * A goal's figures at the end of each whole day since the start, from the current cells.
 * @param cells the daily cells for the goal and for all participants
 */
export function looksOfGoal(
  goal: AttachedGoal,
  facts: ExperimentFacts,
  cells: readonly DailyCellSum[],
  asOf: Micros,
): Look[] {
  const own = cells.filter(({ goalId }) => goalId === ENTERED || goalId === goal.id);
  const byDay = groupBy(own, ({ day }) => day);
  const runtime = runtimeOf(facts, asOf);
  let sums: CellSum[] = [];
  return wholeDays(facts, asOf).map((day) => {
    sums = summedOverDays([...sums, ...(byDay.get(day) ?? [])]);
    return {
      date: formatDay(day),
      ...runtime({ start: null, end: day }),
      phases: goalTotals(goal, facts, byGoal(sums)).phases,
    };
  });
}

/** The looks of all participants for each goal, by goal id. */
export async function allLooks(
  cells: Pick<ResultCells, 'daily'>,
  facts: ExperimentFacts,
  asOf: Micros,
): Promise<Map<number, Look[]>> {
  const goals = facts.goals.map((goal) => countedGoal(goal, EVERYBODY, asOf));
  const daily = await cells.daily(facts.experiment.id, goals, EVERYBODY);
  return new Map(facts.goals.map((goal) => [goal.id, looksOfGoal(goal, facts, daily, asOf)]));
}

/**
 * The days that end with a look: all past days from the start until the experiment stopped or its plan ends, whichever
 * is later. Final results get no more looks.
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
