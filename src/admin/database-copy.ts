import type { DatabaseTarget } from '../config/config';
import { copyDatabase, CopyObserver, CopyReport } from '../database/copy/copy-database';
import { CopyRefusedError } from '../database/copy/copy-end';
import type { Entities } from '../database/data-source';
import { OpeningError } from '../database/errors';
import { RefusedError } from './refusals';

/** `copyDatabase` for a command. @throws RefusedError with the reason if the copy failed or is incomplete */
export async function copyForCommand(
  from: DatabaseTarget,
  to: DatabaseTarget,
  entities: Entities,
  observer: CopyObserver,
): Promise<CopyReport> {
  try {
    return await copyDatabase(from, to, entities, observer);
  } catch (error) {
    const isRefused = error instanceof CopyRefusedError || error instanceof OpeningError;
    throw isRefused ? new RefusedError(error.message) : error;
  }
}
