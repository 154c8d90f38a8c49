import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestApi } from '../support/api';
import { BuiltClient } from '../support/built-client';
import type { Client } from '../support/client';
import { startLive } from '../support/live-server';
import { Maker } from '../support/scene';

/* The `gosset` command of the typed client, built and run against a server. */

let api: TestApi;
let client: BuiltClient;
let make: Maker;
let token: string;
let teamId: number;
let admin: Client;

beforeAll(async () => {
  api = await startLive();
  client = await BuiltClient.build();
  const world = await api.world();
  ({ teamId } = world);
  ({ token, client: admin } = world.people.admin);
  make = new Maker(admin, world.project);
  const js = "const button = document.querySelector('.buy');\nbutton.textContent = 'Buy';\n";
  await make.move(await make.ready({ name: 'Green', js }), 'running');
});
afterAll(async () => {
  client.remove();
  await api.close();
});

/** Longer than the command takes to start reading or writing. */
const SOON_MS = 1_500;

const file = (name: string): string => join(client.folder, name);

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** @param act uses the pipes of the command; by default its standard input is empty */
function gosset(
  line: string,
  environment: Record<string, string> = {},
  act = ({ stdin }: ChildProcessWithoutNullStreams): void => void stdin.end(),
): Promise<Ended> {
  const env = {
    PATH: process.env.PATH,
    GOSSET_URL: api.config.publicUrl,
    GOSSET_TOKEN: token,
    ...environment,
  };
  const args = [join(client.folder, 'dist/cli.js'), ...line.split(' ')];
  const child = spawn(process.execPath, args, { cwd: client.folder, env });
  const ended = { code: null, out: '', err: '' } as Ended;
  child.stdout.on('data', (data: Buffer) => (ended.out += data.toString()));
  child.stderr.on('data', (data: Buffer) => (ended.err += data.toString()));
  act(child);
  return new Promise((resolve) => child.on('close', (code) => resolve({ ...ended, code })));
}

const project = (): string => `--project ${make.project.split('/').at(-1)}`;

it('the command exports a stable and readable file in YAML and JSON, whose import changes nothing', async () => {
  expect(await gosset(`export ${project()} --file shop.yaml`)).toEqual({ code: 0, out: '', err: '' });
  const text = readFileSync(file('shop.yaml'), 'utf8');
  expect(text).toContain("    js: |\n      const button = document.querySelector('.buy');\n");
  expect((await gosset(`export ${project()}`)).out).toBe(text);
  await gosset(`export ${project()} --file shop.json`);
  for (const name of ['shop.yaml', 'shop.json']) {
    const plan = await gosset(`plan ${project()} --file ${name} --prune --status`);
    expect(plan).toEqual({ code: 0, out: expect.stringContaining('No changes.'), err: '' });
  }
});

it('the command waits for its input, and for the reader of its output', async () => {
  const id = await api.project(teamId, 'Pipes');
  const js = `// ${'x'.repeat(200_000)}`;
  for (const name of ['One', 'Two', 'Three']) {
    await admin.post(`/projects/${id}/experiments`, { name, js });
  }
  const exported = await gosset(`export --project ${id}`, {}, ({ stdout }) => {
    stdout.pause();
    setTimeout(() => stdout.resume(), SOON_MS);
  });
  expect([exported.code, exported.err, exported.out.split(js).length]).toEqual([0, '', 4]);
  const plan = await gosset(`plan --project ${id} --file -`, {}, ({ stdin }) => {
    setTimeout(() => stdin.end(exported.out), SOON_MS);
  });
  expect(plan).toEqual({ code: 0, out: expect.stringContaining('No changes.'), err: '' });
});

it.each([
  ['plan', 'Nothing was stored, and'],
  ['apply --yes', 'The changes were applied, but'],
])('%s reports what it did if its output cannot be written', async (command, what) => {
  const id = await api.project(teamId, 'Unread');
  const [name = '', ...options] = command.split(' ');
  const line = [name, ...options, `--project ${id}`, '--file -'].join(' ');
  const { code, err } = await gosset(line, {}, ({ stdin, stdout }) => {
    stdout.destroy();
    stdin.end('goals: [{ name: Sold, api_name: sold }]');
  });
  expect([code, err]).toEqual([1, `${what} the output cannot be written: write EPIPE\n`]);
  const { body } = await admin.get(`/projects/${id}/goals`);
  expect(body).toHaveLength(name === 'apply' ? 1 : 0);
});

it.each([' \n', '\t\n  '])(
  'the command exports the text %j so that importing it changes nothing',
  async (hypothesis) => {
    const id = await api.project(teamId, 'Texts');
    const texts = new Maker(admin, `/projects/${id}`);
    expect((await texts.experiment({ hypothesis })).hypothesis).toBe(hypothesis);
    await gosset(`export --project ${id} --file texts.yaml`);
    const plan = await gosset(`plan --project ${id} --file texts.yaml`);
    expect(plan).toEqual({ code: 0, out: expect.stringContaining('No changes.'), err: '' });
  },
);

it('the command exits with code 2 if the plan has changes, and applies them only with --yes', async () => {
  await gosset(`export ${project()} --file shop.yaml`);
  const text = readFileSync(file('shop.yaml'), 'utf8');
  writeFileSync(file('new.yaml'), text.replace('traffic_allocation: 100', 'traffic_allocation: 40'));
  const plan = await gosset(`plan ${project()} --file new.yaml`);
  expect([plan.code, plan.err]).toEqual([2, '']);
  expect(plan.out).toContain(
    '~ experiment green: update   LIVE: 0 participants\n    traffic_allocation: 100 -> 40\n',
  );
  const json = JSON.parse((await gosset(`plan ${project()} --file new.yaml --json`)).out) as { etag: string };
  expect(json).toMatchObject({ applied: false, changes: [{ live: true, participants: 0, skipped: null }] });
  expect((await gosset(`apply ${project()} --file new.yaml`)).code).toBe(2);

  await make.goal({ name: 'In between' });
  const late = await gosset(`apply ${project()} --file new.yaml --yes --if-match ${json.etag}`);
  expect(late).toEqual({ code: 1, out: '', err: 'The definition has changed since the plan. Plan again.\n' });
  const applied = await gosset(`apply ${project()} --file new.yaml --yes`);
  expect(applied).toMatchObject({ code: 0, out: expect.stringContaining('Applied.'), err: '' });
  const pruned = await gosset(`plan ${project()} --file new.yaml`);
  expect([pruned.code, pruned.out]).toEqual([
    0,
    expect.stringContaining('in-between: delete   (needs --prune)'),
  ]);
});

it('the command reports errors with their paths, with exit code 1', async () => {
  const wrong =
    'experiments:\n  - api_name: a\n    name: A\n    variations:\n      - {api_name: b, name: ""}\n';
  writeFileSync(file('wrong.yaml'), wrong);
  const answer = await gosset(`plan ${project()} --file wrong.yaml`);
  expect([answer.code, answer.out]).toEqual([1, '']);
  expect(answer.err).toContain('  experiments[0].variations[0].name: ');
  writeFileSync(file('cycle.yaml'), 'goals: &a\n  - *a\n');
  expect((await gosset(`plan ${project()} --file cycle.yaml`)).code).toBe(1);
  writeFileSync(file('comma.json'), '{"version": 1,}');
  const unreachable = { GOSSET_URL: 'http://127.0.0.1:1' };
  for (const [line, text, environment] of [
    [`plan ${project()}`, '--file', {}],
    [`plan ${project()} --file none.yaml`, 'Cannot read none.yaml: ', {}],
    [`plan ${project()} --file comma.json`, 'Cannot read comma.json: ', {}],
    [`export ${project()} --file none/x.yaml`, 'Cannot write none/x.yaml: ', {}],
    ['frobnicate', 'Usage: gosset', {}],
    ['export', '--project', {}],
    [`export ${project()}`, 'GOSSET_TOKEN', { GOSSET_TOKEN: '' }],
    [`export ${project()}`, 'Unauthenticated', { GOSSET_TOKEN: 'gos_wrong' }],
    [`export ${project()}`, 'No server responds at http://127.0.0.1:1. ', unreachable],
    [`export ${project()}`, 'GOSSET_URL must begin with http', { GOSSET_URL: 'localhost:3000' }],
    ['export --project 999999', '404 Not Found: check the project id', {}],
  ] as const) {
    expect(await gosset(line, environment)).toEqual({ code: 1, out: '', err: expect.stringContaining(text) });
  }
});

it.each<[what: string, answer: RequestListener, text: string]>([
  ['responds with 502', (_, response) => response.writeHead(502).end('Bad gateway'), '502'],
  [
    'removes the ETag',
    (_, response) => response.setHeader('content-type', 'application/json').end('{}'),
    'no ETag',
  ],
])(
  'the command changes nothing if a proxy %s instead of returning the definition',
  async (_, answer, text) => {
    const methods: (string | undefined)[] = [];
    const proxy = createServer((request, response) => {
      methods.push(request.method);
      answer(request, response);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    writeFileSync(file('goal.yaml'), 'goals:\n  - {api_name: behind-proxy, name: Order}\n');
    const { port } = proxy.address() as AddressInfo;
    const environment = { GOSSET_URL: `http://127.0.0.1:${port}` };
    const ended = await gosset(`apply ${project()} --file goal.yaml --yes`, environment);
    proxy.close();
    expect(ended).toEqual({ code: 1, out: '', err: expect.stringContaining(text) });
    expect(methods).not.toContain('PUT');
  },
);

it.each<[what: string, lose: (response: ServerResponse) => void]>([
  ['responds with 502', (response) => void response.writeHead(502).end()],
  ['responds with 503', (response) => void response.writeHead(503).end()],
  ['closes the connection', (response) => void response.destroy()],
])('the command says that the outcome is unknown if a proxy %s after the change', async (_, lose) => {
  const proxy = createServer((request, response) => void forward(request, response));
  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
    const body = request.method === 'PUT' ? await text(request) : undefined;
    const answer = await fetch(`${api.config.publicUrl}${request.url ?? ''}`, {
      method: request.method,
      headers: headers.filter(([name = '']) => !['connection', 'content-length', 'host'].includes(name)) as [
        string,
        string,
      ][],
      body,
    });
    if (request.method === 'PUT' && request.url?.includes('dry_run=0')) {
      lose(response);
      return;
    }
    response.writeHead(answer.status, {
      etag: answer.headers.get('etag') ?? '',
      'content-type': 'application/json',
    });
    response.end(await answer.text());
  }
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const { port } = proxy.address() as AddressInfo;
  const own = await make.goal({ name: `Goal ${port}` });
  await gosset(`export ${project()} --file lost.yaml`);
  const changed = readFileSync(file('lost.yaml'), 'utf8').replace(
    `name: Goal ${port}`,
    `name: Renamed ${port}`,
  );
  writeFileSync(file('lost.yaml'), changed);
  const through = { GOSSET_URL: `http://127.0.0.1:${port}` };
  const { code, err } = await gosset(`apply ${project()} --file lost.yaml --yes`, through);
  proxy.close();
  expect([code, err]).toEqual([
    1,
    expect.stringContaining('It is unknown whether the changes were applied. Plan again.'),
  ]);
  expect((await admin.get(own.path)).body).toMatchObject({ name: `Renamed ${port}` });
});
