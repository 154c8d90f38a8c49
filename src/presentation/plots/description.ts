import { formatLongDay } from '../text/dates';
import { shortName } from '../text/names';
import { listed, plural } from '../text/words';
import type { Series } from './series';

/** `From 1 May 2026 to 14 May 2026, 14 days. At the end: A 8.05 %, B 7.50 %.` */
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
