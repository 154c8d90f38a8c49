import { capitalized } from '../common/text/strings';
import type { TickFormat } from '../presentation/plots/interval-plot';
import type { Series } from '../presentation/plots/series';
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
import type { GoalProgress, PlottedGoal, VariationEstimate } from '../results/experiment-results';
import type { Interval } from '../statistics/result';
import { figureName, knownRange } from './comparison';

type Figure = (estimate: VariationEstimate) => { value: number | null; interval: Interval | null };

/** The trend of the goal's metric for each variation, the original first. */
function figureSeries(goal: PlottedGoal, progress: GoalProgress | undefined): Series[] {
  return originalFirst(seriesOf(goal, progress, ({ estimate, interval }) => ({ value: estimate, interval })));
}

/** The trend of the uplift for each variation except the original; empty if there is no original. */
function upliftSeries(goal: PlottedGoal, progress: GoalProgress | undefined): Series[] {
  const series = seriesOf(goal, progress, ({ uplift, upliftInterval }) => ({
    value: uplift,
    interval: upliftInterval,
  }));
  return series.some(({ isReference }) => isReference)
    ? series.filter(({ isReference }) => !isReference)
    : [];
}

/** The current range of each variation's figure, if known. */
export function currentIntervals(progress: GoalProgress | undefined): Map<number, Interval> {
  const estimates = progress?.days.at(-1)?.variations ?? [];
  return new Map(
    estimates.flatMap(({ variationId, interval }) => {
      const range = knownRange(interval);
      return range === null ? [] : [[variationId, range]];
    }),
  );
}

function seriesOf(goal: PlottedGoal, progress: GoalProgress | undefined, figure: Figure): Series[] {
  const days = progress?.days ?? [];
  return goal.variations.map(({ id, name, isOriginal }) => ({
    id,
    name,
    isReference: isOriginal,
    points: days.flatMap(({ day, variations }) => {
      const estimate = variations.find(({ variationId }) => variationId === id);
      if (estimate === undefined) {
        return [];
      }
      const { value, interval } = figure(estimate);
      return [{ day, value, interval: knownRange(interval) }];
    }),
  }));
}

const originalFirst = (series: readonly Series[]): Series[] => [
  ...series.filter(({ isReference }) => isReference),
  ...series.filter(({ isReference }) => !isReference),
];

/** A goal's figure over time, with its formats. */
export interface GoalFigure {
  title: string;
  /** The name of the figure, such as `Conversion rate`. */
  figure: string;
  series: Series[];
  /** Whether zero separates better from worse. */
  hasZero: boolean;
  formatTick: TickFormat;
  formatValue: (value: number, range?: readonly number[]) => string;
  formatRange: (range: readonly [number, number]) => string;
}

/** The goal's metric: conversion rate, value per participant, or conversions per participant. */
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

/** Ticks have no room for a currency, so the title names the currency. */
function valueFormats(goal: PlottedGoal): Pick<GoalFigure, 'formatTick' | 'formatValue' | 'formatRange'> {
  const currency = goal.metric === 'value' ? goal.currency : null;
  return {
    formatTick: formatValueTick,
    formatValue: (value, range) => withCurrency(formatValue(value, range), currency),
    formatRange: (range) => withCurrency(formatValueRange(range), currency),
  };
}

/** The uplift in the metric over the original. */
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
