import { formatCount } from '../presentation/text/numbers';
import { listed } from '../common/text/strings';
import { plural } from '../presentation/text/words';
import type { Gates, GoalResults } from '../results/experiment-results';
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

function reason({ statistics: { planned } }: VariationStatistics, missing: readonly string[]): string {
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
