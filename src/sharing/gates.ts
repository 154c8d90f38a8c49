import { formatCertainty, formatCount, formatPercent } from '../presentation/text/numbers';
import { listed } from '../common/text/strings';
import { parseDay } from '../common/time/clock';
import { formatLongDay } from '../presentation/text/dates';
import { plural } from '../presentation/text/words';
import type { Gates, GoalResults, PlannedLook } from '../results/experiment-results';
import type { Duration, PlannedStatistics, VariationStatistics } from '../statistics/result';
import { excludesZero, intervalsOf } from '../statistics/shown-intervals';
import { isForEveryDay } from './certainty-words';

/** Whether the minimum runtime and the minimum conversions have been reached. Until then, there is no verdict. */
export const isOpen = ({ minRuntimeReached, minConversionsReached }: Duration): boolean =>
  minRuntimeReached && minConversionsReached;

/** Whether the plan is over for the variation. */
export const isPlanOver = (
  { gates }: Pick<GoalResults, 'gates'>,
  { id }: Pick<VariationStatistics, 'id'>,
): boolean => gates.get(id)?.isPlanOver === true;

/** Whether the variation has been stopped without a verdict, and there is nothing to wait for. */
export const isStopped = (
  { gates, tripped }: Pick<GoalResults, 'gates' | 'tripped'>,
  { id, duration, statistics: { verdict } }: Pick<VariationStatistics, 'id' | 'duration' | 'statistics'>,
): boolean =>
  verdict === 'inconclusive' &&
  !tripped.includes(id) &&
  gates.get(id)?.intake === 'stopped' &&
  duration.daysLeft === null;

/**
 * The only look of the method, if it is still to come for a variation that already has a verdict. The verdict would be
 * that of an earlier look, for which the test is not valid.
 */
export function lookToCome(
  { gates }: Pick<GoalResults, 'gates'>,
  { id, statistics: { verdict } }: Pick<VariationStatistics, 'id' | 'statistics'>,
): PlannedLook | null {
  const isDecided = verdict === 'winner' || verdict === 'loser';
  return isDecided ? (gates.get(id)?.plannedLook ?? null) : null;
}

/** `at the planned end, 24 December 2026, or once there are 10 000 participants` */
export function plannedLookWords({ end, participants }: PlannedLook): string {
  return [
    ...(end === null ? [] : [`at the planned end, ${formatLongDay(end)}`]),
    ...(participants === null ? [] : [`once there are ${plural(participants, 'participant')}`]),
  ].join(', or ');
}

/** `3 of 50 conversions, day 1 of 7`: the requirements that are not met yet. */
export function missingGates(
  { conversions, conversionsNeeded, daysNeeded }: Gates,
  { daysRunning, minRuntimeReached, minConversionsReached }: Duration,
): string {
  const day = formatCount(Math.max(1, Math.ceil(daysRunning)));
  return [
    ...(minConversionsReached
      ? []
      : [`${formatCount(conversions)} of ${plural(conversionsNeeded, 'conversion')}`]),
    ...(minRuntimeReached ? [] : [`day ${day} of ${formatCount(daysNeeded)}`]),
  ].join(', ');
}

export const WITHOUT_LOOK = 'the plan ended before any look could take place';

/** Whether the plan ended before the first look, in which case nothing was tested. */
export const endedWithoutLook = (planned: PlannedStatistics | null | undefined): boolean =>
  planned?.isOver === true && planned.looks === 0;

/**
 * The figure that decided the verdict, if it is not the range, and why the range can include zero despite the verdict.
 */
export function decisiveWords(variation: VariationStatistics): string[] {
  const { method, metric, significance, planned, ...blocks } = variation.statistics;
  if (method === 'planned') {
    return lookNote(planned);
  }
  const { difference, uplift } = intervalsOf(variation);
  const includesZero = [difference, uplift].some((range) => range !== null && !excludesZero(range));
  const chance = blocks[metric]?.bayesian?.chanceToBeatOriginal ?? null;
  if (method === 'bayesian' && chance !== null) {
    const level = formatCertainty(significance);
    const oneSided = `The verdict tests one direction at ${level}, but the ranges cover both directions with ${level}, so a range can include zero.`;
    return [
      `The chance to beat the original is ${formatPercent(chance)}.`,
      ...(includesZero ? [oneSided] : []),
    ];
  }
  return method === 'frequentist' && includesZero
    ? ['The verdict is based on the p-value of the difference. Close to the limit, a range can include zero.']
    : [];
}

/** The look that the range comes from, once the plan is over. Figures of later days may contradict the range. */
export function lookNote(planned: PlannedStatistics | null): string[] {
  const { isOver = false, decidedOn = null, lookedOn = null } = planned ?? {};
  const day = parseDay((isOver ? lookedOn : null) ?? '');
  const subject = decidedOn === null ? 'The range is' : 'The verdict and the range are';
  return day === null
    ? []
    : [
        `${subject} from the look at the end of ${formatLongDay(day)}. The other figures may include later visits.`,
      ];
}

/** After the end of the plan, a method that allows a single look computes its verdicts from the figures of every day. */
export const laterLooks = (
  goal: Pick<GoalResults, 'gates'>,
  variation: Pick<VariationStatistics, 'id' | 'statistics'>,
): string[] =>
  isPlanOver(goal, variation) && variation.statistics.planned === null
    ? ['Days after the end of the plan are further looks, and can change the verdict by chance.']
    : [];

/** Why there is no verdict even though the range excludes zero. */
export function significanceWords(variation: VariationStatistics): string[] {
  const { method } = variation.statistics;
  if (!isForEveryDay(method) || !excludesZero(intervalsOf(variation).difference)) {
    return [];
  }
  const { minRuntimeReached, minConversionsReached } = variation.duration;
  const missing = [
    ...(minConversionsReached ? [] : ['the minimum conversions']),
    ...(minRuntimeReached ? [] : ['the minimum runtime']),
  ];
  return [`The range of the difference excludes zero, but ${reason(variation, missing)}.`];
}

function reason(
  { statistics: { method, planned } }: VariationStatistics,
  missing: readonly string[],
): string {
  if (method === 'planned' && planned === null) {
    return 'filtered results of a planned experiment have no verdict';
  }
  if (endedWithoutLook(planned)) {
    return WITHOUT_LOOK;
  }
  if (missing.length > 0) {
    return `a verdict also requires ${listed(missing)}`;
  }
  // Looks take place at the end of each day. Before the first look, the range is computed as if a look took place now.
  return planned?.looks === 0
    ? 'the first look has not taken place yet'
    : 'a verdict accounts for all comparisons and requires more';
}
