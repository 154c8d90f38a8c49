import { setTimeout as sleep } from 'node:timers/promises';
import { Database } from '../../src/database/database';
import { entities } from '../../src/entities';
import { testConfig } from '../support/api';
import { RawHttp } from '../support/raw-http';
import { type Made, useScene } from '../support/scene';
import { ServerProcess } from '../support/server-process';
import { until } from '../support/waiting';
import { LOOPBACK, subscribe, useReceiver } from '../support/webhooks';

/* Connections during a graceful shutdown. */

/** A definition with this much code is larger than the socket buffers of the operating system. */
const LARGE = { experiments: 40, variations: 4, css: `/*${'x'.repeat(60_000)}*/` };

const scene = useScene(LOOPBACK);
const receiver = useReceiver();
let server: ServerProcess;

async function start(environment: Record<string, string> = {}): Promise<void> {
  const variables = { DATABASE_URL: scene.api.databaseUrl, REQUEST_TIMEOUT_SECONDS: '600' };
  server = await (await ServerProcess.spawn({ ...variables, ...environment })).ready();
}
afterEach(async () => {
  server.kill('SIGKILL');
  await server.exit;
});

const post = (path: string, length: number): string[] => [
  `POST /api${path} HTTP/1.1`,
  'Host: localhost',
  `Authorization: Bearer ${scene.world.people.admin.token}`,
  'Content-Type: application/json',
  `Content-Length: ${length}`,
  '',
];
const LIVE = ['GET /health/live HTTP/1.1', 'Host: localhost', '', ''];

/** A connection with a stalled upload. */
async function stalledUpload(): Promise<RawHttp> {
  const raw = await RawHttp.open(server.address);
  raw.send(...post(`${scene.project}/pages`, 1_000), '{"name": "');
  return raw;
}

const stopping = (): Promise<void> => until(() => server.stdout.includes('Gosset stops'), 'the shutdown');

it('readiness fails first, while requests are still served and connections close after their responses', async () => {
  await start({ SHUTDOWN_GRACE_SECONDS: '3' });
  const kept = await RawHttp.open(server.address);
  kept.send(...LIVE);
  await kept.until('"ok"');
  server.kill('SIGTERM');
  await stopping();
  const ready = await fetch(`${server.address}/health/ready`);
  expect([ready.status, (await ready.json()).details]).toEqual([
    503,
    { server: { status: 'down', reason: 'The server is stopping.' } },
  ]);
  kept.send(...LIVE);
  await kept.closed;
  expect(kept.statuses).toEqual([200, 200]);
  expect(kept.received.match(/connection: close/gi)).toHaveLength(1);
  expect(await server.exit).toBe(0);
});

it('a server that has nothing to do closes the database before it exits', async () => {
  await start();
  server.kill('SIGTERM');
  expect(await server.exit).toBe(0);
  expect(server.stdout).toContain('Gosset stopped');
});

it('a running request on a keep-alive connection is completed, even though the terminal and npm both send the signal', async () => {
  await start();
  const database = await Database.open(
    testConfig({ DATABASE_URL: scene.api.databaseUrl }).database,
    entities,
  );
  const busy = await RawHttp.open(server.address);
  busy.send(...LIVE);
  await busy.until('"ok"');
  const body = '{"name": "Late"}';
  await database.transaction(async (tx) => {
    await tx.query('UPDATE project_versions SET version = version + 1');
    busy.send(...post(`${scene.project}/pages`, body.length), body);
    await sleep(300);
    server.kill('SIGINT');
    await stopping();
    server.kill('SIGINT');
    await sleep(300);
  });
  await busy.closed;
  expect(busy.statuses).toEqual([200, 201]);
  expect(busy.received).toMatch(/HTTP\/1\.1 201 [^]*connection: close/i);
  expect(await server.exit).toBe(0);
  const pages: unknown[] = await database.read.query("SELECT id FROM pages WHERE name = 'Late'");
  expect(pages).toHaveLength(1);
  await database.onApplicationShutdown();
});

it('a stalled upload and an idle connection do not delay the exit', async () => {
  await start();
  const silent = await RawHttp.open(server.address);
  const upload = await stalledUpload();
  await sleep(300);
  server.kill('SIGTERM');
  await silent.closed;
  expect(await server.exit).toBe(0);
  await upload.closed;
  expect([silent.statuses, upload.statuses]).toEqual([[], []]);
});

it('a second signal ends the process immediately', async () => {
  await start({ SHUTDOWN_GRACE_SECONDS: '300' });
  await stalledUpload();
  server.kill('SIGTERM');
  await stopping();
  await sleep(1_000);
  server.kill('SIGTERM');
  expect(await server.exit).toBe(143);
});

it('a response that the client is still reading is sent completely', async () => {
  const variations = Array.from({ length: LARGE.variations }, (_, index) => ({
    name: `Variation ${index}`,
    css: LARGE.css,
  }));
  for (let count = 0; count < LARGE.experiments; count += 1) {
    await scene.make.experiment({ variations: [{ name: 'Original' }, ...variations] });
  }
  await start();
  const idle = await RawHttp.open(server.address);
  idle.send(...LIVE);
  await idle.until('"ok"');
  const slow = await RawHttp.open(server.address);
  slow.socket.once('data', () => slow.socket.pause());
  slow.send(
    `GET /api${scene.project}/definition HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${scene.world.people.admin.token}`,
    '',
    '',
  );
  await slow.until('HTTP/1.1 200');
  server.kill('SIGTERM');
  await stopping();
  await sleep(1_000);
  slow.socket.resume();
  await slow.closed;
  const [head, body] = slow.received.split('\r\n\r\n', 2);
  expect(body.length).toBe(Number(/content-length: (\d+)/i.exec(head)?.[1]));
  expect(await server.exit).toBe(0);
});

it('new connections are refused while a webhook receiver has not responded', async () => {
  let answer = (): void => undefined;
  receiver.it.answering = (response) => (answer = () => response.writeHead(204).end());
  const webhook = await subscribe(scene.make, ['experiment.started'], { url: receiver.it.url });
  await start(LOOPBACK);
  await scene.make.withStatus('running');
  await until(() => receiver.it.received.length > 0, 'the message');
  let isRunning = true;
  void server.exit.then(() => (isRunning = false));
  server.kill('SIGTERM');
  await until(
    () =>
      fetch(`${server.address}/health/live`).then(
        () => false,
        () => true,
      ),
    'refused connections',
  );
  await sleep(500);
  expect(isRunning).toBe(true);
  answer();
  expect(await server.exit).toBe(0);
  const [delivery] = (await scene.client.get(`${webhook.path}/deliveries`)).body as Made[];
  expect(delivery.status).toBe('delivered');
});
