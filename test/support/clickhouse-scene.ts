import { randomUUID } from 'node:crypto';
import { createClient } from '@clickhouse/client';
import { ATTRIBUTED, STORED } from '../../src/events/clickhouse/event-batch.entity';
import { EventBatches } from '../../src/events/clickhouse/event-batches.store';
import { EventRemovals } from '../../src/events/clickhouse/event-removals.store';
import type { EventLogRow } from '../../src/events/clickhouse/event-rows';
import type { TestApi } from './api';
import { emptyTables } from './attributed';
import { TestClickHouse } from './clickhouse';
import { attributeAll, conversion, exposure, send, shownCells, StoredRow } from './events';
import { cellsOf, figuresOf } from './ledger';
import { Made, Scene, useScene } from './scene';

export interface ClickHouseScene extends Scene {
  clickhouse: TestClickHouse;
}

/** Starts an application that stores its events in ClickHouse. */
export function useClickHouseScene(): ClickHouseScene {
  const environment: Record<string, string> = {};
  let clickhouse: TestClickHouse;
  beforeAll(async () => {
    clickhouse = await TestClickHouse.start();
    environment.EVENTS_URL = clickhouse.url;
  });
  const scene = useScene(environment) as ClickHouseScene;
  beforeAll(() => Object.assign(scene, { clickhouse }));
  afterAll(() => clickhouse?.remove());
  return scene;
}

/** A running experiment with a goal. Its events are in ClickHouse. */
class CollectingExperiment {
  key = '';
  experiment: Made;

  constructor(readonly scene: ClickHouseScene) {}

  readonly get = <T>(type: abstract new (...all: never[]) => T): T =>
    this.scene.api.app.get<T>(type, { strict: false });

  /** An exposure and a conversion of a new visitor. */
  readonly messages = (): object[] => {
    const [visitor, [variation]] = [randomUUID(), this.experiment.variations as Made[]];
    return [exposure(visitor, this.experiment.id, variation.id), conversion(visitor, 'sale', 1)];
  };

  /** @returns the status of the response */
  readonly collect = async (batch = this.messages()): Promise<number> =>
    (await send(this.scene.api, this.key, batch)).status;
}

/** Starts a scene with a running experiment. All events are deleted before each test. */
export function useCollectingExperiment(): CollectingExperiment {
  const scene = useClickHouseScene();
  const site = new CollectingExperiment(scene);
  beforeAll(async () => {
    site.key = (await scene.client.get(scene.project)).body.client_key as string;
    const goal = await scene.make.goal({ name: 'Sale', value_type: 'revenue' });
    site.experiment = await scene.make.withStatus('running', { goals: [goal.id] });
  });
  beforeEach(async () => {
    await scene.clickhouse.misbehave({});
    await clearEverything(scene);
  });
  return site;
}

/** Asserts that the results count each acknowledged event once. */
export async function expectCountedOnce({ api, clickhouse }: ClickHouseScene, events: number): Promise<void> {
  await attributeAll(api);
  const known = await acknowledgedEvents(api, clickhouse);
  expect(known).toHaveLength(events);
  expect((await shownCells(api)).map(figuresOf).sort()).toEqual(cellsOf(known));
}

/** Runs a query in ClickHouse, bypassing the server. */
export async function inClickHouse<Row>({ port }: TestClickHouse, query: string): Promise<Row[]> {
  const client = createClient({
    url: `http://127.0.0.1:${port}`,
    username: 'gosset',
    password: 'secret/1',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
  });
  try {
    return await (await client.query({ query, format: 'JSONEachRow' })).json<Row>();
  } finally {
    await client.close();
  }
}

/** Changes data in ClickHouse, bypassing the server. */
export async function changeClickHouse({ port }: TestClickHouse, statement: string): Promise<void> {
  const client = createClient({
    url: `http://127.0.0.1:${port}`,
    username: 'gosset',
    password: 'secret/1',
    clickhouse_settings: { mutations_sync: '2' },
  });
  await client.command({ query: statement }).finally(() => client.close());
}

/** The acknowledged events that have not been removed. Each is read once, from the first batch that contains it. */
export async function acknowledgedEvents(
  { app, database }: TestApi,
  clickhouse: TestClickHouse,
  projectId?: number,
): Promise<StoredRow[]> {
  const batches = await app.get(EventBatches, { strict: false }).counted(database.read, [STORED, ATTRIBUTED]);
  const among = await new EventRemovals(database).among(database.read);
  const rows = await inClickHouse<EventLogRow>(
    clickhouse,
    `SELECT * FROM events WHERE ${among(batches)}${projectId === undefined ? '' : ` AND project_id = ${projectId}`}
      ORDER BY batch_id`,
  );
  const known = new Map<string, StoredRow>();
  for (const { batch_id: _batch, ...row } of rows) {
    const key = `${row.project_id} ${row.visitor_id} ${row.event_id}`;
    known.set(key, known.get(key) ?? asStored(row));
  }
  return [...known.values()].sort((a, b) => (a.visitor_id < b.visitor_id ? -1 : 1));
}

const asStored = (row: Omit<EventLogRow, 'batch_id'>): StoredRow => ({
  visitor_id: row.visitor_id,
  event_id: row.event_id,
  occurred_at: row.occurred_at,
  experiment_id: row.experiment_id || null,
  variation_id: row.variation_id || null,
  goal_id: row.goal_id || null,
  value: row.value,
  device: row.device,
});

/** Deletes all events, links and results, in the main database and in ClickHouse. */
export async function clearEverything({ api, clickhouse }: ClickHouseScene): Promise<void> {
  await api.database.transaction(async (tx) => {
    await emptyTables(tx, [
      'excluded_visitors',
      'event_batches',
      'event_gates',
      'event_removals',
      'deleted_visitors',
    ]);
    // The cache of definitions, which includes the goals with collected events, is keyed by this version.
    await tx.query('UPDATE project_versions SET version = version + 1');
    await tx.query("UPDATE event_log_marks SET position = 0 WHERE name IN ('last_batch', 'low_water')");
  });
  await inClickHouse(clickhouse, 'TRUNCATE TABLE events');
  await inClickHouse(clickhouse, 'TRUNCATE TABLE closed_batches');
}
