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
import type { GoalProgress, PlottedGoal } from '../results/experiment-results';
import { figureName } from './comparison';
import { figureSeries, upliftSeries } from './goal-series';

/** A figure of a goal over time, and how it is written. */
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
    title: `${name} over time`,
    figure: name,
    series: figureSeries(goal, progress),
    hasZero: false,
    ...(goal.metric === 'conversion'
      ? { formatTick: formatPercentTick, formatValue: formatPercent, formatRange: formatPercentRange }
      : { formatTick: formatValueTick, formatValue, formatRange: formatValueRange }),
  };
}

/** The uplift of the metric over the original. */
export function upliftFigure(goal: PlottedGoal, progress: GoalProgress | undefined): GoalFigure {
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
