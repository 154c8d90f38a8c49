import {
  Allocation,
  filledShares,
  sharesAreComplete,
  sharesFit,
  sharesInBasisPoints,
  sumOfShares,
} from './variation-shares';

describe('shares of variations', () => {
  it.each<[Allocation[], number, boolean, boolean]>([
    [[], 0, true, false],
    [[null], 0, true, true],
    [[100], 100, true, true],
    [[99.99], 99.99, true, false],
    [[33.33, 33.33, 33.34], 100, true, true],
    [[33.33, 33.33, 33.33], 99.99, true, false],
    [[33.33, 33.33, null], 66.66, true, true],
    [[50, 50, null], 100, true, true],
    [[50, 50.01, null], 100.01, false, false],
    [[0.1, 0.2, 99.7], 100, true, true],
    [[60, 60], 120, false, false],
  ])('%j sum to %d; fit: %s; complete: %s', (allocations, sum, fits, isComplete) => {
    expect(sumOfShares(allocations)).toBe(sum);
    expect(sharesFit(allocations)).toBe(fits);
    expect(sharesAreComplete(allocations)).toBe(isComplete);
  });

  it.each<[Allocation[], number[]]>([
    [[], []],
    [[100], [1]],
    [[null], [1]],
    [
      [null, null, null],
      [1 / 3, 1 / 3, 1 / 3],
    ],
    [
      [50, null, null],
      [0.5, 0.25, 0.25],
    ],
    [
      [33.33, 33.33, null],
      [0.3333, 0.3333, 0.3334],
    ],
    [
      [0.1, 0.2, 99.7],
      [0.001, 0.002, 0.997],
    ],
    [
      [100, null],
      [1, 0],
    ],
    [
      [30, 30],
      [0.3, 0.3],
    ],
  ])('%j are the fractions %j', (allocations, fractions) => {
    expect(filledShares(allocations)).toEqual(fractions);
  });
});

describe('shares in basis points', () => {
  it.each<[Allocation[], number[]]>([
    [[null], [10_000]],
    [
      [null, null],
      [5_000, 5_000],
    ],
    [
      [null, null, null],
      [3_334, 3_333, 3_333],
    ],
    [
      [33.33, 33.33, 33.34],
      [3_333, 3_333, 3_334],
    ],
    [
      [0.01, null, null, null],
      [1, 3_333, 3_333, 3_333],
    ],
    [
      [99.99, null, null],
      [9_999, 1, 0],
    ],
    [
      [29, 57.14, 13.86],
      [2_900, 5_714, 1_386],
    ],
  ])('%j are %j', (allocations, expected) => {
    expect(sharesInBasisPoints(allocations)).toEqual(expected);
  });
});
