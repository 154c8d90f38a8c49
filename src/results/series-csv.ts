import { stringify } from 'csv-stringify/sync';
import type { SeriesEntry } from './result.record';

/** The columns, in their order. */
const COLUMNS: (keyof SeriesEntry)[] = [
  'date',
  'variation_id',
  'variation_name',
  'participants',
  'conversions',
  'total_conversions',
  'value',
  'cumulative_participants',
  'cumulative_conversions',
  'cumulative_total_conversions',
  'cumulative_value',
];

/** Spreadsheets take text that begins like this for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

const harmless = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** The rows as RFC 4180 has it, with a header. */
export function seriesCsv(rows: readonly SeriesEntry[]): string {
  const cells = rows.map((row) => ({ ...row, variation_name: harmless(row.variation_name) }));
  return stringify(cells, {
    header: true,
    columns: COLUMNS,
    record_delimiter: 'windows',
    quote_record_delimiter: true,
  });
}
