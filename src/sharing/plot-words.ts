import type { Series } from '../presentation/plots/series';
import { formatCertainty } from '../presentation/text/numbers';
import type { PlottedGoal } from '../results/experiment-results';
import type { Method } from '../statistics/result';
import { isImpossible } from './known-range';

/** Explains the ranges of a plot. @param significance as a fraction */
export function certaintyOfRanges(method: Method, significance: number): string {
  const start = `With ${formatCertainty(significance)} confidence`;
  return isForEveryDay(method)
    ? `${start}, the shaded ranges of all days contain the true value.`
    : `${start}, the shaded range of a single day contains the true value: look once, at the planned end.`;
}

/** Whether the verdicts and ranges are valid every day. */
export const isForEveryDay = (method: Method): boolean => method === 'sequential' || method === 'planned';

/** How to read a plot of the goal's metric. */
export const rateExplanation = ({ direction }: Pick<PlottedGoal, 'direction'>): string =>
  `Figures are cumulative.${direction === 'decrease' ? ' Lower is better.' : ''}`;

/** How to read a plot of the change against the original. */
export function upliftExplanation(goal: PlottedGoal, series: readonly Series[]): string {
  const better = goal.direction === 'decrease' ? 'Below zero is better.' : 'Above zero is better.';
  // The last day alone decides, because pages that load an image have no other day.
  const hasImpossible = series.some(({ points }) => isImpossible(goal, points.at(-1)?.interval ?? null));
  const rough = hasImpossible
    ? ' A conversion rate cannot fall by more than 100 %. A range that extends below −100 % is only approximate.'
    : '';
  return `Zero is the original. ${better} While a range includes zero, there may be no difference at all.${rough}`;
}
