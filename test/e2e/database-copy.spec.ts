import { join } from 'node:path';
import { AdminCommand } from '../support/admin';
import { TestApi } from '../support/api';
import { copyTargets } from '../support/database-copies';
import { demoExperiment, seedDemo } from '../support/demo';
import { blocksOf, readDocument } from '../support/documents';
import type { TestDatabase } from '../support/engine';
import { attributeAll, conversion, exposure } from '../support/events';
import type { Made, Scene } from '../support/scene';
import { Maker } from '../support/scene';
import { ServerProcess } from '../support/server-process';
import { createMigratedDatabase } from '../support/template';
import { signedIn, withPassword } from '../support/visitor';
import { rowsFor, stepFor } from '../support/walk';

/*
 * Copies a database with the demo and every type of record to the other engine and back (on SQLite to another file).
 * Servers on the copies must give the same responses as a server on the source, byte by byte.
 */

interface Filled {
  token: string;
  cookie: string;
  /**
   * Paths whose responses are compared: `api` with a token, `pages` with a session cookie, `open` without credentials.
   */
  api: string[];
  pages: string[];
  open: string[];
  experiment: Made;
  project: string;
  clientKey: string;
}

const CLOCK = {
  NODE_OPTIONS: `--require ${join(__dirname, '../support/stopped-clock.cjs')}`,
  CLOCK_STOPPED_AT: String(Date.now() + 600_000),
};

const ENVIRONMENT = {
  PUBLIC_URL: 'https://ab.example.com',
  WORKER: 'off',
  RATE_LIMIT_PER_MINUTE: '0',
  LOG_LEVEL: 'error',
  DEMO_PUBLIC: 'allow',
};

async function fill(api: TestApi): Promise<Filled> {
  const world = await api.world();
  const { client } = world.people.admin;
  const scene: Scene = {
    api,
    world,
    client,
    project: world.project,
    make: new Maker(client, world.project),
    other: {} as Scene['other'],
  };
  const steps = [];
  for (const [, row] of rowsFor((method) => method === 'GET')) {
    steps.push(await stepFor(scene, row));
  }
  const demo = await seedDemo(api);
  await attributeAll(api);
  const experiment = await demoExperiment(demo, 'Green buy button');
  const { id: teamId } = (await demo.client.get('/teams')).body[0] as Made;
  await api.join(teamId, world.people.admin, 'admin');
  const { visitor } = await signedIn(api, await withPassword(api, world.people.admin));
  const ofExperiment = ['', '/results', '/results/info', '/results?from=2020-01-01', '/variations'];
  const { share_url: share } = (await client.get(`${experiment.path}/results/info`)).body as Made;
  return {
    token: world.people.admin.token,
    cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    api: [
      ...steps.map(({ path }) => `/api${path}`),
      ...ofExperiment.map((rest) => `/api${experiment.path}${rest}`),
      `/api${demo.project}/audit`,
      `/api${demo.project}/publications`,
    ],
    pages: ['/', demo.project, experiment.path, `${demo.project}/definitions`, '/settings/sessions'],
    open: [`/s/${demo.clientKey}.js`, `/api/features/${demo.clientKey}`, new URL(String(share)).pathname],
    experiment,
    project: demo.project,
    clientKey: demo.clientKey,
  };
}

type Shown = [status: number, etag: string | null, text: string];

/** The responses of a server, without random or time-dependent parts. */
async function answers({ address }: ServerProcess, filled: Filled): Promise<Record<string, Shown>> {
  const found: Record<string, Shown> = {};
  const ask = async (path: string, headers: Record<string, string>): Promise<void> => {
    const answer = await fetch(address + path, { headers, redirect: 'manual' });
    found[path] = [answer.status, answer.headers.get('etag'), lasting(await answer.text())];
  };
  for (const path of filled.api) {
    await ask(path, { authorization: `Bearer ${filled.token}` });
  }
  for (const path of filled.pages) {
    await ask(path, { cookie: filled.cookie, accept: 'text/html' });
  }
  for (const path of filled.open) {
    await ask(path, {});
  }
  return found;
}

/**
 * Parts that differ between responses: random secrets in pages, and times, because the fake clock has only millisecond
 * precision.
 */
const OF_THE_MOMENT = [
  /nonce="[^"]+"/g,
  /name="(form_token|idempotency_key)" value="[^"]+"/g,
  /"(since|generated_at)":"[^"]+"/g,
  /"days(Running|Left)":[\d.]+/g,
];

const lasting = (text: string): string =>
  OF_THE_MOMENT.reduce((rest, pattern) => rest.replace(pattern, ''), text);

/** The report of a copy, without the parts that depend on the data and the addresses. */
const DATA_AND_ADDRESSES = [
  /(?<=^Copied )[\d,]+/,
  /(?<= tables from ).+ to .+(?=\.$)/m,
  /(?<=^Result cells: ).+/m,
];

const reportForm = (text: string): string =>
  DATA_AND_ADDRESSES.reduce((rest, pattern) => rest.replace(pattern, '...'), text.trim());

describe('a copied database', () => {
  const stores: TestDatabase[] = [];
  const servers: ServerProcess[] = [];
  const reports: string[] = [];
  const admin = new AdminCommand('');
  let filled: Filled;
  /** The id of a deleted goal, which was the highest goal id in the source. */
  let deletedGoal: number;

  beforeAll(async () => {
    const source = await createMigratedDatabase();
    stores.push(source, ...(await copyTargets()));
    const api = await TestApi.start(ENVIRONMENT, undefined, async () => ({
      ...source,
      remove: () => Promise.resolve(),
    }));
    filled = await fill(api);
    const client = api.as(filled.token);
    deletedGoal = (await client.post(`${filled.project}/goals`, { name: 'Deleted' })).body.id as number;
    await client.delete(`${filled.project}/goals/${deletedGoal}`);
    await api.close();
    for (const [index, { url }] of stores.slice(1).entries()) {
      const { code, stdout, stderr } = await admin.run(['db:copy', '--from', stores[index].url, '--to', url]);
      expect([code, stderr]).toEqual([0, expect.stringMatching(/^From: .*\nTo: .*\n$/)]);
      reports.push(stdout);
    }
    for (const { url } of stores) {
      servers.push(
        await (await ServerProcess.spawn({ ...ENVIRONMENT, ...CLOCK, DATABASE_URL: url })).ready(),
      );
    }
  }, 300_000);

  afterAll(async () => {
    servers.forEach((server) => server.kill('SIGKILL'));
    admin.remove();
    await Promise.all(stores.map((store) => store.remove()));
  });

  it('is reported as docs/production.md shows', () => {
    const shown = blocksOf(readDocument('docs/production.md')).find(({ text }) => text.startsWith('Copied '));
    expect(reports.length).toBeGreaterThan(0);
    expect(reports.map(reportForm)).toEqual(reports.map(() => reportForm(shown?.text ?? '')));
  });

  it('gives the same responses as the source: JSON, pages, scripts and payloads', async () => {
    const [source, ...copies] = servers;
    const expected = await answers(source, filled);
    expect(Object.keys(expected).length).toBeGreaterThan(40);
    for (const copy of copies) {
      expect(await answers(copy, filled)).toEqual(expected);
    }
  });

  it('is compared only by successful responses, except for 404 responses where results are missing', async () => {
    const failures = Object.entries(await answers(servers[0], filled)).filter(
      ([, [status]]) => status !== 200,
    );
    const isWithoutResults = (path: string): boolean =>
      path.includes('/results') && !path.includes(filled.experiment.path);
    expect(failures.filter(([path, [status]]) => status !== 404 || !isWithoutResults(path))).toEqual([]);
  });

  it('accepts new records, with the ids that the source would have assigned, and new events', async () => {
    const { project, experiment, clientKey, token } = filled;
    const made: number[][] = [];
    for (const { address } of servers) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const post = (path: string, body: object): Promise<Response> =>
        fetch(address + path, { method: 'POST', headers, body: JSON.stringify(body) });
      const created = await post(`/api${project}/goals`, { name: 'After the copy' });
      const { id } = (await created.json()) as Made;
      const [original] = experiment.variations as Made[];
      const batch = [exposure('new', experiment.id, original.id), conversion('new', 'after-the-copy', 1)];
      const stored = await post('/v1/batch?strict=1', { writeKey: clientKey, batch });
      made.push([created.status, id, stored.status]);
    }
    expect(made).toEqual(made.map(() => [201, deletedGoal + 1, 200]));
  });
});
