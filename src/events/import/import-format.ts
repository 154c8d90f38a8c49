/** How the messages of a file are written: as a JSON object on each line, or as rows of a table. */
export type ImportFormat = 'ndjson' | 'csv';

const COMPRESSED = /\.gz$/i;
const ENDINGS: readonly [ending: RegExp, format: ImportFormat][] = [
  [/\.(?:ndjson|jsonl|json)$/i, 'ndjson'],
  [/\.csv$/i, 'csv'],
];

/** The format that the name of a file tells, with or without `.gz` at its end; null when it tells none. */
export function formatOfName(fileName: string): ImportFormat | null {
  const name = fileName.replace(COMPRESSED, '');
  return ENDINGS.find(([ending]) => ending.test(name))?.[1] ?? null;
}
