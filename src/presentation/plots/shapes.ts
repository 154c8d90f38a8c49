import type { SeriesLook } from './series';

/** A point of an image. */
export type Place = readonly [x: number, y: number];

/** The symbols of series, centred and of equal area. */
export const SYMBOLS: Record<SeriesLook['symbol'], string> = {
  circle: 'M5,0A5,5,0,1,1,-5,0A5,5,0,1,1,5,0Z',
  square: 'M-4.4,-4.4h8.9v8.9h-8.9Z',
  triangle: 'M0,-7.8L6.7,3.9L-6.7,3.9Z',
  diamond: 'M0,-8.2L4.8,0L0,8.2L-4.8,0Z',
  cross: 'M-2,-6h4v4h4v4h-4v4h-4v-4h-4v-4h4Z',
  nabla: 'M0,7.8L-6.7,-3.9L6.7,-3.9Z',
  star: 'M0,-8L1.8,-2.5L7.6,-2.5L2.9,0.9L4.7,6.5L0,3.1L-4.7,6.5L-2.9,0.9L-7.6,-2.5L-1.8,-2.5Z',
  wye: 'M2.4,1.4L2.4,6.2L-2.4,6.2L-2.4,1.4L-6.5,-1L-4.1,-5.2L0,-2.8L4.1,-5.2L6.5,-1Z',
};

/** Rounded to visible precision. */
export const tenths = (value: number): number => Math.round(value * 10) / 10;

/** A line through the places with a gap at each null; a place between gaps is a dot where line ends are round. */
export const linePath = (places: readonly (Place | null)[]): string =>
  unbroken(places)
    .map((run) => (run.length === 1 ? `M${run[0].join()}Z` : through(run)))
    .join('');

/** The area between the lower and the upper ends, with a gap at each null. */
export const areaPath = (ends: readonly (readonly [lower: Place, upper: Place] | null)[]): string =>
  unbroken(ends)
    .map((run) => `${through([...run.map(([, upper]) => upper), ...run.map(([lower]) => lower).reverse()])}Z`)
    .join('');

const through = (places: readonly Place[]): string => `M${places.map((place) => place.join()).join('L')}`;

/** The stretches without null. */
function unbroken<T>(entries: readonly (T | null)[]): T[][] {
  const runs: T[][] = [];
  let open: T[] | null = null;
  for (const entry of entries) {
    if (entry === null) {
      open = null;
    } else if (open === null) {
      open = [entry];
      runs.push(open);
    } else {
      open.push(entry);
    }
  }
  return runs;
}
