const TIMES = Number(process.env.PROPERTY_TIMES ?? 1);
const SEED = process.env.PROPERTY_SEED;

/**
 * How `fc.assert` checks a property of what is stored. PROPERTY_TIMES multiplies the runs, and PROPERTY_SEED chooses them;
 * they are random otherwise, and a failure says its seed.
 * @param runs the usual number
 */
export const checks = (runs: number): { numRuns: number; endOnFailure: boolean; seed?: number } => ({
  numRuns: runs * TIMES,
  endOnFailure: true,
  ...(SEED === undefined ? {} : { seed: Number(SEED) }),
});
