import { createHash, Hash } from 'node:crypto';
import type { CopiedTable } from './copied-tables';
import { CopyEnd, countRows, keyOf, pageAfter, pageSize, Row, rowWith, Value } from './copy-end';

/** The result of comparing a table in two databases. */
export interface Comparison {
  rows: number;
  /** SHA-256 of all rows of the source, in key order. */
  digest: string;
  /**
   * The first difference, as a sentence that contains the row's key but no other stored values; null if there is none.
   */
  difference: string | null;
}

/** Compares all rows of a table, value by value. @param onRows called with the number of rows in each page */
export async function compareTable(
  source: CopyEnd,
  target: CopyEnd,
  table: CopiedTable,
  onRows: (count: number) => void,
): Promise<Comparison> {
  const hash = createHash('sha256');
  let rows = 0;
  let key: readonly Value[] | null = null;
  for (;;) {
    const page: Row[] = await pageAfter(source, table, key);
    const other = await pageAfter(target, table, key, Math.max(page.length, 1));
    const isEqual = addPage(hash, page, other);
    const difference = isEqual ? null : await explain({ source, target, table }, page, other);
    const last = page.at(-1);
    rows += page.length;
    onRows(page.length);
    if (difference !== null || last === undefined || page.length < pageSize(table)) {
      const counted = difference ?? (await countDifference(target, table, rows));
      return { rows, digest: hash.digest('hex'), difference: counted };
    }
    key = keyOf(table, last);
  }
}

/** Adds a page to the hash. @returns whether both pages are equal */
function addPage(hash: Hash, page: readonly Row[], other: readonly Row[]): boolean {
  const [bytes, others] = [bytesOf(page), bytesOf(other)];
  hash.update(bytes);
  return bytes.equals(others);
}

/** Compares the row counts, which reveals any rows that only the target has. */
async function countDifference(target: CopyEnd, table: CopiedTable, rows: number): Promise<string | null> {
  const count = await countRows(target, table);
  return count === rows ? null : `${table.name} has ${count} rows in the target and ${rows} in the source.`;
}

/** The first difference between two pages. Engines may sort the same rows differently, so each row is looked up. */
async function explain(
  { source, target, table }: { source: CopyEnd; target: CopyEnd; table: CopiedTable },
  page: readonly Row[],
  other: readonly Row[],
): Promise<string | null> {
  for (const row of page) {
    const copy = await rowWith(target, table, keyOf(table, row));
    if (copy === null) {
      return `${nameOf(table, row)} is not in the target.`;
    }
    const column = table.columns.find((_, place) => !isSame(row[place] ?? null, copy[place] ?? null));
    if (column !== undefined) {
      return `${nameOf(table, row)} has a different value in column ${column.name}.`;
    }
  }
  for (const row of other) {
    if ((await rowWith(source, table, keyOf(table, row))) === null) {
      return `${nameOf(table, row)} is not in the source.`;
    }
  }
  return null;
}

function nameOf(table: CopiedTable, row: Row): string {
  const key = table.key.map((place) => `${table.columns[place]?.name} ${String(row[place])}`);
  return `The row in ${table.name} with ${key.join(', ')}`;
}

const isSame = (a: Value, b: Value): boolean =>
  Buffer.isBuffer(a) && Buffer.isBuffer(b) ? a.equals(b) : a === b;

/** The rows as bytes. Each value is preceded by its type and length. */
function bytesOf(rows: readonly Row[]): Buffer {
  const parts: Buffer[] = [];
  for (const row of rows) {
    parts.push(Buffer.from('\n'), ...row.flatMap(partsOf));
  }
  return Buffer.concat(parts);
}

function partsOf(value: Value): Buffer[] {
  if (value === null) {
    return [Buffer.from('-')];
  }
  const bytes = Buffer.isBuffer(value) ? value : Buffer.from(String(value));
  const type = Buffer.isBuffer(value) ? 'b' : typeof value === 'bigint' ? 'i' : 't';
  return [Buffer.from(`${type}${bytes.length}:`), bytes];
}
