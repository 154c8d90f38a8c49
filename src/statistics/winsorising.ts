import Big from 'big.js';

/**
 * The cap at a percentile of the visitor totals of all variations together, by nearest rank: the smallest observed total
 * that at least that fraction of them does not exceed. Null without totals.
 *
 * @param totals one per participant, in 1/10,000 of the goal's unit, zeros included.
 * @param fraction above 0 and at most 1, such as 0.99.
 * @param ignoreZeros leave participants with a total of 0 out of the ranking.
 */
export function percentileCap(
  totals: readonly bigint[],
  fraction: number,
  ignoreZeros: boolean,
): bigint | null {
  const ranked = totals
    .filter((total) => !ignoreZeros || total !== 0n)
    .sort((a, b) => (a < b ? -1 : Number(a > b)));
  const rank = new Big(fraction).times(ranked.length).round(0, Big.roundUp).toNumber();
  return ranked[rank - 1] ?? null;
}

/** The totals with everything above the cap put down to it; the lower side stays as it is. */
export function winsorise(totals: readonly bigint[], cap: bigint): bigint[] {
  return totals.map((total) => (total > cap ? cap : total));
}
