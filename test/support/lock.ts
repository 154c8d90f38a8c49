import { setTimeout } from 'node:timers/promises';
import type { Tx } from '../../src/database/database';
import type { TestApi } from './api';

/** Long enough for a request to get to where it waits for the lock. */
const WAY_TO_LOCK_MS = 50;

/**
 * Sends requests while somebody else is writing in the project, so that they have been let in before that write
 * is done and go on after it.
 * @param write what the other one writes
 */
export async function behindAnotherWrite<T>(
  { database }: TestApi,
  projectId: number,
  write: (tx: Tx) => Promise<unknown>,
  requests: () => Promise<T>,
): Promise<T> {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await new Promise<void>((held, fail) => {
    const holding = database.transaction(async (tx) => {
      await tx.query('UPDATE project_versions SET version = version WHERE project_id = ?', [projectId]);
      await write(tx);
      held();
      await released;
    });
    holding.catch(fail);
  });
  const answers = requests();
  await setTimeout(WAY_TO_LOCK_MS);
  release();
  return answers;
}
