import { CROSSED, ENTERED } from '../events/result-cell.entity';
import type { ArmTotals, DecisionRules, GoalTotals } from '../statistics/input';
import type { AttachedGoal, ExperimentFacts } from './experiment-facts';
import type { CellSum } from './result-cells';

/** The sums of cells by goal (or `ENTERED`, `CROSSED`) and variation. */
export type SumsByGoal<S extends CellSum = CellSum> = ReadonlyMap<number, readonly S[]>;

export function byGoal<S extends CellSum>(cells: readonly S[]): SumsByGoal<S> {
  return groupedBy(cells, ({ goalId }) => goalId);
}

/** The entries that have the same key, in their order. */
export function groupedBy<T>(entries: readonly T[], keyOf: (entry: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const entry of entries) {
    const group = groups.get(keyOf(entry));
    if (group === undefined) {
      groups.set(keyOf(entry), [entry]);
    } else {
      group.push(entry);
    }
  }
  return groups;
}

/** Are there values to count, or only conversions? */
export const hasValues = ({ value_type }: Pick<AttachedGoal, 'value_type'>): boolean => value_type !== 'none';

/** How many participants each variation has. */
export function participantsByVariation(sums: SumsByGoal): Map<number, number> {
  return new Map((sums.get(ENTERED) ?? []).map((sum) => [sum.variationId, sum.participants]));
}

/** Participants that were later seen in another variation too. */
export function crossovers(sums: SumsByGoal): number {
  return (sums.get(CROSSED) ?? []).reduce((total, sum) => total + sum.participants, 0);
}

/** What was counted for a goal, as the statistics take it. */
export function goalTotals(goal: AttachedGoal, sums: SumsByGoal): GoalTotals {
  const totals = new Map<number, ArmTotals>();
  for (const [id, participants] of participantsByVariation(sums)) {
    totals.set(id, { ...NOTHING, participants });
  }
  for (const sum of sums.get(goal.id) ?? []) {
    totals.set(sum.variationId, {
      participants: totals.get(sum.variationId)?.participants ?? 0,
      converters: sum.converters,
      conversions: sum.conversions,
      value: sum.value,
      valueSquared: sum.valueSquared,
    });
  }
  return { hasValue: hasValues(goal), direction: goal.direction, totals };
}

export const NOTHING: ArmTotals = {
  participants: 0,
  converters: 0,
  conversions: 0,
  value: 0n,
  valueSquared: 0n,
};

/** The rules by which the project decides, in the words of the statistics. */
export function decisionRules({ settings }: ExperimentFacts): DecisionRules {
  return {
    method: settings.statistics_method,
    correction: settings.statistics_correction,
    significance: settings.significance,
    minConversions: settings.min_conversions,
    minRuntimeDays: settings.min_runtime_days,
  };
}
