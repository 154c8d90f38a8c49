import type { Series } from '../presentation/plots/series';
import type { GoalProgress, PlottedGoal, StandingOfVariation } from '../results/experiment-results';
import type { Interval } from '../statistics/result';
import { knownRange } from './known-range';

type Figure = (standing: StandingOfVariation) => { value: number | null; interval: Interval | null };

/** The trend of the goal's metric for each variation, the original first. */
export function figureSeries(goal: PlottedGoal, progress: GoalProgress | undefined): Series[] {
  return originalFirst(seriesOf(goal, progress, ({ estimate, interval }) => ({ value: estimate, interval })));
}

/** The trend of the uplift for each other variation; empty without an original. */
export function upliftSeries(goal: PlottedGoal, progress: GoalProgress | undefined): Series[] {
  const series = seriesOf(goal, progress, ({ uplift, upliftInterval }) => ({
    value: uplift,
    interval: upliftInterval,
  }));
  return series.some(({ isReference }) => isReference)
    ? series.filter(({ isReference }) => !isReference)
    : [];
}

/** The range of each variation's figure at the end, where it is known. */
export function currentIntervals(progress: GoalProgress | undefined): Map<number, Interval> {
  const standings = progress?.days.at(-1)?.variations ?? [];
  return new Map(
    standings.flatMap(({ variationId, interval }) => {
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
      const standing = variations.find(({ variationId }) => variationId === id);
      if (standing === undefined) {
        return [];
      }
      const { value, interval } = figure(standing);
      return [{ day, value, interval: knownRange(interval) }];
    }),
  }));
}

const originalFirst = (series: readonly Series[]): Series[] => [
  ...series.filter(({ isReference }) => isReference),
  ...series.filter(({ isReference }) => !isReference),
];
