import { NoEquivalent } from './export-values';

/** Percent has two decimals. */
const STEPS = 10_000;
const ROUNDING = 1e-6;

/** The part of a whole in percent with two decimals. @throws NoEquivalent if it needs more decimals */
export function percent(share: number, what: string): number {
  const steps = share * STEPS;
  const whole = Math.round(steps);
  if (!(share >= 0 && share <= 1) || Math.abs(steps - whole) > ROUNDING) {
    throw new NoEquivalent(
      `Its ${what} ${Number((share * 100).toFixed(4))} % is not a percentage with at most two decimals.`,
    );
  }
  return whole / 100;
}

/**
 * Shares of variations in percent. Shares that differ by rounding only, as 33.3, 33.3 and 33.4 do, are equal: null.
 * @param weights parts of 1, which add up to 1
 * @param smallest the smallest difference that the export can express
 * @throws NoEquivalent for shares that percentages with two decimals cannot express
 */
export function sharesOf(weights: readonly number[], smallest: number): (number | null)[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (Math.max(...weights) - Math.min(...weights) <= smallest + ROUNDING) {
    return weights.map(() => null);
  }
  if (Math.abs(total - 1) > ROUNDING) {
    throw new NoEquivalent(
      `The shares of its variations add up to ${Number((total * 100).toFixed(4))} %, not to 100 %.`,
    );
  }
  return weights.map((weight) => percent(weight, 'share of a variation,'));
}
