import type { Effect } from './effect';
import type { Interval } from './result';

/**
 * Fieller's interval of the uplift (1954, JRSS-B 16:175) with the critical value of the difference's interval: all θ -
 * 1 with (m1 - θ·m0)² <= c²(V1 + θ²·V0), mirrored for a negative control. It excludes 0 exactly when the interval of
 * the difference with half-width critical · `largestError` does; the delta method contradicts it for large effects.
 * Null if the control is not significantly different from 0, because the set is then unbounded, and without an error.
 *
 * @param critical half-width of the difference's interval in standard errors.
 */
export function fiellerInterval(effect: Effect, critical: number): Interval | null {
  const { control, variation, standardError, largestError } = effect;
  const c = (critical * largestError) / standardError;
  const square = control.value ** 2 - c * c * control.variance;
  if (!(standardError > 0) || !(square > 0)) {
    return null;
  }
  const middle = control.value * variation.value;
  const reach = c * Math.sqrt(variation.variance * square + variation.value ** 2 * control.variance);
  const [low, high] = [(middle - reach) / square - 1, (middle + reach) / square - 1];
  return control.value > 0 ? [low, high] : [-high, -low];
}
