import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Micros, parseDay } from '../common/time/clock';
import { finalAfter } from '../events/counting-rules';
import { convertersIn, metricOf } from '../statistics/pair';
import { conversionsIn, conversionsNeeded, trippedGuardrails } from '../statistics/decision';
import { allowsSingleLook, isPlanOver } from '../statistics/duration';
import { evaluateEach } from '../statistics/evaluation';
import type { ArmComparison, compareGoal } from '../statistics/goal-comparison';
import type { Arm, ExperimentTotals, GoalTotals, Look, Runtime, SingleLook } from '../statistics/input';
import type { plannedCriticals } from '../statistics/planned-boundaries';
import type { VariationStatistics } from '../statistics/result';
import { significanceFraction } from '../statistics/multiple-testing';
import { strataOf } from '../statistics/strata';
import {
  countedGoal,
  daysRunning,
  daysToPlannedEnd,
  EVERYBODY,
  hasWindows,
  isClosed,
  isWithoutEffect,
  singleLookOf,
} from './result-filter';
import {
  comparisonSettings,
  crossovers,
  decisionRules,
  entriesFor,
  goalTotals,
  participantsByVariation,
  participantsOf,
  SumsByGoal,
  total,
} from './totals';
import type { AttachedGoal, ExperimentFacts } from './experiment-facts';
import type {
  ExperimentResults,
  Gates,
  GoalRole,
  Intake,
  PlannedLook,
  ResultFilter,
} from './experiment-results';
import { experimentWarnings } from './experiment-warnings';
import { hasEarlierLooks } from './planned-looks';
import { runtimeOf } from './runtime';
import { definedShares, expectedShares, sampleRatioOf } from './sample-ratio';

/** The cached computations. See `KnownComparisons`. */
export interface Computations {
  compare: typeof compareGoal;
  criticals: typeof plannedCriticals;
}

/** An experiment's sums for the participants selected by a filter; `asOf` is the reference time for durations. */
export interface Summed {
  facts: ExperimentFacts;
  sums: SumsByGoal;
  /** The sums without the filter. Only the participant sums are used. */
  unfiltered: SumsByGoal;
  filter: ResultFilter;
  asOf: Micros;
  /** The looks of all participants by goal id, for the `planned` method; null for other methods. */
  looks: ReadonlyMap<number, readonly Look[]> | null;
}

/** The statistics of all goals in the facts. Between goals, the process can do other work. */
export async function computedResults(
  summed: Summed,
  computations: Computations,
): Promise<ExperimentResults> {
  const { facts, sums, unfiltered, filter, asOf } = summed;
  const { id, name, status } = facts.experiment;
  const ratio = sampleRatioOf(facts, sums);
  // A filter may leave too few participants to detect a mismatch.
  const hasSampleRatioMismatch = ratio.isMismatch || sampleRatioOf(facts, unfiltered).isMismatch;
  const runtime = runtimeOf(facts, asOf)(filter);
  const participants = participantsIn(facts, sums);
  const look = singleLookOf(facts, {
    participants: participantsIn(facts, unfiltered),
    running: daysRunning(facts.runs, EVERYBODY, asOf),
    asOf,
  });
  const time = {
    ...runtime,
    isClosed: facts.experiment.archived_at !== null || isClosed(filter, asOf),
    daysToPlannedEnd: daysToPlannedEnd(facts, asOf),
    singleLook: isWithoutEffect(filter, hasWindows(facts.goals)) ? look : null,
  };
  return {
    experiment: { id, name, status, isFinal: isFinal(facts, asOf), isDecided: facts.isDecided },
    daysRunning: runtime.daysRunning,
    hasResults: facts.hasResults,
    participants,
    entered: participantsByVariation(sums),
    crossovers: crossovers(sums),
    sampleRatio: ratio,
    expectedShares: expectedShares(facts, sums),
    significance: significanceFraction(facts.settings.significance),
    correction: facts.settings.statistics_correction,
    hasWindows: hasWindows(facts.goals),
    goals: await evaluated(
      facts,
      totalsOf(summed),
      { ...time, hasSampleRatioMismatch, warnings: experimentWarnings(facts, sums) },
      { ...computations, look },
    ),
  };
}

/** The results of goals, computed from the given comparisons, in goal order. */
export async function resultsOfCompared(
  summed: Summed,
  comparisons: readonly ArmComparison[][],
  criticals: Computations['criticals'],
): Promise<ExperimentResults> {
  return computedResults(summed, { compare: inTurn(comparisons), criticals });
}

export const armsOf = ({ variations }: ExperimentFacts): Arm[] =>
  variations.map(({ id, name, is_original }) => ({ id, name, isOriginal: is_original }));

/** Whether the result is final. */
export function isFinal({ experiment }: Pick<ExperimentFacts, 'experiment'>, asOf: Micros): boolean {
  const finalAt = finalAfter(experiment.archived_at);
  return finalAt !== null && asOf >= finalAt;
}

/** The number of participants. */
export const participantsIn = (facts: ExperimentFacts, sums: SumsByGoal): number =>
  total(participantsOf(facts, sums));

function totalsOf({ facts, sums, filter, asOf, looks }: Summed): GoalTotals[] {
  const runtime = runtimeOf(facts, asOf);
  return facts.goals.map((goal) => {
    const counted = countedGoal(goal, filter, asOf);
    const entryDays = { start: filter.start, end: counted.lastEntry ?? filter.end };
    return {
      ...goalTotals(goal, facts, entriesFor(sums, counted)),
      entryTime: runtime(entryDays),
      looks: looks?.get(goal.id) ?? null,
      isFiltered: hasEarlierLooks(facts, filter),
    };
  });
}

async function evaluated(
  facts: ExperimentFacts,
  totals: GoalTotals[],
  time: Runtime &
    Pick<
      ExperimentTotals,
      'isClosed' | 'daysToPlannedEnd' | 'singleLook' | 'hasSampleRatioMismatch' | 'warnings'
    >,
  { compare, criticals, look }: Computations & { look: SingleLook | null },
): Promise<ExperimentResults['goals']> {
  const input = {
    rules: decisionRules(facts),
    arms: armsOf(facts),
    goals: totals,
    ...comparisonSettings(facts),
    plan: facts.plan,
    ...time,
  };
  const comparisons: ArmComparison[][] = [];
  for (const goal of totals) {
    comparisons.push(compare(goal, input.arms, comparisonSettings(facts)));
    await nextTurn();
  }
  const intakes = intakesOf(facts);
  const stopped = new Set([...intakes].filter(([, intake]) => intake === 'stopped').map(([id]) => id));
  const statistics: VariationStatistics[][] = [];
  for (const ofGoal of evaluateEach({ ...input, stopped }, inTurn(comparisons), criticals)) {
    statistics.push(ofGoal);
    await nextTurn();
  }
  const tripped = trippedGuardrails(input, comparisons);
  const circumstances = { planned: plannedEndOf(facts, look), intakes };
  return facts.goals.map(({ id, type, name, api_name, direction, value_type, isGuardrail }, index) => ({
    id,
    role: roleOf(index, isGuardrail),
    type,
    name,
    api_name,
    hasValue: totals[index].hasValue,
    metric: metricOf(totals[index]),
    direction,
    currency: currencyOf({ value_type }, facts),
    variations: statistics[index],
    gates: gatesOf(totals[index], input, statistics[index], circumstances),
    tripped: tripped[index],
  }));
}

function roleOf(index: number, isGuardrail: boolean): GoalRole {
  const role = index === 0 ? 'primary' : 'secondary';
  return isGuardrail ? 'guardrail' : role;
}

/** The plan of an experiment, and its end for methods that allow a single look. */
export type PlannedEnd = Pick<PlannedLook, 'end' | 'participants'> & { look: SingleLook };

const plannedEndOf = ({ experiment }: ExperimentFacts, look: SingleLook | null): PlannedEnd | null =>
  look && {
    end: experiment.planned_end === null ? null : parseDay(experiment.planned_end),
    participants: experiment.planned_participants,
    look,
  };

/**
 * The intake of each variation by its id. Visitors can enter variations with a published share. Without participants in
 * the original, there is nothing to compare others with.
 */
export function intakesOf(
  facts: Pick<ExperimentFacts, 'phases' | 'variations'> & {
    experiment: Pick<ExperimentFacts['experiment'], 'archived_at'>;
  },
): ReadonlyMap<number, Intake> {
  const { experiment, phases, variations } = facts;
  const published = phases.at(-1)?.shares;
  const defined = definedShares(facts);
  const hasShare = (id: number, index: number): boolean =>
    (published === undefined ? defined[index] : (published[id] ?? 0)) > 0;
  const isCompared = variations.every(({ id, is_original }, index) => !is_original || hasShare(id, index));
  const intake = (id: number, index: number): Intake =>
    isCompared && hasShare(id, index) ? 'open' : 'stopped';
  return new Map(
    variations.map(({ id }, index) => [id, experiment.archived_at === null ? intake(id, index) : 'closed']),
  );
}

/** A replacement for `compareGoal` that returns the next of the given comparisons on each call, in goal order. */
function inTurn(comparisons: readonly ArmComparison[][]): typeof compareGoal {
  const left = [...comparisons];
  return () => left.shift() ?? [];
}

/** The currency of a goal's values. */
export const currencyOf = (
  { value_type }: Pick<AttachedGoal, 'value_type'>,
  { settings }: Pick<ExperimentFacts, 'settings'>,
): string | null => (value_type === 'revenue' ? settings.currency : null);

/**
 * The minimum conversions and minimum runtime for each compared variation. If the plan decides the verdict, the
 * minimums in the plan apply.
 */
export function gatesOf(
  { phases }: Pick<GoalTotals, 'phases'>,
  { arms, rules, plan, singleLook = null }: Pick<ExperimentTotals, 'arms' | 'rules' | 'plan' | 'singleLook'>,
  variations: readonly VariationStatistics[],
  { planned, intakes }: { planned: PlannedEnd | null; intakes: ReadonlyMap<number, Intake> },
): ReadonlyMap<number, Gates> {
  const original = arms.find(({ isOriginal }) => isOriginal);
  const compared = original === undefined ? [] : arms.filter(({ isOriginal }) => !isOriginal);
  return new Map(
    compared.map(({ id }) => {
      const converters = convertersIn(strataOf(phases, original?.id ?? id, id));
      const own = variations.find((variation) => variation.id === id);
      const { method } = own?.statistics ?? rules;
      const minimums = method === 'planned' && plan !== null ? plan : rules;
      return [
        id,
        {
          conversions: conversionsIn(converters),
          conversionsNeeded: conversionsNeeded(minimums, converters),
          daysNeeded: minimums.minRuntimeDays,
          isPlanOver:
            own !== undefined && isPlanOver(method, own.statistics.planned, singleLook, own.duration),
          plannedLook: own === undefined ? null : lookAhead(planned, own),
          intake: intakes.get(id) ?? 'closed',
        },
      ];
    }),
  );
}

/** A filter does not change when the look of a plan takes place. */
function lookAhead(
  planned: PlannedEnd | null,
  { statistics: { method }, duration }: VariationStatistics,
): PlannedLook | null {
  if (planned === null || !allowsSingleLook(method) || isPlanOver(method, null, planned.look, duration)) {
    return null;
  }
  const { end, participants, look } = planned;
  return { end, participants, daysLeft: look.daysLeft };
}
