/** A longer line is no message that anybody sent; it is passed over without being kept. */
export const MAX_LINE_BYTES = 1_048_576;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLANK = 0x20;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** A line of a file, without its end. */
export interface Line {
  /** Counted from 1. */
  number: number;
  /** Null when it is longer than `MAX_LINE_BYTES`. */
  bytes: Buffer | null;
}

/** Is there nothing on the line but blanks? */
export const isBlank = ({ bytes }: Line): boolean => bytes !== null && !bytes.some((byte) => byte > BLANK);

/** Cuts a file into lines, whatever the pieces are in which it is read. */
export class LineSplitter {
  private readonly parts: Buffer[] = [];
  private length = 0;
  private count = 0;

  /** The lines that end in the piece. */
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

  /** The last line, if the file does not end with a line end. */
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

/** Without what belongs to the line's end, or to the beginning of the file. */
function trimmed(bytes: Buffer, isFirst: boolean): Buffer {
  const hasMark = isFirst && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const end = bytes.at(-1) === CARRIAGE_RETURN ? -1 : bytes.length;
  return bytes.subarray(hasMark ? BYTE_ORDER_MARK.length : 0, end);
}
