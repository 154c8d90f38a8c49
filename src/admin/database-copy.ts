import type { DatabaseTarget } from '../config/config';
import { copyDatabase, CopyObserver, CopyReport } from '../database/copy/copy-database';
import { CopyRefusedError } from '../database/copy/copy-end';
import type { Entities } from '../database/data-source';
import { OpeningError } from '../database/errors';
import { skipNumbers, SkipReport } from '../database/skipped-numbers';
import { RefusedError } from './refusals';

/** `copyDatabase` for a command. @throws RefusedError with the reason if the copy failed or is incomplete */
export function copyForCommand(
  from: DatabaseTarget,
  to: DatabaseTarget,
  entities: Entities,
  observer: CopyObserver,
): Promise<CopyReport> {
  return refusing(() => copyDatabase(from, to, entities, observer));
}

/** `skipNumbers` for a command. @throws RefusedError with the reason if the database cannot be changed */
export function skipForCommand(target: DatabaseTarget, entities: Entities): Promise<SkipReport> {
  return refusing(() => skipNumbers(target, entities));
}

async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isRefused = error instanceof CopyRefusedError || error instanceof OpeningError;
    throw isRefused ? new RefusedError(error.message) : error;
  }
}
