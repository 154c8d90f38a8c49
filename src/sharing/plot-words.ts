import type { Series } from '../presentation/plots/series';
import type { GoalResults } from '../results/experiment-results';
import { isImpossible } from './known-range';

/** @param certainty `95 %` */
export const certaintyOfRanges = (certainty: string): string =>
  `The shaded ranges hold the true figure with ${certainty} certainty.`;

/** How to read a plot of what a goal is judged by. */
export const rateExplanation = ({ direction }: GoalResults): string =>
  `Each day counts everything until then.${direction === 'decrease' ? ' For this goal lower is better.' : ''}`;

/** How to read a plot of the change against the original. */
export function upliftExplanation(goal: GoalResults, series: readonly Series[]): string {
  const better =
    goal.direction === 'decrease'
      ? 'Below zero is better, because for this goal lower is better.'
      : 'Above zero is better.';
  const hasImpossible = series.some(({ points }) =>
    points.some(({ interval }) => isImpossible(goal, interval)),
  );
  const rough = hasImpossible
    ? ' A conversion rate cannot fall by more than 100 %: a range that goes further is only a rough figure.'
    : '';
  return `Zero is the original. ${better} While a range includes zero, there may be no difference at all.${rough}`;
}
