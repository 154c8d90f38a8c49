import type { TestApi } from '../support/api';
import { newSite, running, Site } from '../support/delivery';
import { EventSourceClient } from '../support/event-source';
import { startLive } from '../support/live-server';
import { RawHttp } from '../support/raw-http';
import { ServerProcess } from '../support/server-process';
import { useScene } from '../support/scene';
import { listening } from '../support/web-server';
import { eventually } from '../support/waiting';

/* Limits on the number of streams, and the end of streams when the server stops. */

const MAX = 20;
const PER_PROJECT = 10;
const PER_ADDRESS = 2;

const scene = useScene({ MAX_STREAMS: String(MAX), TRUST_PROXY: '127.0.0.1' });
let address: string;
let sites: Site[];
let open: EventSourceClient[] = [];

beforeAll(async () => {
  address = await listening(scene.api.app);
  sites = [await newSite(scene), await newSite(scene), await newSite(scene)];
});
afterEach(async () => {
  open.forEach((stream) => stream.close());
  open = [];
  await untilOpen(0);
});

/** @param client the number of the client, from which its address is derived */
async function streamOf(site: Site, client: number, server = address): Promise<EventSourceClient> {
  const stream = await EventSourceClient.open(`${server}/sub/${site.key}`, {
    'x-forwarded-for': `10.0.${client >> 8}.${client & 255}`,
  });
  open.push(stream);
  return stream;
}

async function figures(): Promise<Record<string, number>> {
  const { text } = await scene.api.as(null).get('//metrics');
  return Object.fromEntries(
    [...text.matchAll(/^gosset_streams_(\S+) (\d+)$/gm)].map(([, name, value]) => [name, Number(value)]),
  );
}

/** Waits until the server has `count` open streams. The server notices closed connections with a delay. */
async function untilOpen(count: number): Promise<void> {
  await eventually(async () => (await figures()).open === count);
  expect((await figures()).open).toBe(count);
}

const statusesOf = (streams: readonly EventSourceClient[]): number[] => streams.map(({ status }) => status);

/** The message of a response that is not a stream. */
async function refusalOf(stream: EventSourceClient): Promise<string> {
  await stream.ended;
  return (JSON.parse(stream.text) as { message: string }).message;
}

it('one address can use a tenth of the streams, and can open another after closing one', async () => {
  const streams: EventSourceClient[] = [];
  for (let count = 0; count < PER_ADDRESS + 1; count += 1) {
    streams.push(await streamOf(sites[count], 1));
  }
  expect(statusesOf(streams)).toEqual([200, 200, 503]);
  expect(streams[2].response.headers['retry-after']).toBe('30');
  expect(await refusalOf(streams[2])).toBe(
    'All 2 streams that one address may have are in use (a tenth of MAX_STREAMS).',
  );
  expect((await streamOf(sites[0], 2)).status).toBe(200);
  streams[0].close();
  await untilOpen(2);
  expect((await streamOf(sites[0], 1)).status).toBe(200);
});

it('the lifetime of a stream is not counted as a request duration', async () => {
  (await streamOf(sites[0], 1)).close();
  await untilOpen(0);
  const { text } = await scene.api.as(null).get('//metrics');
  expect(text).toContain('route="/metrics",status="200"');
  expect(text).not.toMatch(/route="\/sub\/:clientKey",status="200"/);
});

it('one project can use half of the streams, and other projects can use the rest', async () => {
  const own: EventSourceClient[] = [];
  for (let client = 0; client < PER_PROJECT + 1; client += 1) {
    own.push(await streamOf(sites[0], client));
  }
  expect(statusesOf(own)).toEqual([...Array<number>(PER_PROJECT).fill(200), 503]);
  expect(await refusalOf(own[PER_PROJECT])).toBe(
    'All 10 streams that one project may have are in use (half of MAX_STREAMS).',
  );
  expect((await streamOf(sites[1], 1)).status).toBe(200);
});

it('hundreds of attempts to open streams do not affect the server', async () => {
  const before = await figures();
  const attempts = await Promise.all(
    Array.from({ length: 400 }, (_, client) => streamOf(sites[client % sites.length], client)),
  );
  const opened = attempts.filter(({ status }) => status === 200);
  expect(opened).toHaveLength(MAX);
  expect(new Set(statusesOf(attempts))).toEqual(new Set([200, 503]));
  await untilOpen(MAX);
  expect(await refusalOf(await streamOf(sites[0], 500))).toBe(
    'All 20 streams of this server are in use (MAX_STREAMS).',
  );
  const { open: _, ...refused } = await figures();
  const sum = (counts: Record<string, number>): number =>
    Object.entries(counts).reduce((total, [name, count]) => total + (name === 'open' ? 0 : count), 0);
  expect(sum(refused) - sum(before)).toBe(401 - MAX);
  const payload = await scene.api.as(null).get(`//api/features/${sites[0].key}`);
  expect([payload.status, (await scene.client.get('/teams')).status]).toEqual([200, 200]);
});

it('streams that clients abort immediately do not stay open', async () => {
  for (let round = 0; round < 10; round += 1) {
    const left = await Promise.all(
      Array.from({ length: MAX }, async (_, client) => {
        const raw = await RawHttp.open(address);
        raw.send(
          `GET /sub/${sites[client % 3].key} HTTP/1.1`,
          'Host: localhost',
          `X-Forwarded-For: 10.1.0.${client}`,
          '',
          '',
        );
        return raw;
      }),
    );
    left.forEach((raw) => raw.close());
  }
  // Closed connections count towards the limits until the server notices that they are closed.
  expect(await eventually(async () => (await streamOf(sites[0], 1)).status === 200)).toBe(true);
  await untilOpen(1);
});

it('heartbeats keep an idle connection open', async () => {
  // The server closes connections that have been idle for four heartbeats.
  const impatient = await scene.api.sibling({ REQUEST_TIMEOUT_SECONDS: '2' });
  try {
    const stream = await streamOf(sites[2], 1, await listening(impatient.app));
    await stream.until(() => stream.text.split('\n:\n').length > 6);
    await running(sites[2]);
    await stream.until(() => stream.events.length > 1);
    expect(stream.events).toHaveLength(2);
  } finally {
    await impatient.close();
  }
});

it('publications of another process are also sent', async () => {
  const sibling = await scene.api.sibling({ MAX_STREAMS: String(MAX) });
  try {
    const there = await listening(sibling.app);
    const stream = await streamOf(sites[1], 1, there);
    await stream.until(() => stream.events.length > 0);
    await running(sites[1], 2, { api_name: 'elsewhere' });
    await stream.until(() => stream.events.length > 1);
    expect(stream.events.at(-1)?.data).toContain('"elsewhere"');
  } finally {
    await sibling.close();
  }
});

it('streams end when their server stops, without delaying the shutdown', async () => {
  const server = await (await ServerProcess.spawn({ DATABASE_URL: scene.api.databaseUrl })).ready();
  const stream = await streamOf(sites[0], 1, server.address);
  await stream.until(() => stream.events.length > 0);
  server.kill('SIGTERM');
  await stream.ended;
  expect(await server.exit).toBe(0);
  expect(stream.response.complete).toBe(true);
});

describe('with MAX_STREAMS=0', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startLive({ MAX_STREAMS: '0' });
  });
  afterAll(() => api.close());

  it('streams are neither announced to SDKs nor available', async () => {
    const projectId = await api.project(await api.team());
    const [{ client_key: key }]: { client_key: string }[] = await api.database.read.query(
      'SELECT client_key FROM projects WHERE id = ?',
      [projectId],
    );
    const { headers } = await fetch(`${api.config.publicUrl}/api/features/${key}`);
    expect(headers.get('x-sse-support')).toBeNull();
    const stream = await EventSourceClient.open(`${api.config.publicUrl}/sub/${key}`);
    expect([stream.status, await refusalOf(stream)]).toEqual([
      503,
      'Streaming is disabled on this server: MAX_STREAMS is 0.',
    ]);
  });
});
