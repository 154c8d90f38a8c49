import { readFile } from 'node:fs/promises';
import { reasonOf, RefusedError, UsageError } from '../refusals';

/** Editors and spreadsheets on Windows begin a file with it. */
const BYTE_ORDER_MARK = /^\uFEFF/;

/** The text of a file, without a byte order mark. @throws RefusedError if it cannot be read */
export async function textIn(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).replace(BYTE_ORDER_MARK, '');
  } catch (error) {
    throw new RefusedError(`${path} cannot be read: ${reasonOf(error)}`);
  }
}

/** @throws UsageError if both times are given, and `--until` is not after `--from` */
export function checkPeriod({ from, until }: { from?: number; until?: number }): void {
  if (from !== undefined && until !== undefined && until <= from) {
    throw new UsageError('--until must be after --from.');
  }
}
