import { parse } from 'csv-parse/sync';
import type { ImportFormat } from '../file-formats';

/** Maximum line length in bytes. Longer lines cannot be messages and are not kept in memory. */
const MAX_LINE_BYTES = 1_048_576;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLANK = 0x20;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** A line in a file, without its line ending. */
interface Line {
  /** Counted from 1. */
  number: number;
  /** Null if it is longer than `MAX_LINE_BYTES`. */
  bytes: Buffer | null;
}

/** Whether the line contains only whitespace. */
const isBlank = ({ bytes }: Line): boolean => bytes !== null && !bytes.some((byte) => byte > BLANK);

/** Splits a stream of chunks into lines. */
class LineSplitter {
  private readonly parts: Buffer[] = [];
  private length = 0;
  private count = 0;

  /** The lines that end in the chunk. */
  push(piece: Buffer): Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (let end = piece.indexOf(LINE_FEED); end !== -1; end = piece.indexOf(LINE_FEED, start)) {
      this.hold(piece.subarray(start, end));
      lines.push(this.take());
      start = end + 1;
    }
    this.hold(piece.subarray(start));
    return lines;
  }

  /** The last line, if the file does not end with a line ending. */
  end(): Line[] {
    return this.length === 0 ? [] : [this.take()];
  }

  private hold(part: Buffer): void {
    this.length += part.length;
    if (this.length > MAX_LINE_BYTES) {
      this.parts.length = 0;
    } else if (part.length > 0) {
      this.parts.push(part);
    }
  }

  private take(): Line {
    this.count += 1;
    const isKept = this.length <= MAX_LINE_BYTES;
    const bytes = this.parts.length === 1 ? this.parts[0] : Buffer.concat(this.parts);
    this.parts.length = 0;
    this.length = 0;
    return { number: this.count, bytes: isKept ? trimmed(bytes, this.count === 1) : null };
  }
}

/** Removes the carriage return and the byte order mark. */
function trimmed(bytes: Buffer, isFirst: boolean): Buffer {
  const hasMark = isFirst && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const end = bytes.at(-1) === CARRIAGE_RETURN ? -1 : bytes.length;
  return bytes.subarray(hasMark ? BYTE_ORDER_MARK.length : 0, end);
}

/** The unparsed record of one message. */
export interface FileRecord {
  /** First line of the record. */
  line: number;
  /** Last line of the record; differs from the first line if quoted text contains line breaks. */
  lastLine: number;
  /** Null if the record is too long. */
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

/** The records in a file, in order. Blank lines are skipped. */
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
 * the following lines are parsed again, because an unclosed quote must not consume the rest of the file.
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

  /** @returns whether the record ends with this line, because its quotes are balanced or it is too long */
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
