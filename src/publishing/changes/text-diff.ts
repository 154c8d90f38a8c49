/** The difference between two texts. */
export interface TextDiff {
  /** In unified format, with one hunk. Empty if the texts are equal. */
  diff: string;
  added: number;
  removed: number;
}

const CONTEXT = 3;
/** Longer lists of added or removed lines, and longer lines, are truncated to keep responses readable. */
const MAX_LINES = 200;
const MAX_LINE = 1_000;

/**
 * Compares two texts line by line. The result is a single hunk that replaces all lines between the common beginning and
 * the common end.
 */
export function textDiff(before: string | null, after: string | null): TextDiff {
  const [old, now] = [linesOf(before), linesOf(after)];
  const start = commonLines(old, now, (lines, index) => lines[index]);
  const most = Math.min(old.length, now.length) - start;
  const end = Math.min(
    most,
    commonLines(old, now, (lines, index) => lines[lines.length - 1 - index]),
  );
  const removed = old.slice(start, old.length - end);
  const added = now.slice(start, now.length - end);
  if (removed.length + added.length === 0) {
    return { diff: '', added: 0, removed: 0 };
  }
  const first = Math.max(0, start - CONTEXT);
  const [leading, trailing] = [old.slice(first, start), old.slice(old.length - end).slice(0, CONTEXT)];
  const size = leading.length + trailing.length;
  const hunk = [
    `@@ -${range(first, size + removed.length)} +${range(first, size + added.length)} @@`,
    ...marked(' ', leading),
    ...marked('-', removed),
    ...marked('+', added),
    ...marked(' ', trailing),
  ];
  return { diff: hunk.join('\n'), added: added.length, removed: removed.length };
}

const linesOf = (text: string | null): string[] => (text === null || text === '' ? [] : text.split('\n'));

function commonLines(
  a: readonly string[],
  b: readonly string[],
  lineAt: (lines: readonly string[], index: number) => string | undefined,
): number {
  const most = Math.min(a.length, b.length);
  let count = 0;
  while (count < most && lineAt(a, count) === lineAt(b, count)) {
    count += 1;
  }
  return count;
}

/** A range in the header of the hunk. In unified format, an empty range has the number of the line before it. */
const range = (first: number, count: number): string => `${count === 0 ? first : first + 1},${count}`;

function marked(mark: string, lines: readonly string[]): string[] {
  const shown = lines.slice(0, MAX_LINES).map((line) => `${mark}${shortened(line)}`);
  const left = lines.length - shown.length;
  return left === 0 ? shown : [...shown, `${mark}… ${left} more lines`];
}

const shortened = (line: string): string =>
  line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE).toWellFormed()}… (${line.length} characters)`;
