/** A share in percent, with at most two decimal places; null for an equal part of the remainder. */
export type Allocation = number | null;

const WHOLE = 10_000;

const basisPoints = (percent: number): number => Math.round(percent * 100);

/** Sum of the given shares in percent, exact to two decimal places. */
export function sumOfShares(allocations: readonly Allocation[]): number {
  return allocations.reduce<number>((sum, share) => sum + (share === null ? 0 : basisPoints(share)), 0) / 100;
}

/** Whether the sum of the shares is at most 100. */
export function sharesFit(allocations: readonly Allocation[]): boolean {
  return sumOfShares(allocations) <= 100;
}

/** Whether the shares, with absent ones filled in, sum to exactly 100 percent. */
export function sharesAreComplete(allocations: readonly Allocation[]): boolean {
  const sum = basisPoints(sumOfShares(allocations));
  return allocations.includes(null) ? sum <= WHOLE : sum === WHOLE;
}

/** The shares as fractions. Variations without a share split the remainder equally. */
export function filledShares(allocations: readonly Allocation[]): number[] {
  const absent = allocations.filter((share) => share === null).length;
  const left = Math.max(0, WHOLE - basisPoints(sumOfShares(allocations)));
  return allocations.map((share) => (share === null ? left / (absent * WHOLE) : basisPoints(share) / WHOLE));
}

/**
 * The shares in whole basis points, which sum to 10,000 if the shares are complete. Equal parts are rounded down, and
 * the leftover points go to the shares with the largest remainders, in order.
 */
export function sharesInBasisPoints(allocations: readonly Allocation[]): number[] {
  const absent = allocations.filter((share) => share === null).length;
  const left = Math.max(0, WHOLE - basisPoints(sumOfShares(allocations)));
  let extra = absent === 0 ? 0 : left % absent;
  return allocations.map((share) => {
    if (share !== null) {
      return basisPoints(share);
    }
    extra -= 1;
    return Math.floor(left / absent) + (extra >= 0 ? 1 : 0);
  });
}
