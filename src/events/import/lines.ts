/** Maximum line length in bytes. Longer lines cannot be messages and are not kept in memory. */
export const MAX_LINE_BYTES = 1_048_576;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLANK = 0x20;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** A line of a file, without its line ending. */
export interface Line {
  /** Counted from 1. */
  number: number;
  /** Null if it is longer than `MAX_LINE_BYTES`. */
  bytes: Buffer | null;
}

/** Does the line contain only whitespace? */
export const isBlank = ({ bytes }: Line): boolean => bytes !== null && !bytes.some((byte) => byte > BLANK);

/** Splits a stream of chunks into lines. */
export class LineSplitter {
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
