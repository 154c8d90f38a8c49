import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { limitConnections } from '../../src/common/http/connections';
import { TestApi } from '../support/api';
import { startLive } from '../support/live-server';
import { RawHttp } from '../support/raw-http';
import type { Made } from '../support/scene';
import { ServerProcess } from '../support/server-process';

/* Stalled clients do not affect other clients: events acknowledged in the meantime are stored once. */

const STALLED = 100;
const WRITES = 50;

let api: TestApi;
let server: ServerProcess | null = null;
beforeAll(async () => {
  api = await startLive({ REQUEST_TIMEOUT_SECONDS: '4' });
  limitConnections(api.app.getHttpServer(), STALLED + 20);
});
afterAll(async () => {
  server?.kill('SIGKILL');
  await api.close();
});

const STARTS = [
  [''],
  ['GET /health/li'],
  [
    'POST /v1/batch HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    'Content-Length: 900',
    '',
    '{',
  ],
];

it('stalled connections are closed, and concurrent writes are acknowledged and stored', async () => {
  const { people, project } = await api.world();
  const stalled: RawHttp[] = [];
  for (let index = 0; index < STALLED; index += 1) {
    const raw = await RawHttp.open(api.config.publicUrl);
    raw.send(...(STARTS[index % STARTS.length] ?? []));
    stalled.push(raw);
  }
  const acknowledged: number[] = [];
  for (let write = 0; write < WRITES; write += 1) {
    const answer = await fetch(`${api.config.publicUrl}/api${project}/goals`, {
      method: 'POST',
      headers: { authorization: `Bearer ${people.admin.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `Goal ${write}` }),
    });
    expect(answer.status).toBe(201);
    acknowledged.push(((await answer.json()) as Made).id);
  }
  await Promise.all(stalled.map(({ closed }) => closed));
  expect(new Set(stalled.flatMap(({ statuses }) => statuses))).toEqual(new Set([408]));
  const stored = (await people.admin.client.get(`${project}/goals`)).body as Made[];
  expect(stored.map(({ id }) => id)).toEqual(acknowledged);
});

it('a server without free file descriptors refuses connections, and serves again once it has some', async () => {
  server = await ServerProcess.spawn({
    DATABASE_URL: api.databaseUrl,
    MAX_EVENT_LOOP_DELAY_MS: '1000',
    REQUEST_TIMEOUT_SECONDS: '600',
  });
  await server.ready();
  const used = readdirSync(`/proc/${server.pid}/fd`).length;
  const limit = used + STALLED / 2;
  spawnSync('prlimit', ['--pid', String(server.pid), `--nofile=${limit}:${limit}`]);
  const stalled: RawHttp[] = [];
  for (let index = 0; index < STALLED; index += 1) {
    stalled.push(await RawHttp.open(server.address));
  }
  await Promise.race(stalled.map(({ closed }) => closed));
  // Timers run in the meantime.
  await sleep(3_000);
  stalled.forEach((raw) => raw.close());
  await server.ready();
  expect(server.stderr).toBe('');
  server.kill('SIGTERM');
  expect(await server.exit).toBe(0);
});
