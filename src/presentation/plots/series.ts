import type { Day } from '../../common/time/clock';
import { formatLongDay } from '../text/dates';
import { listed } from '../../common/text/strings';
import { plural, shortName } from '../text/words';

/** A figure with its interval at the end of a day. */
export interface Point {
  day: Day;
  value: number | null;
  interval: readonly [lower: number, upper: number] | null;
}

/** One line in a plot. */
export interface Series {
  id: number;
  name: string;
  /** Whether the other series are compared with this one. */
  isReference: boolean;
  points: readonly Point[];
}

/** Whether the series has figures. */
export const hasFigures = (series: readonly Series[]): boolean =>
  series.some(({ points }) => points.some(({ value }) => value !== null));

/** The style of a series. Series differ not only in colour, but also in shape and dashes. */
export interface SeriesLook {
  /** A colour that follows the reader's colour scheme. */
  color: string;
  dashes: string | null;
  symbol: 'circle' | 'square' | 'triangle' | 'diamond' | 'wye' | 'cross' | 'nabla' | 'star';
}

const REFERENCE: SeriesLook = { color: 'var(--series-0)', dashes: null, symbol: 'circle' };

const LOOKS: readonly SeriesLook[] = [
  { color: 'var(--series-1)', dashes: null, symbol: 'square' },
  { color: 'var(--series-2)', dashes: '7 4', symbol: 'triangle' },
  { color: 'var(--series-3)', dashes: '2 4', symbol: 'diamond' },
  { color: 'var(--series-4)', dashes: '10 4 2 4', symbol: 'wye' },
  { color: 'var(--series-5)', dashes: '14 4', symbol: 'cross' },
  { color: 'var(--series-6)', dashes: '4 3', symbol: 'nabla' },
  { color: 'var(--series-7)', dashes: '10 3 2 3 2 3', symbol: 'star' },
];

/** Styles repeat after this number of compared series. */
export const DISTINCT_LOOKS = LOOKS.length;

/** Maximum number of lines that a reader can follow in one plot. */
const MAX_LINES = 4;

/** Whether there are too many lines for one plot. */
export const isCrowded = (series: readonly Pick<Series, 'isReference'>[]): boolean =>
  series.filter(({ isReference }) => !isReference).length > MAX_LINES;

/** The style of each series by id, the same in all plots and tables of an experiment. */
export function seriesLooks(series: readonly Pick<Series, 'id' | 'isReference'>[]): Map<number, SeriesLook> {
  const compared = series.filter(({ isReference }) => !isReference);
  return new Map(
    series.map(({ id, isReference }) => {
      const index = compared.findIndex((other) => other.id === id) % LOOKS.length;
      return [id, isReference ? REFERENCE : (LOOKS[index] ?? REFERENCE)];
    }),
  );
}

/** At most a given number of evenly spaced entries from a list: every n-th, counted from the last. */
export function thinned<T>(entries: readonly T[], most: number): T[] {
  const step = Math.max(1, Math.ceil(entries.length / most));
  return entries.filter((_, index) => (entries.length - 1 - index) % step === 0);
}

/** `From 1 May 2026 to 14 May 2026, 14 days. At the end: A 8.05 % and B 7.50 %.` */
export function describeSeries(series: readonly Series[], format: (value: number) => string): string {
  const days = series.flatMap(({ points }) => points.map(({ day }) => day));
  const first = days.reduce((a, b) => Math.min(a, b), Infinity);
  const last = days.reduce((a, b) => Math.max(a, b), -Infinity);
  const ends = series.map(({ name, points }) => {
    const value = points.at(-1)?.value ?? null;
    return `${shortName(name)} ${value === null ? 'no figure' : format(value)}`;
  });
  const range =
    first === last
      ? `On ${formatLongDay(first)}.`
      : `From ${formatLongDay(first)} to ${formatLongDay(last)}, ${plural(last - first + 1, 'day')}.`;
  return `${range} At the end: ${listed(ends)}.`;
}
