import { Format, SingleBar } from 'cli-progress';
import { writeOut } from '../common/files';
import { RefusedError } from './refusals';

const MAX_CELL = 60;
const MAX_VALUE = 400;
const GAP = '  ';
/** Control characters and bidirectional marks. */
const STEERING = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

function textOf(value: unknown): string {
  if (Array.isArray(value)) {
    return value.map(textOf).join(', ');
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** Text for a terminal: a single line of at most `max` characters, without control characters. */
function printable(value: unknown, max: number): string {
  if (value === null || value === undefined || value === '' || isEmptyList(value)) {
    return '-';
  }
  if (typeof value === 'boolean') {
    return value ? 'yes' : 'no';
  }
  const text = textOf(value);
  const characters = [...text.replace(/\s+/gu, ' ').replace(STEERING, '�')];
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : characters.join('');
}

/** Text that contains user-defined names, as one line for a terminal. */
export const printableLine = (text: string): string => printable(text, Infinity);

/** A number with commas between groups of digits. */
export const grouped = (count: number): string => count.toLocaleString('en-US');

/** A number with its noun, such as `1,200 events`. */
export const counted = (count: number, what: string): string =>
  `${grouped(count)} ${what}${count === 1 ? '' : 's'}`;

const widthOf = (text: string): number => [...text].length;

const padded = (text: string, width: number): string => text + ' '.repeat(width - widthOf(text));

function aligned(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  const lines = rows.map((row) => row.map((cell, column) => padded(cell, widths[column] ?? 0)).join(GAP));
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** Indented rows with aligned columns. The text itself stays unchanged. */
export function textBlock(rows: readonly string[][]): string {
  return aligned(rows).replace(/^/gm, GAP);
}

/** A record as lines of `name  value`. */
export function recordText(record: object): string {
  return aligned(Object.entries(record).map(([name, value]) => [name, printable(value, MAX_VALUE)]));
}

/**
 * Rows as a table with a header; `none` if there are no rows. @param max maximum number of characters in a cell; longer
 * text is truncated
 */
export function tableText<T extends object>(
  rows: readonly T[],
  columns: readonly (keyof T & string)[],
  none: string,
  max = MAX_CELL,
): string {
  if (rows.length === 0) {
    return none;
  }
  return aligned([[...columns], ...rows.map((row) => columns.map((column) => printable(row[column], max)))]);
}

/**
 * Writes the result of a command to standard output. Secrets such as tokens are shown only there, so the command fails
 * if the output is lost, for example because the disk is full. A reader that stops early, such as `head`, is not an
 * error.
 */
export async function print(text: string): Promise<void> {
  const error = await writeOut(`${text}\n`);
  if (error !== null && error.code !== 'EPIPE') {
    throw new RefusedError(`The command succeeded, but its output could not be written: ${error.message}`);
  }
}

/** How help text and messages invoke the admin command. */
export const INVOCATION = 'npm run -s admin --';

/** A command's progress, shown only on a terminal. */
export class ProgressBar {
  private bar: SingleBar | null = null;

  /** @param isShown whether there is a terminal to show it on */
  constructor(readonly isShown: boolean) {}

  /** @param what the action, such as `Importing` @param format formats amounts; unchanged by default */
  show(what: string, format: (amount: number) => string = String): (done: number, total: number) => void {
    return (done, total) => {
      if (!this.isShown) {
        return;
      }
      if (this.bar === null) {
        this.bar = new SingleBar({
          format: `${what} {bar} {percentage}% | {value} of {total} | {eta_formatted} left`,
          barCompleteChar: '=',
          barIncompleteChar: '-',
          clearOnComplete: true,
          stream: process.stderr,
          formatValue: (value, options, type) =>
            type === 'value' || type === 'total' ? format(value) : Format.ValueFormat(value, options, type),
        });
        this.bar.start(total, done);
      }
      this.bar.setTotal(total);
      this.bar.update(done);
    };
  }

  /** Removes the bar from the terminal. */
  stop(): void {
    this.bar?.stop();
    this.bar = null;
  }
}
