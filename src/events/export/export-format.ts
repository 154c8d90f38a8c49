import { formatOfName as importFormatOfName } from '../import/import-format';

/** Format of an export. */
export type ExportFormat = 'ndjson' | 'csv' | 'parquet';

/** The format by file extension; null if unknown. Exports are not compressed, except for Parquet's own compression. */
export function formatOfName(fileName: string): ExportFormat | null {
  if (/\.gz$/i.test(fileName)) {
    return null;
  }
  return /\.parquet$/i.test(fileName) ? 'parquet' : importFormatOfName(fileName);
}
