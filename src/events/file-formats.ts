/** Format of an import file: JSON Lines or CSV. */
export type ImportFormat = 'ndjson' | 'csv';

const COMPRESSED = /\.gz$/i;
const ENDINGS: readonly [ending: RegExp, format: ImportFormat][] = [
  [/\.(?:ndjson|jsonl|json)$/i, 'ndjson'],
  [/\.csv$/i, 'csv'],
];

/** The format by file extension, with or without `.gz`; null if unknown. */
export function importFormatOf(fileName: string): ImportFormat | null {
  const name = fileName.replace(COMPRESSED, '');
  return ENDINGS.find(([ending]) => ending.test(name))?.[1] ?? null;
}

/** Format of an export. */
export type ExportFormat = 'ndjson' | 'csv' | 'parquet';

/** The file name that means standard output. */
export const STANDARD_OUTPUT = '-';

/** The format by file extension; null if unknown. Exports are not compressed, except for Parquet's own compression. */
export function exportFormatOf(fileName: string): ExportFormat | null {
  if (COMPRESSED.test(fileName)) {
    return null;
  }
  return /\.parquet$/i.test(fileName) ? 'parquet' : importFormatOf(fileName);
}
