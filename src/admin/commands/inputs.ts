import { readFile } from 'node:fs/promises';
import { reasonOf, RefusedError, UsageError } from '../refusals';

/** The text of a file, without the byte order mark of Windows. @throws RefusedError if it cannot be read */
export async function textIn(path: string): Promise<string> {
  try {
    return new TextDecoder().decode(await readFile(path));
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
