import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get as request } from 'node:http';
import { join } from 'node:path';
import { TestApi } from '../support/api';
import type { Answer } from '../support/client';
import { describeWithClickHouse, TestClickHouse } from '../support/clickhouse';
import { ROOT } from '../support/documents';
import { message } from '../support/events';
import { anotherProject, Made, useScene } from '../support/scene';
import { complaintsOf, Metric, metricsIn, valueOf } from '../support/prometheus';
import { eventually } from '../support/waiting';
import { signal } from '../support/signal';

/* Prometheus metrics. */

const scene = useScene();
const read = async (): Promise<string> => (await scene.api.app.inject({ url: '/metrics' })).payload;
const metrics = async (): Promise<Metric[]> => metricsIn(await read());

describe('the metrics', () => {
  it('have names, types and help texts that follow the rules of promtool', async () => {
    const all = await metrics();
    expect(all.flatMap(complaintsOf)).toEqual([]);
    expect(all.length).toBeGreaterThan(30);
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  });

  // Tests start servers with WORKER=off by default.
  it('omit the webhook requests that a process without a worker never sends', async () => {
    const names = (await metrics()).map(({ name }) => name);
    expect(names).toContain('gosset_webhook_deliveries');
    expect(names).not.toContain('gosset_webhook_tries_total');
  });

  it('are also accepted by the real promtool, if it is installed', async () => {
    const { status, stdout, stderr, error } = spawnSync('promtool', ['check', 'metrics'], {
      input: await read(),
      encoding: 'utf8',
    });
    expect(error === undefined ? [status, stdout + stderr] : [0, '']).toEqual([0, '']);
  });

  it.each([
    [
      '# HELP a_total x\n# TYPE a_total gauge\na_total 1',
      'non-counter metrics should not have "_total" suffix',
    ],
    ['# HELP a x\n# TYPE a counter\na 1', 'counter metrics should have "_total" suffix'],
    ['# HELP a_ms x\n# TYPE a_ms gauge\na_ms 1', 'metric names should not contain abbreviated units'],
    ['# HELP a \n# TYPE a gauge\na 1', 'no help text'],
    ['# HELP a x\n# TYPE a gauge\na{userId="1"} 1', "label names should be written in 'snake_case'"],
  ])('would be reported if they contained %p', (text, complaint) => {
    expect(metricsIn(text).flatMap(complaintsOf)).toEqual([expect.stringContaining(complaint)]);
  });
});

describe('requests', () => {
  const NAME = 'gosset_http_request_duration_seconds';
  const counted = async (labels: Record<string, string>): Promise<number> =>
    valueOf(await metrics(), `${NAME}_count`, labels);

  it('are measured by route, method and status', async () => {
    const { project } = await anotherProject(scene);
    const { client } = scene;
    const route = '/api/projects/:project/goals/:goal';
    const [{ body: first }, { body: second }] = [
      await client.post(`${project}/goals`, { name: 'A' }),
      await client.post(`${project}/goals`, { name: 'B' }),
    ];
    for (const id of [first.id, second.id, 2_147_483_647]) {
      await client.get(`${project}/goals/${id}`);
    }
    await client.patch(`${project}/goals/${first.id}`, { name: '' });
    expect([
      await counted({ route, method: 'GET', status: '200' }),
      await counted({ route, method: 'GET', status: '404' }),
      await counted({ route, method: 'PATCH', status: '422' }),
      await counted({ route: '/api/projects/:project/goals', method: 'POST', status: '201' }),
    ]).toEqual([2, 1, 1, 2]);
    const all = await metrics();
    const buckets = { route, method: 'GET', status: '200' };
    expect(valueOf(all, `${NAME}_bucket`, { ...buckets, le: '+Inf' })).toBe(2);
    expect(valueOf(all, `${NAME}_sum`, buckets)).toBeGreaterThan(0);
  });

  it('with arbitrary paths and methods do not create new time series', async () => {
    const series = async (): Promise<string[]> => {
      const found = (await metrics()).find(({ name }) => name === NAME)?.samples ?? [];
      return found.filter(({ name }) => name.endsWith('_count')).map(({ labels }) => JSON.stringify(labels));
    };
    const send = (method: 'GET' | 'PROPFIND', url: string) =>
      scene.api.app.inject({ method: method as 'GET', url });
    await send('GET', '/first');
    await send('PROPFIND', '/first');
    await send('GET', '/docs/swagger-ui.css');
    const before = await series();
    for (const url of [
      '/second',
      '/api/x',
      '/projects/1/x',
      '/docs/x.js',
      '/s/pk_1.js?a',
      '/s/pk_2.js?b',
      '/%zz',
    ]) {
      await send('GET', url);
      await send('PROPFIND', url);
    }
    const added = (await series()).filter((labels) => !before.includes(labels));
    expect(added).toEqual([
      JSON.stringify({ method: 'GET', route: '/s/:file', status: '404' }),
      JSON.stringify({ method: 'other', route: 'unmatched', status: '405' }),
    ]);
  });

  it('are reported with the number of open connections', async () => {
    const { app } = scene.api;
    await app.listen(0, '127.0.0.1');
    const address = await app.getUrl();
    const text = await new Promise<string>((resolve, reject) => {
      request(`${address}/metrics`, (answer) => {
        let body = '';
        answer.on('data', (chunk) => (body += String(chunk)));
        answer.on('end', () => resolve(body));
      }).on('error', reject);
    });
    expect(valueOf(metricsIn(text), 'gosset_http_connections')).toBeGreaterThanOrEqual(1);
  });
});

describe('delivery', () => {
  it('reports cache hits and misses', async () => {
    const { client_key: key } = (await scene.client.get((await anotherProject(scene)).project))
      .body as Record<string, string>;
    const ask = () => scene.api.app.inject({ url: `/s/${key}.js` });
    const look = async (): Promise<[hits: number, misses: number]> => {
      const all = await metrics();
      return [
        valueOf(all, 'gosset_delivery_cache_hits_total'),
        valueOf(all, 'gosset_delivery_cache_misses_total'),
      ];
    };
    const [hits, misses] = await look();
    await ask();
    const [, after] = await look();
    expect(after).toBe(misses + 1);
    const ASKED = 20;
    for (let time = 0; time < ASKED; time += 1) {
      await ask();
    }
    const [last, missed] = await look();
    expect(last - hits + (missed - after)).toBe(ASKED);
  });
});

describe('the database', () => {
  it('has no waiting requests while connections are free', async () => {
    const waiting = async (): Promise<number[]> => {
      const found = (await metrics()).find(({ name }) => name === 'gosset_database_waiting');
      return (found?.samples ?? []).map(({ value }) => value);
    };
    // The server also reads in the background.
    const isIdle = await eventually(async () => (await waiting()).every((value) => value === 0));
    expect([isIdle, await waiting()]).toEqual([true, expect.arrayContaining([0])]);
  });

  it('reports busy connections and waiting requests', async () => {
    const pool = scene.api.database.engine === 'sqlite' ? 'writer' : 'main';
    const busy = async (): Promise<number> =>
      valueOf(await metrics(), 'gosset_database_connections', { pool, state: 'busy' });
    const waiting = async (): Promise<number> =>
      valueOf(await metrics(), 'gosset_database_waiting', { pool });
    const { database } = scene.api;
    // SQLite has one write connection, other databases have ten connections for transactions.
    const room = database.engine === 'sqlite' ? 1 : 10;
    const release = signal();
    const begun: Promise<void>[] = [];
    const ended: Promise<void>[] = [];
    for (let number = 0; number < room + 2; number += 1) {
      begun.push(
        new Promise((begins) => {
          ended.push(
            database.transaction(async () => {
              begins();
              await release.given;
            }),
          );
        }),
      );
    }
    await Promise.all(begun.slice(0, room));
    // Reads in the background can use more connections for a moment.
    const isFull = await eventually(async () => (await busy()) === room && (await waiting()) >= 2);
    release.give();
    await Promise.all(ended);
    expect(isFull).toBe(true);
    // The server also reads in the background, so the pool becomes idle only after some time.
    const isIdle = async (): Promise<boolean> => (await busy()) + (await waiting()) === 0;
    expect(await eventually(isIdle)).toBe(true);
  });
});

describe('collection', () => {
  it('reports how many events wait to be stored', async () => {
    const make = await anotherProject(scene);
    const { client_key: writeKey } = (await scene.client.get(make.project)).body as Made;
    await make.goal({ name: 'Sale' });
    const queued = async (): Promise<number> => valueOf(await metrics(), 'gosset_events_queued');
    const batch = ['a', 'b', 'c'].map((anonymousId) => message(anonymousId, { event: 'sale' }));
    const post = (): Promise<Answer> => scene.api.as(null).post('//v1/batch', { writeKey, batch });
    expect([(await post()).status, await queued()]).toEqual([200, 0]);
    const release = signal();
    const { database } = scene.api;
    const transaction = database.transaction.bind(database);
    const holding = jest.spyOn(database, 'transaction').mockImplementation(async (work) => {
      await release.given;
      return transaction(work);
    });
    const sent: Promise<Answer>[] = [];
    const isWaiting = await eventually(async () => {
      sent.push(post());
      return (await queued()) > 0;
    });
    holding.mockRestore();
    release.give();
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect([isWaiting, new Set(statuses)]).toEqual([true, new Set([200])]);
    expect(await queued()).toBe(0);
  });
});

describe('the Grafana dashboard', () => {
  interface Dashboard {
    templating: { list: { name: string; query: unknown }[] };
    panels: { id: number; title: string; targets: { expr: string }[] }[];
  }
  const dashboard = JSON.parse(readFileSync(join(ROOT, 'docs/grafana-dashboard.json'), 'utf8')) as Dashboard;
  const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  /** Only servers with `EVENTS_URL` have this metric. */
  const IN_CLICKHOUSE = 'gosset_events_waiting';
  /** Only processes with a worker have this metric. */
  const OF_WORKER = 'gosset_webhook_tries_total';
  const namesIn = (text: string): string[] => text.match(/\b(?:gosset|nodejs|process)_\w+/g) ?? [];

  it('uses only existing metrics and labels, and every metric of Gosset', async () => {
    const all = await metrics();
    const known = new Set(
      all.flatMap(({ name, type }) =>
        type === 'histogram' ? ['_bucket', '_count', '_sum'].map((suffix) => name + suffix) : [name],
      ),
    );
    const used = [...new Set(namesIn(JSON.stringify(dashboard)))];
    expect(used.filter((name) => !known.has(name))).toEqual([IN_CLICKHOUSE, OF_WORKER]);
    const ours = all.map(({ name }) => name).filter((name) => name.startsWith('gosset_'));
    expect(ours.filter((name) => !used.some((each) => each.startsWith(name)))).toEqual([]);
    const labels = new Set(all.flatMap(({ samples }) => samples.flatMap((each) => Object.keys(each.labels))));
    // Prometheus adds `job` and `instance`. Counters with the label `reason` or `limit` have no
    // samples yet, and `outcome` is a label of `OF_WORKER`.
    const others = new Set(['job', 'instance', 'reason', 'limit', 'outcome']);
    const asked = expressions.flatMap((expr) => [
      ...[...expr.matchAll(/(\w+)(?:=~|!=|!~|=)"/g)].map(([, label = '']) => label),
      ...[...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', ')),
    ]);
    expect(asked.filter((label) => !labels.has(label) && !others.has(label))).toEqual([]);
  });

  describeWithClickHouse('with events in ClickHouse', () => {
    it('uses every metric of Gosset', async () => {
      const clickhouse = await TestClickHouse.start();
      const api = await TestApi.start({ EVENTS_URL: clickhouse.url });
      try {
        const { payload } = await api.app.inject({ url: '/metrics' });
        const ours = metricsIn(payload).map(({ name }) => name);
        expect(ours).toContain(IN_CLICKHOUSE);
        const used = namesIn(JSON.stringify(dashboard));
        const unused = ours.filter((name) => !used.some((each) => each.startsWith(name)));
        expect(unused.filter((name) => name.startsWith('gosset_'))).toEqual([]);
      } finally {
        await api.close();
        await clickhouse.remove();
      }
    });
  });

  it('has distinct panels, and defines all its variables', () => {
    const defined = dashboard.templating.list.map(({ name }) => name);
    const used = [...JSON.stringify(dashboard).matchAll(/\$\{?([a-z]\w*)/g)].map(([, name = '']) => name);
    expect(used.filter((name) => !defined.includes(name))).toEqual([]);
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  });
});
