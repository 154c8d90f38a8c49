import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './documents';

/* Files, and parts of files, that are generated from the sources. */

const isWriting = process.env.GOSSET_GENERATE === '1';

/** Normalises the spaces and dashes with which the formatter aligns tables. */
const unaligned = (line: string): string => line.replace(/ {2,}/g, ' ').replace(/-{3,}/g, '---');

/**
 * Compares a file with its expected text. With `npm run generate`, writes the expected text instead.
 * @param generate returns the expected text for the current text of the file
 * @throws Error with the first line that differs
 */
export function expectGenerated(path: string, generate: (text: string) => string): void {
  const file = join(ROOT, path);
  const text = readFileSync(file, 'utf8');
  const lines = text.split('\n');
  const generated = generate(text);
  const made = generated.split('\n');
  const index = made.findIndex((line, at) => unaligned(line) !== unaligned(lines[at] ?? ''));
  if (index === -1 && made.length === lines.length) {
    return;
  }
  if (isWriting) {
    writeFileSync(file, generated);
    return;
  }
  const at = index === -1 ? made.length : index;
  throw new Error(
    `${path} is out of date, run \`npm run generate\`. Line ${at + 1} should be:\n${made[at] ?? '(no line)'}\nIt is:\n${lines[at] ?? '(no line)'}`,
  );
}
