import { mapInTurns } from '../common/event-loop';
import { groupBy } from '../common/lists/collections';
import { parseDay, type Day } from '../common/time/clock';
import { ENTERED } from '../events/cell.entities';
import { armEstimate, type EstimateSettings } from '../statistics/arm-estimate';
import type { GoalTotals, Look } from '../statistics/input';
import { plannedParticipants, plannedUplifts } from '../statistics/planned';
import type { plannedCriticals } from '../statistics/planned-boundaries';
import { correctedAlpha, sizeOfPlannedFamily } from '../statistics/multiple-testing';
import { armsOf } from './computed-results';
import type { AttachedGoal, ExperimentFacts } from './experiment-facts';
import type { GoalProgress, VariationEstimate } from './experiment-results';
import type { CellSum, DailyCellSum } from './result-cells.store';
import { byGoal, decisionRules, goalTotals, summedOverDays, type SumsByGoal } from './totals';

type Facts = Pick<ExperimentFacts, 'goals' | 'variations' | 'phases' | 'hasSquares'>;

/**
 * The figures of each goal at the end of each day, with the same strata, tuning and intervals as in the results, so the
 * last day matches the results. For more than a few days, use `progressInTurns`.
 */
export function progressOf(
  facts: Facts,
  days: readonly Day[],
  cells: readonly DailyCellSum[],
  settings: EstimateSettings,
): GoalProgress[] {
  const sums = byGoal(cells);
  return facts.goals.map((goal) => ({
    goalId: goal.id,
    days: days.map(dayEstimator(facts, goal, cellsOn(goal, sums), settings)),
  }));
}

/** Like `progressOf`, but yields to other requests during long work. */
export async function progressInTurns(
  ...[facts, days, cells, settings]: Parameters<typeof progressOf>
): Promise<GoalProgress[]> {
  const sums = byGoal(cells);
  const progress: GoalProgress[] = [];
  for (const goal of facts.goals) {
    const estimator = dayEstimator(facts, goal, cellsOn(goal, sums), settings);
    progress.push({ goalId: goal.id, days: await mapInTurns(days, estimator) });
  }
  return progress;
}

/** The cells that count for a goal, by day. */
function cellsOn(goal: AttachedGoal, sums: SumsByGoal<DailyCellSum>): Map<Day, DailyCellSum[]> {
  return groupBy([...(sums.get(ENTERED) ?? []), ...(sums.get(goal.id) ?? [])], ({ day }) => day);
}

/** A function that returns the figures at the end of a day. It must be called for each day in ascending order. */
function dayEstimator(
  facts: Facts,
  goal: AttachedGoal,
  cells: ReadonlyMap<Day, readonly DailyCellSum[]>,
  settings: EstimateSettings,
): (day: Day) => GoalProgress['days'][number] {
  let sums: CellSum[] = [];
  let estimates = estimatesOf(facts, goal, sums, settings);
  return (day) => {
    const today = cells.get(day) ?? [];
    if (today.length > 0) {
      sums = summedOverDays([...sums, ...today]);
      estimates = estimatesOf(facts, goal, sums, settings);
    }
    return { day, variations: estimates };
  };
}

function estimatesOf(
  facts: Facts,
  goal: AttachedGoal,
  sums: readonly CellSum[],
  settings: EstimateSettings,
): VariationEstimate[] {
  const { variations } = facts;
  const totals = goalTotals(goal, facts, byGoal(sums));
  const original = variations.find(({ is_original }) => is_original);
  return variations.map(({ id }) => {
    const control = original === undefined || original.id === id ? null : original.id;
    return { variationId: id, ...armEstimate(totals, id, control, settings) };
  });
}

/**
 * The progress with uplift intervals according to the plan. The last day thus matches the results. Variations that are
 * not in the plan keep their intervals.
 */
export function withPlannedUplifts(
  progress: GoalProgress,
  goal: GoalTotals,
  looks: readonly Look[],
  facts: ExperimentFacts,
  criticals: typeof plannedCriticals,
): GoalProgress {
  const uplifts = upliftsByVariation(goal, looks, facts, criticals);
  const indexes = new Map(looks.map(({ date }, index) => [parseDay(date), index]));
  const lastDay = progress.days.at(-1)?.day;
  return {
    ...progress,
    days: progress.days.map(({ day, variations }) => ({
      day,
      variations: variations.map((estimate) => {
        const own = estimate.uplift === null ? undefined : uplifts.get(estimate.variationId);
        const index = day === lastDay ? looks.length : (indexes.get(day) ?? looks.length);
        return own === undefined ? estimate : { ...estimate, upliftInterval: own[index] };
      }),
    })),
  };
}

function upliftsByVariation(
  goal: GoalTotals,
  looks: readonly Look[],
  facts: ExperimentFacts,
  criticals: typeof plannedCriticals,
): ReadonlyMap<number, ReturnType<typeof plannedUplifts> & object> {
  const arms = armsOf(facts);
  const { plan } = facts;
  const original = arms.find(({ isOriginal }) => isOriginal);
  if (plan === null || original === undefined) {
    return new Map();
  }
  const { goals } = facts;
  const alpha = correctedAlpha(decisionRules(facts), sizeOfPlannedFamily({ goals, arms, plan }, goal));
  return new Map(
    arms
      .filter((arm) => !arm.isOriginal && plannedParticipants(plan, [original.id, arm.id]) !== null)
      .flatMap((arm) => {
        const uplifts = plannedUplifts(goal, looks, [original, arm], plan, alpha, criticals);
        return uplifts === null ? [] : [[arm.id, uplifts] as const];
      }),
  );
}
