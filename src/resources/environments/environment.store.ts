import type { Micros } from '../../common/time/clock';
import type { Tx } from '../../database/database';

/** Clears the default flag on the project's default environment. */
export async function unsetDefault(tx: Tx, projectId: number, now: Micros): Promise<void> {
  await tx.query(
    'UPDATE environments SET is_default = 0, version = version + 1, updated_at = ? WHERE project_id = ? AND is_default = 1',
    [now, projectId],
  );
}
