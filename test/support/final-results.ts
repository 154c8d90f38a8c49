import type { TestApi } from './api';
import { MainTestLog, type TestEventLog } from './event-logs';
import { attributeAll } from './events';

const HOUR = 3_600_000_000;
const LATE = 73 * HOUR;

/**
 * Backdates an archived experiment and all stored events, as if the experiment had run for hours and ended 73 hours
 * ago. All events are within its run.
 */
export async function makeFinal(
  api: TestApi,
  id: number,
  log: TestEventLog = new MainTestLog(api),
): Promise<void> {
  await log.change({ occurred_at: `occurred_at - ${LATE + HOUR}` });
  await api.database.transaction(async (tx) => {
    await tx.query(
      'UPDATE experiments SET archived_at = archived_at - ?, version = version + 1 WHERE id = ?',
      [LATE, id],
    );
    await tx.query(
      'UPDATE experiment_runs SET started_at = started_at - ?, ended_at = ended_at - ? WHERE experiment_id = ?',
      [LATE + 2 * HOUR, LATE, id],
    );
    await tx.query(
      'UPDATE experiment_results SET rules_version = rules_version + 1 WHERE experiment_id = ?',
      [id],
    );
    await tx.query('UPDATE project_versions SET version = version + 1');
  });
  await attributeAll(api);
}
