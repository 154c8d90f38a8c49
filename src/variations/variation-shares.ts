/** Percent with two decimals, or null for an equal part of what the others leave. */
export type Allocation = number | null;

const WHOLE = 10_000;

const basisPoints = (percent: number): number => Math.round(percent * 100);

/** Sum of the given shares in percent, exact to two decimals. */
export function sumOfShares(allocations: readonly Allocation[]): number {
  return allocations.reduce<number>((sum, share) => sum + (share === null ? 0 : basisPoints(share)), 0) / 100;
}

/** May these shares stand side by side? Their sum may not exceed 100. */
export function sharesFit(allocations: readonly Allocation[]): boolean {
  return sumOfShares(allocations) <= 100;
}

/** Do the shares, absent ones filled, make exactly 100 percent? */
export function sharesAreComplete(allocations: readonly Allocation[]): boolean {
  const sum = basisPoints(sumOfShares(allocations));
  return allocations.includes(null) ? sum <= WHOLE : sum === WHOLE;
}

/** The shares as fractions, absent ones filled with an equal part of what the others leave: of three, a third each. */
export function filledShares(allocations: readonly Allocation[]): number[] {
  const absent = allocations.filter((share) => share === null).length;
  const left = Math.max(0, WHOLE - basisPoints(sumOfShares(allocations)));
  return allocations.map((share) => (share === null ? left / (absent * WHOLE) : basisPoints(share) / WHOLE));
}

/**
 * The shares in whole basis points that sum to 10,000 when the shares are complete. What an equal part of the rest
 * leaves when it is rounded down goes to the largest remainders, and of equal ones to the first.
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
