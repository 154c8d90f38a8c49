import type { Correction } from './result';

/**
 * The p-values adjusted for multiple testing, in the given order; null stays null and is outside the family (R
 * `p.adjust`; Holm 1979, Scand. J. Stat. 6:65; Benjamini, Hochberg 1995, JRSS-B 57:289). Never smaller than the
 * p-value, never above 1.
 */
export function adjustPValues(
  pValues: readonly (number | null)[],
  correction: Correction,
): (number | null)[] {
  const family = pValues
    .flatMap((pValue, index) => (pValue === null ? [] : [{ pValue, index }]))
    .sort((a, b) => a.pValue - b.pValue);
  const sorted = family.map(({ pValue }) => pValue);
  const adjusted = ADJUSTMENTS[correction](sorted);
  const result: (number | null)[] = pValues.map(() => null);
  family.forEach(({ index }, rank) => {
    result[index] = adjusted[rank];
  });
  return result;
}

const ADJUSTMENTS: Record<Correction, (sorted: readonly number[]) => readonly number[]> = {
  none: (sorted) => sorted,
  holm,
  'benjamini-hochberg': benjaminiHochberg,
};

function holm(sorted: readonly number[]): number[] {
  let largest = 0;
  return sorted.map((pValue, rank) => {
    largest = Math.max(largest, Math.min(1, (sorted.length - rank) * pValue));
    return largest;
  });
}

function benjaminiHochberg(sorted: readonly number[]): number[] {
  let smallest = 1;
  return sorted
    .map((pValue, rank) => (sorted.length / (rank + 1)) * pValue)
    .reduceRight<number[]>((adjusted, pValue) => {
      smallest = Math.min(smallest, pValue);
      return [smallest, ...adjusted];
    }, []);
}
