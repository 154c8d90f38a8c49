import { setTimeout } from 'node:timers/promises';
import type { Tx } from '../../src/database/database';
import type { TestApi } from './api';

/** Long enough for a request to reach the locked row. */
const WAY_TO_LOCK_MS = 50;

/**
 * Sends requests while another transaction writes to the project. The first checks of the requests run before the
 * write is committed. The requests continue after the commit.
 * @param write the work of the other transaction
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
