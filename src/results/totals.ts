import { groupBy } from '../common/lists/collections';
import { CROSSED, ENTERED } from '../events/cell.entities';
import type { EstimateSettings } from '../statistics/arm-estimate';
import type { PhaseShares } from '../experiments/experiment-run.store';
import type {
  ArmTotals,
  ComparisonSettings,
  DecisionRules,
  GoalTotals,
  PhaseTotals,
} from '../statistics/input';
import { alphaOf } from '../statistics/multiple-testing';
import { NOTHING } from '../statistics/strata';
import { CountedGoal, countsEntry } from './result-filter';
import type { AttachedGoal, ExperimentFacts } from './experiment-facts';
import type { CellSum } from './result-cells.store';

/** The sums of cells by goal (or `ENTERED`, `CROSSED`) and variation. */
export type SumsByGoal<S extends CellSum = CellSum> = ReadonlyMap<number, readonly S[]>;

export function byGoal<S extends CellSum>(cells: readonly S[]): SumsByGoal<S> {
  return groupBy(cells, ({ goalId }) => goalId);
}

/** The sums, including only participants who entered on days that count for the goal. */
export const entriesFor = <S extends CellSum>(sums: SumsByGoal<S>, goal: CountedGoal): SumsByGoal<S> =>
  new Map([...sums, [ENTERED, (sums.get(ENTERED) ?? []).filter(({ day }) => countsEntry(goal, day))]]);

/** The sums for each goal (or `ENTERED`, `CROSSED`), variation and phase over all days. */
export function summedOverDays(cells: readonly CellSum[]): CellSum[] {
  const sums: SumsByPlace = new Map();
  addTo(sums, cells);
  return [...sums.values()];
}

/** The sums by goal, variation and phase. */
export type SumsByPlace = Map<string, CellSum>;

export function addTo(sums: SumsByPlace, cells: readonly CellSum[]): void {
  for (const cell of cells) {
    const place = `${cell.goalId}:${cell.variationId}:${cell.phase}`;
    const sum = sums.get(place);
    sums.set(place, sum === undefined ? { ...cell, day: null } : added(sum, cell));
  }
}

const added = (a: CellSum, b: CellSum): CellSum => ({
  goalId: a.goalId,
  variationId: a.variationId,
  phase: a.phase,
  day: null,
  participants: a.participants + b.participants,
  converters: a.converters + b.converters,
  conversions: a.conversions + b.conversions,
  value: a.value + b.value,
  valueSquared: a.valueSquared + b.valueSquared,
  uncappedValue: a.uncappedValue + b.uncappedValue,
  conversionsSquared: a.conversionsSquared + b.conversionsSquared,
  valueByConversions: a.valueByConversions + b.valueByConversions,
});

/** The negative of a cell, to subtract it from sums. */
export const negative = (cell: CellSum): CellSum => ({
  ...cell,
  participants: -cell.participants,
  converters: -cell.converters,
  conversions: -cell.conversions,
  value: -cell.value,
  valueSquared: -cell.valueSquared,
  uncappedValue: -cell.uncappedValue,
  conversionsSquared: -cell.conversionsSquared,
  valueByConversions: -cell.valueByConversions,
});

/** Whether the goal has values, not only conversions. */
export const hasValues = ({ value_type }: Pick<AttachedGoal, 'value_type'>): boolean => value_type !== 'none';

/**
 * The number of participants in each variation. @param phase only participants who entered in this phase; all by
 * default
 */
export function participantsByVariation(sums: SumsByGoal, phase?: number): Map<number, number> {
  const counts = new Map<number, number>();
  for (const sum of sums.get(ENTERED) ?? []) {
    if (phase === undefined || sum.phase === phase) {
      counts.set(sum.variationId, (counts.get(sum.variationId) ?? 0) + sum.participants);
    }
  }
  return counts;
}

/** Participants who were later seen in a different variation. */
export function crossovers(sums: SumsByGoal): number {
  return (sums.get(CROSSED) ?? []).reduce((total, sum) => total + sum.participants, 0);
}

/** The facts needed to convert sums to counts. */
type CountedFacts = Pick<ExperimentFacts, 'phases' | 'hasSquares'>;

/** The counts of a goal as input for the statistics. */
export function goalTotals(goal: AttachedGoal, facts: CountedFacts, sums: SumsByGoal): GoalTotals {
  const numbers = new Set((sums.get(ENTERED) ?? []).map(({ phase }) => phase));
  return {
    hasValue: hasValues(goal),
    direction: goal.direction,
    counting: goal.counting,
    isGuardrail: goal.isGuardrail,
    phases: [...numbers].sort((a, b) => a - b).map((number) => phaseTotals(goal, number, facts, sums)),
    looks: null,
  };
}

function phaseTotals(
  goal: AttachedGoal,
  number: number,
  { phases, hasSquares }: CountedFacts,
  sums: SumsByGoal,
): PhaseTotals {
  const totals = new Map<number, ArmTotals>();
  for (const [id, participants] of participantsByVariation(sums, number)) {
    totals.set(id, { ...NOTHING, participants });
  }
  for (const sum of (sums.get(goal.id) ?? []).filter(({ phase }) => phase === number)) {
    totals.set(sum.variationId, {
      ...squaresIn(sum, hasSquares),
      participants: totals.get(sum.variationId)?.participants ?? 0,
      converters: sum.converters,
      conversions: sum.conversions,
      value: sum.value,
      valueSquared: sum.valueSquared,
      uncappedValue: sum.uncappedValue,
    });
  }
  const shares = phases.find((phase) => phase.number === number)?.shares;
  return { shares: shares === undefined ? null : sharesById(shares), totals };
}

export const sharesById = (shares: PhaseShares): Map<number, number> =>
  new Map(Object.entries(shares).map(([id, share]) => [Number(id), share]));

/** The sums of squares and of products; null if the cells were counted without squares. */
const squaresIn = (
  { conversionsSquared, valueByConversions }: CellSum,
  hasSquares: boolean,
): Pick<ArmTotals, 'conversionsSquared' | 'valueByConversions'> =>
  hasSquares
    ? { conversionsSquared, valueByConversions }
    : { conversionsSquared: null, valueByConversions: null };

/** Converts the project's decision rules to input for the statistics. */
export function decisionRules({ settings }: ExperimentFacts): DecisionRules {
  return {
    method: settings.statistics_method,
    correction: settings.statistics_correction,
    significance: settings.significance,
    minConversions: settings.min_conversions,
    minRuntimeDays: settings.min_runtime_days,
  };
}

/** The input for comparisons, except the counts. */
export function comparisonSettings({ settings, tuning }: ExperimentFacts): ComparisonSettings {
  const { significance, uplift_prior: prior } = settings;
  return { alpha: alphaOf(significance), tuning, upliftPrior: prior === null ? null : prior / 100 };
}

/**
 * The input for a plot's figures, except the counts. Consists of the input for comparisons and the method for
 * intervals.
 */
export function estimateSettings(facts: ExperimentFacts): ComparisonSettings & EstimateSettings {
  return { ...comparisonSettings(facts), method: facts.settings.statistics_method };
}

export const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** In variation order. @param phase see `participantsByVariation` */
export function participantsOf(
  { variations }: Pick<ExperimentFacts, 'variations'>,
  sums: SumsByGoal,
  phase?: number,
): number[] {
  const counted = participantsByVariation(sums, phase);
  return variations.map(({ id }) => counted.get(id) ?? 0);
}
