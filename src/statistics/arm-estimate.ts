import {
  conversionsAsValues,
  hasMean,
  hasRate,
  meanStrata,
  metricOf,
  rateCounts,
  ratedStrata,
  valuesOf,
} from './pair';
import { rateFigures, uncomparedConversions } from './conversion-statistics';
import type { ArmTotals, ComparisonSettings, GoalTotals } from './input';
import { meanEstimate, meanInterval, meanOf, type ValueTotals } from './means';
import { scoreInterval, wilsonInterval } from './rate-intervals';
import type { Interval, Method } from './result';
import { sequentialCritical, TUNING } from './sequential';
import { type Compared, shownIntervals } from './shown-intervals';
import { mapStratum, strataOf, totalsOver } from './strata';
import { uncomparedValues, valueStatistics } from './value-statistics';

/** A variation's figure for the goal's metric, and the variation's uplift, both with the displayed intervals. */
export interface ArmEstimate {
  participants: number;
  /** Null if the figure is not defined. */
  estimate: number | null;
  interval: Interval | null;
  /** Null for the original. */
  uplift: number | null;
  upliftInterval: Interval | null;
}

export interface EstimateSettings extends Omit<ComparisonSettings, 'upliftPrior'> {
  method: Method;
}

type Goal = Pick<GoalTotals, 'counting' | 'hasValue' | 'phases'>;
type Figure = Pick<ArmEstimate, 'estimate' | 'interval'>;

const NO_FIGURE: Figure = { estimate: null, interval: null };

/**
 * The figures for a variation, with the same strata, tuning and intervals as in the comparison for the goal. Omits slow
 * computations, so the figures can be computed for every day.
 *
 * @param control the id of the original; null if there is no comparison, as for the original itself.
 */
export function armEstimate(
  goal: Goal,
  variation: number,
  control: number | null,
  settings: EstimateSettings,
): ArmEstimate {
  const own = totalsOver(goal.phases, variation);
  const compared = control === null ? null : comparedArms(goal, control, variation, settings);
  return {
    participants: own.participants,
    ...figureOf(goal, own, variation, settings),
    uplift: compared?.uplift ?? null,
    upliftInterval: shownIntervals(settings.method, compared, null).uplift,
  };
}

function comparedArms(
  goal: Goal,
  control: number,
  variation: number,
  { alpha, tuning }: EstimateSettings,
): Compared & { uplift: number | null } {
  const metric = metricOf(goal);
  const strata = strataOf(goal.phases, control, variation);
  const settings = { alpha, upliftPrior: null, tuning: tuning.get(variation) ?? TUNING };
  if (metric === 'conversion') {
    const rated = ratedStrata(strata).map((stratum) => mapStratum(stratum, rateCounts));
    return rated.length === 0 ? uncomparedConversions(null) : rateFigures(rated, settings).figures;
  }
  const valued = meanStrata(strata, metric === 'value' ? valuesOf : conversionsAsValues);
  return valued.length === 0
    ? uncomparedValues(null)
    : valueStatistics(valued, settings, 'increase').statistics;
}

function figureOf(goal: Goal, own: ArmTotals, variation: number, settings: EstimateSettings): Figure {
  const metric = metricOf(goal);
  if (metric === 'conversion') {
    return hasRate(own)
      ? { estimate: own.converters / own.participants, interval: rateInterval(own, variation, settings) }
      : NO_FIGURE;
  }
  if (own.participants <= 0) {
    return NO_FIGURE;
  }
  const values = metric === 'value' ? valuesOf(own) : conversionsAsValues(own);
  return {
    estimate: metric === 'value' ? meanOf(values) : own.conversions / own.participants,
    interval: valueInterval(values, variation, settings),
  };
}

/** Wilson's score interval, with the method's critical value. */
function rateInterval(own: ArmTotals, variation: number, settings: EstimateSettings): Interval {
  const critical = everyDayCritical(own.participants, variation, settings);
  const counts = rateCounts(own);
  return critical === null ? wilsonInterval(counts, settings.alpha) : scoreInterval(counts, critical);
}

/** Student's interval, or the confidence sequence of the mean, depending on the method. */
function valueInterval(values: ValueTotals, variation: number, settings: EstimateSettings): Interval | null {
  if (values.participants < 2 || !hasMean(values)) {
    return null;
  }
  const critical = everyDayCritical(values.participants, variation, settings);
  if (critical === null) {
    return meanInterval(values, settings.alpha);
  }
  const { value, variance } = meanEstimate(values);
  const reach = critical * Math.sqrt(variance);
  return [value - reach, value + reach];
}

/**
 * The half-width of the confidence sequence for a single mean, in standard errors. It uses the formula for a difference
 * (Waudby-Smith et al., arXiv 2103.06476), but with half of the pair's tuning, because a single variation has about
 * half of the pair's participants. Null if the method allows only one look.
 */
function everyDayCritical(
  participants: number,
  variation: number,
  { method, alpha, tuning }: EstimateSettings,
): number | null {
  const [first = TUNING] = tuning.values();
  return method === 'sequential' || method === 'planned'
    ? sequentialCritical(participants, alpha, (tuning.get(variation) ?? first) / 2)
    : null;
}
