import { capitalized } from '../common/text/strings';
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
  withCurrency,
} from '../presentation/text/numbers';
import type { Series } from '../presentation/plots/series';
import type { GoalProgress, PlottedGoal } from '../results/experiment-results';
import { figureName } from './comparison';
import { figureSeries, upliftSeries } from './goal-series';

/** A figure of a goal over time, with its formats. */
export interface GoalFigure {
  title: string;
  /** The name of the figure, such as `Conversion rate`. */
  figure: string;
  series: Series[];
  /** Whether zero separates better from worse. */
  hasZero: boolean;
  formatTick: (value: number) => string;
  formatValue: (value: number, range?: readonly number[]) => string;
  formatRange: (range: readonly [number, number]) => string;
}

/** The goal's metric: conversion rate, or value or conversions per participant. */
export function rateFigure(goal: PlottedGoal, progress: GoalProgress | undefined): GoalFigure {
  const name = capitalized(figureName(goal));
  return {
    title: `${name}${goal.metric === 'value' && goal.currency !== null ? ` in ${goal.currency}` : ''} over time`,
    figure: name,
    series: figureSeries(goal, progress),
    hasZero: false,
    ...(goal.metric === 'conversion'
      ? { formatTick: formatPercentTick, formatValue: formatPercent, formatRange: formatPercentRange }
      : valueFormats(goal)),
  };
}

/** Ticks have no room for a currency; the title names it. */
function valueFormats(goal: PlottedGoal): Pick<GoalFigure, 'formatTick' | 'formatValue' | 'formatRange'> {
  const currency = goal.metric === 'value' ? goal.currency : null;
  return {
    formatTick: formatValueTick,
    formatValue: (value, range) => withCurrency(formatValue(value, range), currency),
    formatRange: (range) => withCurrency(formatValueRange(range), currency),
  };
}

/** The uplift of the metric over the original. */
export function upliftFigure(goal: PlottedGoal, progress: GoalProgress | undefined): GoalFigure {
  return {
    title: 'Change from the original over time',
    figure: 'Change',
    series: upliftSeries(goal, progress),
    hasZero: true,
    formatTick: formatChangeTick,
    formatValue: formatChange,
    formatRange: formatChangeRange,
  };
}
