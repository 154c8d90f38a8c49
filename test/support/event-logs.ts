import type { TestApi } from './api';
import { clearResults } from './attributed';
import { describeWithClickHouse } from './clickhouse';
import { ClickHouseTestLog } from './clickhouse-log';
import { useClickHouseScene } from './clickhouse-scene';
import type { StoredRow } from './events';
import { type Scene, useScene } from './scene';

/** The key of an event in its project. */
export type EventName = Pick<StoredRow, 'visitor_id' | 'event_id'>;

/** The event log of a scene, for direct access by tests. */
export interface TestEventLog {
  /** Environment variables for servers and commands. */
  environment: Record<string, string>;
  /** The acknowledged events that have not been removed, each once, sorted by project, visitor and id. */
  stored(projectId?: number): Promise<StoredRow[]>;
  /** Changes events. @param set SQL expressions by column @param where SQL condition */
  change(set: Record<string, string>, where?: string): Promise<void>;
  /** Stores conversions with these keys. */
  fill(projectId: number, events: readonly EventName[]): Promise<void>;
  /** Deletes all events, links and results. */
  clear(): Promise<void>;
  /** Completes pending removals, as if they had been requested minutes ago. */
  carryOut(): Promise<void>;
  /** Whether any stored event of a project contains this text, even if its removal is pending. */
  has(projectId: number, text: string): Promise<boolean>;
}

/** Accesses events in the main database. */
export class MainTestLog implements TestEventLog {
  readonly environment = {};

  constructor(private readonly api: TestApi) {}

  async stored(projectId: number | null = null): Promise<StoredRow[]> {
    const rows: Record<string, string | number | null>[] = await this.api.database.read.query(
      `SELECT visitor_id, event_id, occurred_at, experiment_id, variation_id, goal_id, value, device FROM events
        WHERE ? IS NULL OR project_id = ? ORDER BY project_id, visitor_id, event_id`,
      [projectId, projectId],
    );
    return rows.map((row) => ({
      ...(row as unknown as StoredRow),
      occurred_at: Number(row.occurred_at),
      value: row.value === null ? null : Number(row.value),
    }));
  }

  async change(set: Record<string, string>, where = '1 = 1'): Promise<void> {
    const changes = Object.entries(set).map(([column, sql]) => `${column} = ${sql}`);
    await this.api.database.transaction((tx) =>
      tx.query(`UPDATE events SET ${changes.join(', ')} WHERE ${where}`),
    );
  }

  async fill(projectId: number, events: readonly EventName[]): Promise<void> {
    const rows = events.map(
      ({ visitor_id, event_id }) => `(${projectId}, '${visitor_id}', '${event_id}', 1000, 1, 0, 1)`,
    );
    await this.api.database.transaction((tx) =>
      tx.query(
        `INSERT INTO events (project_id, visitor_id, event_id, occurred_at, goal_id, device, attributed)
         VALUES ${rows.join(', ')}`,
      ),
    );
  }

  clear(): Promise<void> {
    return clearResults(this.api);
  }

  carryOut(): Promise<void> {
    return Promise.resolve();
  }

  async has(projectId: number, text: string): Promise<boolean> {
    const rows: object[] = await this.api.database.read.query('SELECT * FROM events WHERE project_id = ?', [
      projectId,
    ]);
    return rows.some((row) => JSON.stringify(row).includes(text));
  }
}

export interface LoggedScene extends Scene {
  log: TestEventLog;
}

/**
 * Runs tests twice: with events in the main database, and with events in ClickHouse.
 * @param scene is filled in before the tests run
 */
export function onBothEventLogs(scene: LoggedScene, tests: () => void): void {
  describe('events in the main database', () => {
    const own = useScene();
    beforeAll(() => Object.assign(scene, own, { log: new MainTestLog(own.api) }));
    tests();
  });
  describeWithClickHouse('events in ClickHouse', () => {
    const own = useClickHouseScene();
    beforeAll(() => Object.assign(scene, own, { log: new ClickHouseTestLog(own) }));
    tests();
  });
}
