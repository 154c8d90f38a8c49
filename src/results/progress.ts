import { groupBy } from '../common/lists/grouping';
import type { Day } from '../common/time/clock';
import { ENTERED } from '../events/cell.entities';
import { armStanding, type StandingSettings } from '../statistics/arm-standing';
import type { AttachedGoal, ExperimentFacts } from './experiment-facts';
import type { GoalProgress, StandingOfVariation } from './experiment-results';
import type { CellSum, DailyCellSum } from './result-cells.store';
import { byGoal, goalTotals, summedOverDays, type SumsByGoal } from './totals';

type Facts = Pick<ExperimentFacts, 'goals' | 'variations' | 'phases' | 'hasSquares'>;

/**
 * The figures of each goal at the end of each day, with the strata, tuning and intervals of the results, so that the
 * last day matches the results.
 */
export function progressOf(
  facts: Facts,
  days: readonly Day[],
  cells: readonly DailyCellSum[],
  settings: StandingSettings,
): GoalProgress[] {
  const sums = byGoal(cells);
  return facts.goals.map((goal) => ({
    goalId: goal.id,
    days: standings(facts, goal, days, cellsOn(goal, sums), settings),
  }));
}

/** The cells that count for a goal, by day. */
function cellsOn(goal: AttachedGoal, sums: SumsByGoal<DailyCellSum>): Map<Day, DailyCellSum[]> {
  return groupBy([...(sums.get(ENTERED) ?? []), ...(sums.get(goal.id) ?? [])], ({ day }) => day);
}

function standings(
  facts: Facts,
  goal: AttachedGoal,
  days: readonly Day[],
  cells: ReadonlyMap<Day, readonly DailyCellSum[]>,
  settings: StandingSettings,
): GoalProgress['days'] {
  let sums: CellSum[] = [];
  let standing = standingOf(facts, goal, sums, settings);
  return days.map((day) => {
    const today = cells.get(day) ?? [];
    if (today.length > 0) {
      sums = summedOverDays([...sums, ...today]);
      standing = standingOf(facts, goal, sums, settings);
    }
    return { day, variations: standing };
  });
}

function standingOf(
  facts: Facts,
  goal: AttachedGoal,
  sums: readonly CellSum[],
  settings: StandingSettings,
): StandingOfVariation[] {
  const { variations } = facts;
  const totals = goalTotals(goal, facts, byGoal(sums));
  const original = variations.find(({ is_original }) => is_original);
  return variations.map(({ id }) => {
    const control = original === undefined || original.id === id ? null : original.id;
    return { variationId: id, ...armStanding(totals, id, control, settings) };
  });
}
