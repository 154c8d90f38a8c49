import { ClickHouse } from '../../src/events/clickhouse/clickhouse';
import { EventRemoval } from '../../src/events/event-log';
import { EventPurge } from '../../src/events/event-purge';
import type { TestApi } from './api';
import { acknowledgedEvents, clearEverything, type ClickHouseScene, inClickHouse } from './clickhouse-scene';
import type { EventName, TestEventLog } from './event-logs';
import type { StoredRow } from './events';

/** Accesses events in ClickHouse. */
export class ClickHouseTestLog implements TestEventLog {
  constructor(private readonly scene: ClickHouseScene) {}

  get environment(): Record<string, string> {
    return { EVENTS_URL: this.scene.clickhouse.url };
  }

  stored(projectId?: number): Promise<StoredRow[]> {
    return acknowledgedEvents(this.scene.api, this.scene.clickhouse, projectId);
  }

  /** Copies the table, because ClickHouse cannot update columns of the sorting key. */
  async change(set: Record<string, string>, where = 'true'): Promise<void> {
    const changes = Object.entries(set).map(
      ([column, sql]) => `if(${where}, ${sql}, ${column}) AS ${column}`,
    );
    for (const statement of [
      'CREATE TABLE changed AS events',
      `INSERT INTO changed SELECT * REPLACE(${changes.join(', ')}) FROM events`,
      'TRUNCATE TABLE events',
      'INSERT INTO events SELECT * FROM changed',
      'DROP TABLE changed',
    ]) {
      await inClickHouse(this.scene.clickhouse, statement);
    }
  }

  /** Stores conversions in batch 0, whose events count in the results. */
  async fill(projectId: number, events: readonly EventName[]): Promise<void> {
    const row = { batch_id: 0, occurred_at: 1_000, arrived_at: 0, value: null, device: 0 };
    const conversion = {
      ...row,
      project_id: projectId,
      experiment_id: 0,
      variation_id: 0,
      phase: 0,
      goal_id: 1,
    };
    await this.scene.api.app
      .get(ClickHouse, { strict: false })
      .insert(events.map((event) => ({ ...conversion, ...event })));
  }

  clear(): Promise<void> {
    return clearEverything(this.scene);
  }

  async carryOut(): Promise<void> {
    await ageRemovals(this.scene.api);
    await this.scene.api.app.get(EventPurge, { strict: false }).run();
    while (await this.scene.api.app.get<EventRemoval>(EventRemoval, { strict: false }).carryOut()) {
      // All work happens in the condition, one step at a time.
    }
  }

  async has(projectId: number, text: string): Promise<boolean> {
    const rows = await inClickHouse<object>(
      this.scene.clickhouse,
      `SELECT * FROM events WHERE project_id = ${projectId}`,
    );
    return rows.some((row) => JSON.stringify(row).includes(text));
  }
}

/** Makes pending removals and purges look as if they had begun minutes ago. */
export const ageRemovals = ({ database }: TestApi): Promise<unknown> =>
  database.transaction(async (tx) => {
    await tx.query('UPDATE event_removals SET requested_at = 0');
    await tx.query('UPDATE event_purges SET purged_at = 0 WHERE purged_at IS NOT NULL');
  });
