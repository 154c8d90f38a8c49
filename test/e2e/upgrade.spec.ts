import { loadConfig } from '../../src/config/config';
import { Database } from '../../src/database/database';
import { addingDuplicates } from '../../src/database/dialect';
import { migrations } from '../../src/database/migrations';
import { SQL_MODE } from '../../src/database/mysql-server';
import { entities } from '../../src/entities';
import { TestApi } from '../support/api';
import type { Client } from '../support/client';
import { engine } from '../support/engine';
import { attributeAll, conversion, exposure, send, shownCells } from '../support/events';
import { createRelease, recorded } from '../support/release';
import type { Made } from '../support/scene';

/* A database of the previous release (test/fixtures/make-release.mjs), migrated to the current schema. */

const base = `/projects/${recorded.project}`;

/** The figures of results that do not depend on the current time. */
const COUNTED = ['participants', 'conversions', 'totalConversions', 'totalValue', 'valuePerParticipant'];

/** Fields that depend on the running server, not on the database. */
const OF_SERVER = ['snippet_version'];

/** A response without the parts that depend on the release or the time. */
function lasting(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(lasting);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if ('participants' in value) {
    return Object.fromEntries(COUNTED.map((name) => [name, (value as Record<string, unknown>)[name]]));
  }
  const kept = Object.entries(value).filter(([name]) => !OF_SERVER.includes(name));
  return Object.fromEntries(kept.map(([name, part]) => [name, lasting(part)]));
}

describe('a database of release 0.1.0', () => {
  let api: TestApi;
  let client: Client;

  beforeAll(async () => {
    api = await TestApi.start({ RATE_LIMIT_PER_MINUTE: '0' }, undefined, createRelease);
    client = api.as(recorded.token);
  });

  afterAll(() => api.close());

  it('has pending migrations before the upgrade, and none after it', async () => {
    const store = await createRelease();
    const { database: target } = loadConfig({ DATABASE_URL: store.url });
    const opened = await Database.open(target, entities);
    const before = engine === 'mysql' ? await opened.pendingMigrations() : [];
    const migrated = await opened.migrate();
    expect(migrated).toEqual(migrations.slice(-migrated.length).map((each) => new each().name));
    expect(engine === 'mysql' ? before : migrated).toEqual(migrated);
    expect(migrated.length).toBeGreaterThan(0);
    expect(await opened.pendingMigrations()).toEqual([]);
    await opened.onApplicationShutdown();
    await store.remove();
  });

  it.each(Object.keys(recorded.answers))('gives the same response as the release to %s', async (path) => {
    const answer = await client.get(
      path.startsWith('/api/features') ? `/${path}?experiments=1` : path.replace(/^\/api/, ''),
    );
    expect(answer.status).toBe(200);
    expect(lasting(answer.body)).toMatchObject(lasting(recorded.answers[path]) as object);
  });

  it('has one phase for its running experiment, and the same figures after a rebuild', async () => {
    const experiments = (await client.get(`${base}/experiments`)).body as Made[];
    const { id, variations } = experiments.find(({ status }) => status === 'running')!;
    const path = `${base}/experiments/${id}/results`;
    const before = (await client.get(`${path}/info`)).body as Made;
    expect(before.phases).toEqual([
      {
        number: 1,
        began_at: expect.any(String),
        ended_at: null,
        shares: Object.fromEntries(variations.map((each: Made) => [each.id, 100 / variations.length])),
        participants: before.participants,
      },
    ]);
    const figures = lasting((await client.get(path)).body);
    expect((await shownCells(api)).length).toBeGreaterThan(0);
    await attributeAll(api);
    expect((await client.get(`${path}/info`)).body).toMatchObject({
      recomputing: false,
      phases: before.phases,
    });
    expect(lasting((await client.get(path)).body)).toEqual(figures);
    await shownCells(api);
  });

  it('keeps the traffic allocation in the ranges of started experiments, and records whether it was below 100 %', async () => {
    const rows: Made[] = await api.database.read.query(
      `SELECT e.name, e.traffic_in_ranges AS in_ranges, x.has_partial_traffic AS was_partial
         FROM experiments e LEFT JOIN experiment_phases x ON x.experiment_id = e.id
        WHERE e.deleted_at IS NULL ORDER BY e.id`,
    );
    const flag = (value: unknown) => (value === null ? null : Boolean(value));
    expect(
      rows.map(({ name, in_ranges, was_partial }) => [name, flag(in_ranges), flag(was_partial)]),
    ).toEqual([
      ['Draft', false, null],
      ['Preview', false, null],
      ['Running', true, true],
      ['Paused', true, false],
      ['Archived', false, null],
    ]);
    const { features } = (await client.get(`//api/features/${recorded.clientKey}`)).body as Made;
    expect(Object.values(features as Record<string, Made>).map(({ rules }) => rules)).toMatchObject([
      [
        {
          ranges: [
            [0, 0.4],
            [0.5, 0.9],
          ],
        },
      ],
    ]);
  });

  it('serves the live script', async () => {
    const script = await api.as(null).get(`//s/${recorded.clientKey}.js`);
    const { snippet_revision: revision } = recorded.answers[`/api${base}`] as Made;
    expect([script.status, Number(script.headers['x-snippet-revision'])]).toEqual([200, revision]);
    expect(script.text).toContain('console.log(1)');
  });

  it('still has its deleted records', async () => {
    const [name]: { name: string }[] = await api.database.read.query(
      'SELECT name FROM experiments WHERE deleted_at IS NOT NULL',
    );
    expect(name).toEqual({ name: 'Deleted' });
  });

  it.each(
    engine === 'sqlite'
      ? [[null, 'does not match any PRIMARY KEY']]
      : [
          ['STRICT_TRANS_TABLES', "doesn't have a default value"],
          ['', 'ck_result_cells_phase'],
        ],
  )('rejects counts from processes of the old release, in SQL mode %j', async (mode, reason) => {
    const [{ experiment_id: id }]: { experiment_id: number }[] = await api.database.read.query(
      'SELECT experiment_id FROM experiment_results LIMIT 1',
    );
    const key = [
      'experiment_id',
      'generation',
      'goal_id',
      'variation_id',
      'device',
      'entry_day',
      'event_day',
    ];
    const additions = { integers: ['participants', 'converters', 'conversions'], exact: ['value'] };
    const columns = [...key, ...additions.integers, ...additions.exact, 'value_squared'];
    const insert = `INSERT INTO result_cells (${columns.join(', ')})
      VALUES (${columns.map(() => '?').join(', ')}) ${addingDuplicates(engine, { key, ...additions })}`;
    const counting = api.database.transaction(async (tx) => {
      await (mode === null ? null : tx.query('SET SESSION sql_mode = ?', [mode]));
      try {
        await tx.query(insert, [id, ...columns.slice(1).map(() => 1)]);
      } finally {
        await (mode === null ? null : tx.query(SQL_MODE));
      }
    });
    await expect(counting).rejects.toThrow(reason);
  });

  it('accepts new events, and adds them to the counts', async () => {
    const experiments = (await client.get(`${base}/experiments`)).body as Made[];
    const { id, variations } = experiments.find(({ status }) => status === 'running')!;
    const [original] = variations as Made[];
    const messages = [exposure('new', id, original.id), conversion('new', 'sale', 5)];
    expect((await send(api, recorded.clientKey, messages)).status).toBe(200);
    await attributeAll(api);
    const [sale] = (await client.get(`${base}/experiments/${id}/results`)).body as Made[];
    expect(sale.variationStatistics[original.id]).toMatchObject({
      participants: 7,
      conversions: 4,
      totalValue: 40.25,
    });
  });

  it('accepts changes of all records, and publishes them', async () => {
    for (const kind of ['goals', 'pages', 'audiences']) {
      const [item] = (await client.get(`${base}/${kind}`)).body as Made[];
      const changed = await client.patch(`${base}/${kind}/${item.id}`, { description: 'Changed' });
      expect([kind, changed.status, changed.body.description]).toEqual([kind, 200, 'Changed']);
    }
    const experiments = (await client.get(`${base}/experiments`)).body as Made[];
    const path = (name: string): string =>
      `${base}/experiments/${experiments.find((each) => each.name === name)!.id}`;
    expect((await client.patch(`${path('Paused')}/status`, { status: 'running' })).status).toBe(200);
    expect((await client.patch(path('Running'), { css: '.after{}' })).status).toBe(200);
    expect((await client.patch(`${path('Running')}/publish`)).status).toBe(200);
    expect((await api.as(null).get(`//s/${recorded.clientKey}.js`)).text).toContain('.after{}');
  });
});
