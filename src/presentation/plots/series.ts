import type { Day } from '../../common/time/days';

/** A figure with its interval at the end of a day. */
export interface Point {
  day: Day;
  value: number | null;
  interval: readonly [lower: number, upper: number] | null;
}

/** One line of a plot. */
export interface Series {
  id: number;
  name: string;
  /** Whether it is the reference of the comparison. */
  isReference: boolean;
  points: readonly Point[];
}

/** Whether the series has figures. */
export const hasFigures = (series: readonly Series[]): boolean =>
  series.some(({ points }) => points.some(({ value }) => value !== null));

/** The style of a series. Series differ in shape and dashes too, not only in colour. */
export interface SeriesLook {
  /** A colour that suits the reader's scheme. */
  color: string;
  dashes: string | null;
  symbol: 'circle' | 'square' | 'triangle' | 'diamond' | 'wye';
}

const REFERENCE: SeriesLook = { color: 'var(--series-0)', dashes: null, symbol: 'circle' };

const LOOKS: readonly SeriesLook[] = [
  { color: 'var(--series-1)', dashes: null, symbol: 'square' },
  { color: 'var(--series-2)', dashes: '7 4', symbol: 'triangle' },
  { color: 'var(--series-3)', dashes: '2 4', symbol: 'diamond' },
  { color: 'var(--series-4)', dashes: '10 4 2 4', symbol: 'wye' },
];

/** Whether there are too many lines for one plot. */
export const isCrowded = (series: readonly Pick<Series, 'isReference'>[]): boolean =>
  series.filter(({ isReference }) => !isReference).length > LOOKS.length;

/** The look of each series of an experiment by its id, the same in all plots and tables. */
export function seriesLooks(series: readonly Pick<Series, 'id' | 'isReference'>[]): Map<number, SeriesLook> {
  const compared = series.filter(({ isReference }) => !isReference);
  const crowded = isCrowded(series);
  return new Map(
    series.map(({ id, isReference }) => {
      const index = crowded ? 0 : compared.findIndex((other) => other.id === id);
      return [id, isReference ? REFERENCE : (LOOKS[index] ?? REFERENCE)];
    }),
  );
}

/** At most a number of evenly spaced entries of a list, including the last: every n-th, counted from the end. */
export function thinned<T>(entries: readonly T[], most: number): T[] {
  const step = Math.max(1, Math.ceil(entries.length / most));
  return entries.filter((_, index) => (entries.length - 1 - index) % step === 0);
}
