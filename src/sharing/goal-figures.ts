import {
  formatChange,
  formatChangeRange,
  formatChangeTick,
  formatPercent,
  formatPercentRange,
  formatPercentTick,
  formatValue,
  formatValueRange,
  formatValueTick,
} from '../presentation/text/numbers';
import type { Series } from '../presentation/plots/series';
import { capitalized } from '../presentation/text/words';
import type { GoalProgress, GoalResults } from '../results/experiment-results';
import { figureName } from './comparison';
import { figureSeries, upliftSeries } from './goal-series';

/** A figure of a goal over time, and how it is written. */
export interface GoalFigure {
  title: string;
  /** What the figure is called, such as `Conversion rate`. */
  figure: string;
  series: Series[];
  /** Does zero divide better from worse? */
  hasZero: boolean;
  formatTick: (value: number) => string;
  formatValue: (value: number, range?: readonly number[]) => string;
  formatRange: (range: readonly [number, number]) => string;
}

/** What a goal is judged by: its conversion rate, or its value per participant. */
export function rateFigure(goal: GoalResults, progress: GoalProgress | undefined): GoalFigure {
  const name = capitalized(figureName(goal));
  return {
    title: `${name} over time`,
    figure: name,
    series: figureSeries(goal, progress),
    hasZero: false,
    ...(goal.hasValue
      ? { formatTick: formatValueTick, formatValue, formatRange: formatValueRange }
      : { formatTick: formatPercentTick, formatValue: formatPercent, formatRange: formatPercentRange }),
  };
}

/** The change of that against the original. */
export function upliftFigure(goal: GoalResults, progress: GoalProgress | undefined): GoalFigure {
  return {
    title: 'Change against the original over time',
    figure: 'Change',
    series: upliftSeries(goal, progress),
    hasZero: true,
    formatTick: formatChangeTick,
    formatValue: formatChange,
    formatRange: formatChangeRange,
  };
}
