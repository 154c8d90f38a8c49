import type { Tx } from '../../src/database/database';
import { RetentionService } from '../../src/events/retention/retention.service';
import { TrashService } from '../../src/projects/trash/trash.service';
import { type Made, Maker, useScene } from '../support/scene';

/* Large numbers of rows are deleted in several transactions, because one large SQLite transaction would block the server. */

const ROWS = 2_500;
const STEP = 1_000;

/** The tables, and the condition that selects the rows of a project. */
const TABLES = {
  webhook_deliveries: 'webhook_id IN (SELECT id FROM webhooks WHERE project_id = ?)',
  publications: 'project_id = ?',
  publication_parts: 'project_id = ?',
  deleted_visitors: 'project_id = ?',
  dirty_visitors: 'project_id = ?',
  linked_visitors: 'project_id = ?',
  events: 'project_id = ?',
  audit_entries: "project_id = ? AND action <> 'delete'",
};
type Table = keyof typeof TABLES;
const NAMES = Object.keys(TABLES) as Table[];

/** A visitor's events are deleted together. */
const stepOf = (table: Table): number => (table === 'events' ? ROWS : STEP);

const scene = useScene();

afterEach(() => jest.restoreAllMocks());

const rowsIn = async (reader: Pick<Tx, 'query'>, table: Table, projectId: number): Promise<number> => {
  const sql = `SELECT COUNT(*) AS count FROM ${table} WHERE ${TABLES[table]}`;
  const [row]: { count: number | string }[] = await reader.query(sql, [projectId]);
  return Number(row.count);
};

/** Adds `ROWS` rows, each made by `row` from its number. */
async function add(
  table: Table,
  columns: string,
  row: (number: number) => (string | number)[],
): Promise<void> {
  const rows = Array.from({ length: ROWS }, (_, index) => row(index + 1));
  const tuples = rows.map((values) => `(${values.map(() => '?').join(', ')})`);
  await scene.api.database.transaction((tx) =>
    tx.query(`INSERT INTO ${table} (${columns}) VALUES ${tuples.join(', ')}`, rows.flat()),
  );
}

const addDeleted = (projectId: number, expiresAt: number): Promise<void> =>
  add('deleted_visitors', 'project_id, visitor_hash, expires_at', (n) => [projectId, `hash-${n}`, expiresAt]);

async function addDeliveries(projectId: number, status: 'delivered' | 'pending'): Promise<string> {
  const { body } = await scene.client.post(`/projects/${projectId}/webhooks`, {
    name: 'Many deliveries',
    url: 'https://hooks.example.com/',
    events: ['project.published'],
  });
  const webhookId = body.id as number;
  await add(
    'webhook_deliveries',
    'webhook_id, lane, message_id, type, body, status, tries, next_try_at, created_at, lock_version',
    (n) => [webhookId, n % 7, `msg-${n}`, 'project.published', '{}', status, 1, 1, n, 0],
  );
  return `/projects/${projectId}/webhooks/${webhookId}`;
}

/** Adds old events of two visitors. Each has more events than a step may delete for several visitors. */
async function addEvents(projectId: number, experimentId: number): Promise<void> {
  for (const visitor of ['visitor-a', 'visitor-b']) {
    await add(
      'events',
      'project_id, visitor_id, event_id, occurred_at, experiment_id, device, attributed',
      (n) => [projectId, visitor, `event-${n}`, n, experimentId, 0, 1],
    );
  }
}

async function fill(projectId: number): Promise<void> {
  await addDeliveries(projectId, 'delivered');
  await add(
    'publications',
    'project_id, revision, reason, created_at, snippet_version, digest, sha256, sha384, bytes, bytes_gzip, bytes_brotli',
    (n) => [projectId, n + 10, 'publish', n, '1', 'a', 'b', 'c', 1, 1, 1],
  );
  await add('publication_parts', 'project_id, revision, part, position, bytes', (n) => [
    projectId,
    n + 10,
    'payload',
    0,
    'x',
  ]);
  await add('audit_entries', 'at, source, action, project_id, item_type, item_id, item_name', (n) => [
    n,
    'api',
    'update',
    projectId,
    'goal',
    n,
    'Sale',
  ]);
  await addDeleted(projectId, Number.MAX_SAFE_INTEGER);
  await add('dirty_visitors', 'project_id, visitor_id, lock_version', (n) => [projectId, `visitor-${n}`, 0]);
  await add('linked_visitors', 'project_id, visitor_id, canonical_id, linked_at, attributed', (n) => [
    projectId,
    `visitor-${n}`,
    `canonical-${n}`,
    1,
    1,
  ]);
}

/** Counts the rows that each transaction deletes from each table. */
function watch(tables: readonly Table[], projectId: number): Record<Table, number[]> {
  const { database } = scene.api;
  const transaction = database.transaction.bind(database);
  const deleted = Object.fromEntries(tables.map((table) => [table, [] as number[]])) as Record<
    Table,
    number[]
  >;
  jest.spyOn(database, 'transaction').mockImplementation((work: (tx: Tx) => Promise<unknown>) =>
    transaction(async (tx) => {
      const before = new Map<Table, number>();
      for (const table of tables) {
        before.set(table, await rowsIn(tx, table, projectId));
      }
      const result = await work(tx);
      for (const table of tables) {
        deleted[table].push((before.get(table) ?? 0) - (await rowsIn(tx, table, projectId)));
      }
      return result;
    }),
  );
  return deleted;
}

it('a purged project and everything in it are deleted in short transactions', async () => {
  const id = await scene.api.project(scene.world.teamId, 'Purged in steps');
  const make = new Maker(scene.client, `/projects/${id}`);
  const experiment = await make.ready();
  await fill(id);
  await addEvents(id, experiment.id);
  expect((await scene.client.delete(`/projects/${id}`)).status).toBe(204);
  const deleted = watch(NAMES, id);
  const trash = scene.api.app.get(TrashService, { strict: false });
  expect(await trash.purge({ type: 'project', id }, 'admin')).toBeNull();
  jest.restoreAllMocks();
  const most = NAMES.map((table) => [table, Math.max(...deleted[table]) <= stepOf(table)]);
  expect(most).toEqual(NAMES.map((table) => [table, true]));
  for (const table of NAMES) {
    expect([table, await rowsIn(scene.api.database.read, table, id)]).toEqual([table, 0]);
  }
  const left: unknown[] = await scene.api.database.read.query(
    `SELECT id FROM projects WHERE id = ? UNION ALL SELECT id FROM experiments WHERE id = ?
      UNION ALL SELECT id FROM webhooks WHERE project_id = ?`,
    [id, experiment.id, id],
  );
  expect(left).toEqual([]);
});

describe('the events of visitors with many events', () => {
  let id: number;
  let experiment: Made;
  let deleted: number[];

  beforeEach(async () => {
    id = await scene.api.project(scene.world.teamId, 'Many events');
    experiment = await new Maker(scene.client, `/projects/${id}`).ready();
    await addEvents(id, experiment.id);
    deleted = watch(['events'], id).events;
  });
  afterEach(() => expect(deleted.filter((count) => count > 0)).toEqual([ROWS, ROWS]));

  it('are deleted in short transactions when their experiment is purged', async () => {
    expect((await scene.client.delete(experiment.path)).status).toBe(204);
    const trash = scene.api.app.get(TrashService, { strict: false });
    expect(await trash.purge({ type: 'experiment', id: experiment.id }, 'admin')).toBeNull();
  });

  it('are removed in short transactions when they are old', async () => {
    const settings = { event_retention_days: 1 };
    expect((await scene.client.patch(`/projects/${id}/settings`, settings)).status).toBe(200);
    const retention = scene.api.app.get(RetentionService, { strict: false });
    while (await retention.step()) {
      // All work happens in the condition.
    }
  });
});

it('expired ids of deleted visitors are deleted in short transactions', async () => {
  const id = await scene.api.project(scene.world.teamId, 'Expired ids');
  await addDeleted(id, 1);
  const deleted = watch(['deleted_visitors'], id);
  await scene.api.app.get(RetentionService, { strict: false }).forgetExpired();
  expect(Math.max(...deleted.deleted_visitors)).toBe(STEP);
  expect(deleted.deleted_visitors.reduce((sum, count) => sum + count, 0)).toBe(ROWS);
});

describe('a deleted webhook', () => {
  it('has its finished deliveries deleted in short transactions', async () => {
    const id = await scene.api.project(scene.world.teamId, 'Deleted webhook');
    const path = await addDeliveries(id, 'delivered');
    const deleted = watch(['webhook_deliveries'], id);
    expect((await scene.client.delete(path)).status).toBe(204);
    expect(Math.max(...deleted.webhook_deliveries)).toBe(STEP);
    expect(deleted.webhook_deliveries.reduce((sum, count) => sum + count, 0)).toBe(ROWS);
  });

  it('is deleted in one transaction with its pending deliveries, so a failed deletion loses no message', async () => {
    const id = await scene.api.project(scene.world.teamId, 'Pending deliveries');
    const path = await addDeliveries(id, 'pending');
    const deleted = watch(['webhook_deliveries'], id);
    expect((await scene.client.delete(path)).status).toBe(204);
    expect(deleted.webhook_deliveries.filter((count) => count > 0)).toEqual([ROWS]);
  });

  it('keeps its deliveries in a dry run', async () => {
    const id = await scene.api.project(scene.world.teamId, 'Dry run');
    const path = await addDeliveries(id, 'delivered');
    expect((await scene.client.delete(`${path}?dry_run=1`)).status).toBe(204);
    expect(await rowsIn(scene.api.database.read, 'webhook_deliveries', id)).toBe(ROWS);
  });
});
