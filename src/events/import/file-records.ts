import { parse } from 'csv-parse/sync';
import type { ImportFormat } from '../file-formats';
import { isBlank, Line, LineSplitter, MAX_LINE_BYTES } from './lines';

/** The unparsed record of one message. */
export interface FileRecord {
  /** First line of the record. */
  line: number;
  /** Last line of the record: quoted text may contain line breaks. */
  lastLine: number;
  /** Null if it is too long. */
  bytes: Buffer | null;
}

/** Reads lines in order, and emits records when they are complete. */
interface Assembler {
  add: (line: Line) => FileRecord[];
  end: () => FileRecord[];
}

const QUOTE = 0x22;
const LINE_END = Buffer.from('\n');
const NOTHING = Buffer.alloc(0);

/** The records of a file in order. Blank lines are skipped. */
export async function* recordsOf(
  pieces: AsyncIterable<Buffer>,
  format: ImportFormat,
): AsyncGenerator<FileRecord, void> {
  const splitter = new LineSplitter();
  const assembler: Assembler = format === 'csv' ? new CsvAssembler() : lineByLine;
  for await (const piece of pieces) {
    for (const line of splitter.push(piece)) {
      yield* assembler.add(line);
    }
  }
  for (const line of splitter.end()) {
    yield* assembler.add(line);
  }
  yield* assembler.end();
}

/** The fields of a CSV record (RFC 4180); null if it is malformed. */
export function csvFields(bytes: Buffer): string[] | null {
  try {
    const records: string[][] = parse(bytes, { record_delimiter: '\n', relax_column_count: true });
    return records.length === 1 ? records[0] : null;
  } catch {
    return null;
  }
}

const recordOf = ({ number, bytes }: Line): FileRecord => ({ line: number, lastLine: number, bytes });

const lineByLine: Assembler = {
  add: (line) => (isBlank(line) ? [] : [recordOf(line)]),
  end: () => [],
};

/**
 * Joins the lines of a record with quoted line breaks. If the record is malformed, only its first line is rejected and
 * the following lines are parsed again: an unclosed quote must not consume the rest of the file.
 */
class CsvAssembler implements Assembler {
  private open: Line[] = [];
  private length = 0;
  private isQuoted = false;

  add(line: Line): FileRecord[] {
    return this.assemble(line);
  }

  end(): FileRecord[] {
    return this.assemble(null);
  }

  /** @param next null at the end of the file */
  private assemble(next: Line | null): FileRecord[] {
    const records: FileRecord[] = [];
    const stack = next === null ? [] : [next];
    while (stack.length > 0 || (next === null && this.open.length > 0)) {
      const line = stack.pop();
      if (line === undefined || this.hold(line)) {
        const { record, again } = this.close();
        records.push(record);
        for (const other of again.reverse()) {
          stack.push(other);
        }
      }
    }
    return records;
  }

  /** Do the quotes of the record balance after this line? */
  private hold(line: Line): boolean {
    if (this.open.length === 0 && isBlank(line)) {
      return false;
    }
    this.open.push(line);
    this.length += line.bytes === null ? Infinity : line.bytes.length + 1;
    this.isQuoted = this.isQuoted !== hasOddQuotes(line);
    return !this.isQuoted || this.length > MAX_LINE_BYTES;
  }

  /** The record, and the lines to parse again. */
  private close(): { record: FileRecord; again: Line[] } {
    const { open, isQuoted, length } = this;
    const [first, ...others] = open;
    const last = open[open.length - 1];
    this.open = [];
    this.length = 0;
    this.isQuoted = false;
    if (others.length === 0) {
      return { record: recordOf(first), again: [] };
    }
    const bytes = isQuoted || length > MAX_LINE_BYTES ? null : joined(open);
    return bytes === null || csvFields(bytes) === null
      ? { record: recordOf(first), again: others }
      : { record: { line: first.number, lastLine: last.number, bytes }, again: [] };
  }
}

const joined = (lines: readonly Line[]): Buffer =>
  Buffer.concat(lines.flatMap(({ bytes }) => [bytes ?? NOTHING, LINE_END])).subarray(0, -LINE_END.length);

function hasOddQuotes({ bytes }: Line): boolean {
  let isOdd = false;
  for (let at = bytes?.indexOf(QUOTE) ?? -1; at !== -1; at = bytes?.indexOf(QUOTE, at + 1) ?? -1) {
    isOdd = !isOdd;
  }
  return isOdd;
}
