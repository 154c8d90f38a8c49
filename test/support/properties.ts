const TIMES = Number(process.env.PROPERTY_TIMES ?? 1);
const SEED = process.env.PROPERTY_SEED;

/**
 * Parameters of `fc.assert` for properties of stored data. PROPERTY_TIMES multiplies the number of runs. PROPERTY_SEED
 * sets the seed, which is random by default and reported on failure.
 * @param runs the default number of runs
 */
export const checks = (runs: number): { numRuns: number; endOnFailure: boolean; seed?: number } => ({
  numRuns: runs * TIMES,
  endOnFailure: true,
  ...(SEED === undefined ? {} : { seed: Number(SEED) }),
});
