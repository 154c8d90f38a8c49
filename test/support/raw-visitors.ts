/* Visitors over 16 days, whose conversions can be counted without the code under test. */

export const DAY = 86_400_000;
export const MONDAY = Date.parse('2026-05-04T00:00:00Z');
export const LAST = '2026-05-20';
export const LAST_AGE = (Date.parse(`${LAST}T00:00:00Z`) - MONDAY) / DAY;
/** Two-sided 5 % critical value of the normal distribution (in R, `qnorm(0.975)`). */
const Z = 1.959963984540054;

/** A visitor. Days are counted from `MONDAY`. */
export interface RawVisitor {
  name: string;
  arm: number;
  entered: number;
  actions: { day: number; value: number }[];
}

/** Generates the same visitors every time, with a linear congruential generator (Numerical Recipes). */
function rawVisitors(): RawVisitor[] {
  let state = 7;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return Array.from({ length: 160 }, (_, index) => {
    const entered = next(12);
    const actions = Array.from({ length: next(4) }, () => ({
      day: entered + next(9),
      value: next(50) + 1,
    }));
    return { name: `v${index}`, arm: index % 2, entered, actions };
  });
}

export const VISITORS = rawVisitors();

export interface Plain {
  participants: number;
  conversions: number;
  total_conversions: number;
  value: number;
}

/**
 * Computes results from visitors. An action counts if `counts` accepts its age, which is the number of days since the
 * visitor's entry. A visitor has converted if `isNew` accepts the ages of all of the visitor's actions.
 */
export function plain(
  visitors: readonly RawVisitor[],
  counts: (age: number) => boolean,
  isNew: (ages: readonly number[]) => boolean,
): Plain {
  const of = visitors.map(({ entered, actions }) => {
    const ages = actions.map(({ day, value }) => ({ age: day - entered, value }));
    return { own: ages.filter(({ age }) => counts(age)), all: ages.map(({ age }) => age) };
  });
  return {
    participants: visitors.length,
    conversions: of.filter(({ all }) => isNew(all)).length,
    total_conversions: of.reduce((sum, { own }) => sum + own.length, 0),
    value: of.flatMap(({ own }) => own).reduce((sum, { value }) => sum + value, 0),
  };
}

/**
 * The uplift between two conversion rates, and the lower and upper limit of its interval: by the delta method, or for
 * expected counts below 5 by MOVER-R (Donner, Zou 2012, formula for a ratio). All are null if the rate of the original
 * is 0.
 */
export function upliftByHand(original: Plain, own: Plain): (number | null)[] {
  const [p0, p1] = [original, own].map(({ conversions, participants }) => conversions / participants);
  if (!(p0 > 0)) {
    return [null, null, null];
  }
  const [n0, n1] = [original.participants, own.participants];
  const converted = (original.conversions + own.conversions) / (n0 + n1);
  if (Math.min(converted, 1 - converted) * Math.min(n0, n1) < 5) {
    const [[l0, u0], [l1, u1]] = [wilson(p0, n0), wilson(p1, n1)];
    const limit = (sign: number, end1: number, end0: number): number => {
      const [a, c] = [end0 * (2 * p0 - end0), end1 * (2 * p1 - end1)];
      return (p0 * p1 + sign * Math.sqrt((p0 * p1) ** 2 - a * c)) / a;
    };
    return [p1 / p0 - 1, limit(-1, l1, u0) - 1, limit(1, u1, l0) - 1];
  }
  const [v0, v1] = [(p0 * (1 - p0)) / n0, (p1 * (1 - p1)) / n1];
  const reach = (Z * Math.sqrt(v1 + v0 * (p1 / p0) ** 2)) / p0;
  return [p1 / p0 - 1, p1 / p0 - 1 - reach, p1 / p0 - 1 + reach];
}

/** Wilson's score interval (1927). */
function wilson(p: number, n: number): [lower: number, upper: number] {
  const z2 = Z ** 2;
  const reach = Z * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n ** 2));
  return [(p + z2 / (2 * n) - reach) / (1 + z2 / n), (p + z2 / (2 * n) + reach) / (1 + z2 / n)];
}
