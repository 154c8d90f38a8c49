import { stringify } from 'csv-stringify/sync';
import type { AgeRow, WeekRow } from './entry-series';
import type { SeriesKey } from './result-filter';
import type { SeriesRow } from './series';

type Row = SeriesRow | AgeRow | WeekRow;

const COUNTS = ['participants', 'conversions', 'total_conversions', 'value'];
const UPLIFT = ['uplift', 'uplift_lower', 'uplift_upper'];

const cumulative = (columns: readonly string[]): string[] => columns.map((column) => `cumulative_${column}`);

/** The columns after the key and the variation, in their order. */
const FIGURES: Record<SeriesKey, string[]> = {
  date: [...COUNTS, ...cumulative(COUNTS)],
  age: [...COUNTS, ...UPLIFT, ...cumulative(COUNTS.slice(1)), ...cumulative(UPLIFT)],
  week: [...COUNTS, ...UPLIFT],
};

/** Formula injection: spreadsheets evaluate text with these prefixes, in East Asian locales also full-width forms. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;

const harmless = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** The rows as CSV (RFC 4180), with a header. */
export function seriesCsv(rows: readonly Row[], by: SeriesKey = 'date'): string {
  const cells = rows.map((row) => ({ ...row, variation_name: harmless(row.variation_name) }));
  return stringify(cells, {
    header: true,
    columns: [by, 'variation_id', 'variation_name', ...FIGURES[by]],
    record_delimiter: 'windows',
    quote_record_delimiter: true,
  });
}
