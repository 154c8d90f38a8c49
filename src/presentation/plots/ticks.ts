/* Thresholds for dividing a power of ten by ten, five and two: geometric means of neighbours. */
const TENTHS = Math.sqrt(50);
const FIFTHS = Math.sqrt(10);
const HALVES = Math.SQRT2;

/**
 * Round values within a range, ascending: multiples of 1, 2 or 5 times a power of ten, as near to that many as
 * possible. The rule is that of d3.
 * @param count at least 1
 */
export function roundTicks([lowest, highest]: readonly [number, number], count: number): number[] {
  const rough = (highest - lowest) / count;
  if (!(rough > 0) || !Number.isFinite(rough)) {
    return [lowest];
  }
  const power = Math.floor(Math.log10(rough));
  const error = rough / 10 ** power;
  const factor = error >= TENTHS ? 10 : error >= FIFTHS ? 5 : error >= HALVES ? 2 : 1;
  // A fraction as a divisor: 3 / 10 is the number nearest to 0.3, and 3 * 0.1 is not.
  const [times, divided] = power < 0 ? [1, 10 ** -power / factor] : [factor * 10 ** power, 1];
  const first = Math.ceil((lowest * divided) / times);
  const last = Math.floor((highest * divided) / times);
  return Array.from({ length: last - first + 1 }, (_, index) => ((first + index) * times) / divided);
}
