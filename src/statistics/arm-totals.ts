import type { ArmTotals } from './input';

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

/** Two totals of one variation and goal, of different participants, taken together. */
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
