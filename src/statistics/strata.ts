import type { ArmTotals, PhaseTotals } from './input';

/** The totals of a variation without any counts. */
export const NOTHING: ArmTotals = {
  participants: 0,
  converters: 0,
  conversions: 0,
  value: 0n,
  valueSquared: 0n,
  conversionsSquared: 0n,
  valueByConversions: 0n,
  uncappedValue: null,
};

/** Adds two totals of one variation and goal, which must be from different participants. */
export function addTotals(a: ArmTotals, b: ArmTotals): ArmTotals {
  return {
    participants: a.participants + b.participants,
    converters: a.converters + b.converters,
    conversions: a.conversions + b.conversions,
    value: a.value + b.value,
    valueSquared: a.valueSquared + b.valueSquared,
    conversionsSquared: addKnown(a.conversionsSquared, b.conversionsSquared),
    valueByConversions: addKnown(a.valueByConversions, b.valueByConversions),
    uncappedValue: addUncapped(a, b),
  };
}

const addKnown = (a: bigint | null, b: bigint | null): bigint | null =>
  a === null || b === null ? null : a + b;

function addUncapped(a: ArmTotals, b: ArmTotals): bigint | null {
  return a.uncappedValue === null && b.uncappedValue === null
    ? null
    : (a.uncappedValue ?? a.value) + (b.uncappedValue ?? b.value);
}

/**
 * A pair of variations in all phases in which the ratio of their shares was the same. The counts for two variations may
 * be compared only within a stratum.
 */
export interface Stratum<T> {
  control: T;
  variation: T;
}

/** Shares such as 33.33 % are computed, so ratios count as equal if they agree to this many significant digits. */
const RATIO_DIGITS = 9;

/**
 * The strata of a pair, in the order of their first phase. Phases with the same share ratio form one stratum, and so do
 * phases with unknown shares. Pooling phases with different ratios could cause Simpson's paradox.
 */
export function strataOf(
  phases: readonly PhaseTotals[],
  control: number,
  variation: number,
): Stratum<ArmTotals>[] {
  const strata = new Map<string, Stratum<ArmTotals>>();
  for (const { shares, totals } of phases) {
    const key = shareRatio(shares, control, variation);
    const before = strata.get(key) ?? { control: NOTHING, variation: NOTHING };
    strata.set(key, {
      control: addTotals(before.control, totals.get(control) ?? NOTHING),
      variation: addTotals(before.variation, totals.get(variation) ?? NOTHING),
    });
  }
  return [...strata.values()];
}

/**
 * The strata in which both variations have at least this number of participants. If there is only one stratum, it is
 * always used. Empty if there are several strata and none has enough participants.
 */
export function countedStrata(
  strata: readonly Stratum<ArmTotals>[],
  participants: number,
): readonly Stratum<ArmTotals>[] {
  return strata.length <= 1
    ? strata
    : strata.filter((stratum) =>
        [stratum.control, stratum.variation].every((arm) => arm.participants >= participants),
      );
}

/** The totals of one variation over all phases. */
export const totalsOver = (phases: readonly PhaseTotals[], variation: number): ArmTotals =>
  phases.map(({ totals }) => totals.get(variation) ?? NOTHING).reduce(addTotals, NOTHING);

function shareRatio(shares: PhaseTotals['shares'], control: number, variation: number): string {
  if (shares === null) {
    return 'unknown';
  }
  const [first, second] = [shares.get(control) ?? 0, shares.get(variation) ?? 0];
  return (second / (first + second)).toPrecision(RATIO_DIGITS);
}

/** Applies a function to both sides of a stratum. */
export const mapStratum = <T, U>({ control, variation }: Stratum<T>, f: (arm: T) => U): Stratum<U> => ({
  control: f(control),
  variation: f(variation),
});
