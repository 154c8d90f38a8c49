/** Format of a file: JSON Lines or CSV. */
export type ImportFormat = 'ndjson' | 'csv';

const COMPRESSED = /\.gz$/i;
const ENDINGS: readonly [ending: RegExp, format: ImportFormat][] = [
  [/\.(?:ndjson|jsonl|json)$/i, 'ndjson'],
  [/\.csv$/i, 'csv'],
];

/** The format by file extension, with or without `.gz`; null if unknown. */
export function formatOfName(fileName: string): ImportFormat | null {
  const name = fileName.replace(COMPRESSED, '');
  return ENDINGS.find(([ending]) => ending.test(name))?.[1] ?? null;
}
