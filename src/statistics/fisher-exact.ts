/** Probabilities that differ by no more than this count as equal, as in R's `fisher.test`. */
const TIES = 1 + 1e-7;

/**
 * Two-sided p-value of Fisher's exact test (0 to 1) for x0 of n0 against x1 of n1, all whole and 0 <= x <= n: the
 * sum of the hypergeometric probabilities that are no larger than the observed one (R `fisher.test`). Both zero, or
 * everybody in both, gives 1. The time taken grows with the smaller margin of the table.
 */
export function fisherExact(x0: number, n0: number, x1: number, n1: number): number {
  const successes = x0 + x1;
  const total = n0 + n1;
  return successes <= total - successes
    ? sumOfRarer(x0, n0, n1, successes)
    : sumOfRarer(n0 - x0, n0, n1, total - successes);
}

/** The weights run by recurrence from the mode, where they are 1, so that no factorial is needed. */
function sumOfRarer(observed: number, n0: number, n1: number, drawn: number): number {
  const lowest = Math.max(0, drawn - n1);
  const highest = Math.min(n0, drawn);
  const mode = Math.floor(((n0 + 1) * (drawn + 1)) / (n0 + n1 + 2));
  const weights = new Float64Array(highest - lowest + 1);
  weights[mode - lowest] = 1;
  for (let j = mode; j < highest; j += 1) {
    weights[j + 1 - lowest] =
      (weights[j - lowest] * (n0 - j) * (drawn - j)) / ((j + 1) * (n1 - drawn + j + 1));
  }
  for (let j = mode; j > lowest; j -= 1) {
    weights[j - 1 - lowest] = (weights[j - lowest] * j * (n1 - drawn + j)) / ((n0 - j + 1) * (drawn - j + 1));
  }
  const limit = weights[observed - lowest] * TIES;
  let rarer = 0;
  let all = 0;
  for (const weight of weights) {
    all += weight;
    rarer += weight <= limit ? weight : 0;
  }
  return rarer / all;
}
