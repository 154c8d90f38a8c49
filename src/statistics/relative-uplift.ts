import type { Effect } from './effect';
import type { Estimate } from './means';
import type { Interval } from './result';

/** If the control is closer to 0 than this number of standard errors, the delta method is unreliable. */
const ENOUGH_STANDARD_ERRORS = 4;

export interface RelativeUplift {
  /** (variation - control) / |control|: 0.07 is 7 % more. Not clipped at -1. */
  uplift: number;
  standardError: number;
  interval: Interval;
  /** Whether the control is so close to 0, relative to its standard error, that the interval is unreliable. */
  isUnstable: boolean;
}

/** A difference relative to the size of the control, (variation - control) / |control|; null if the control is 0. */
export function upliftOf(difference: number, control: number): number | null {
  return control === 0 ? null : difference / Math.abs(control);
}

/** A difference and its interval. */
interface EstimatedDifference {
  /** Variation - control. It may be more precise than the difference of the two estimates. */
  difference: number;
  interval: Readonly<Interval>;
}

/**
 * The uplift, with its error by the delta method (Deng, Knoblich, Lu 2018, KDD); null if the control is 0. If that
 * error is 0, as for a variation without any conversions, the interval of the difference is divided by the control
 * instead.
 *
 * @param critical half-width of the interval in standard errors.
 */
export function relativeUplift(
  control: Estimate,
  variation: Estimate,
  { difference, interval }: EstimatedDifference,
  critical: number,
): RelativeUplift | null {
  const uplift = upliftOf(difference, control.value);
  if (uplift === null) {
    return null;
  }
  const size = Math.abs(control.value);
  const controlError = Math.sqrt(control.variance);
  const ratio = variation.value / control.value;
  const standardError = Math.hypot(Math.sqrt(variation.variance), controlError * ratio) / size;
  return {
    uplift,
    standardError,
    interval:
      standardError > 0
        ? [uplift - critical * standardError, uplift + critical * standardError]
        : relativeInterval(interval, size),
    isUnstable: size < ENOUGH_STANDARD_ERRORS * controlError,
  };
}

/**
 * Fieller's interval for the uplift (1954, JRSS-B 16:175) with the critical value of the difference's interval: all θ -
 * 1 with (m1 - θ·m0)² <= c²(V1 + θ²·V0), mirrored for a negative control. It excludes 0 if and only if the interval of
 * the difference with half-width critical · `largestError` does, whereas the delta method can contradict that interval
 * for large effects. Null if there is no error, or if the control is not significantly different from 0, in which case
 * the set is unbounded. For a variation of exactly 0, and for rates of exactly 0 and 1, the set is a single point
 * although the difference is uncertain, so the interval of the difference is divided by the control instead.
 *
 * @param critical half-width of the difference's interval in standard errors.
 */
export function fiellerInterval(effect: Effect, critical: number): Interval | null {
  const { control, variation, difference, standardError, largestError } = effect;
  const c = standardError > 0 ? (critical * largestError) / standardError : critical;
  const square = control.value ** 2 - c * c * control.variance;
  if (!(square > 0 && largestError > 0)) {
    return null;
  }
  const middle = control.value * variation.value;
  const reach = c * Math.sqrt(variation.variance * square + variation.value ** 2 * control.variance);
  if (reach === 0) {
    const half = critical * largestError;
    return relativeInterval([difference - half, difference + half], Math.abs(control.value));
  }
  const [low, high] = [(middle - reach) / square - 1, (middle + reach) / square - 1];
  return control.value > 0 ? [low, high] : [-high, -low];
}

/** The interval of a difference, relative to the size of the control (above 0). */
const relativeInterval = ([low, high]: Readonly<Interval>, size: number): Interval => [
  low / size,
  high / size,
];
