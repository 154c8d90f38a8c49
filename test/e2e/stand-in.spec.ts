import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StandIn } from '../../src/platform/stand-in';
import { RevisionCache } from '../../src/publishing/revision-cache';
import { testConfig } from '../support/api';
import { countryFile } from '../support/country-file';
import { newSite, running, Site } from '../support/delivery';
import { RawHttp } from '../support/raw-http';
import { useScene } from '../support/scene';
import { freePort } from '../support/server-process';

/* Delivery from the copies on disk, by a server that is waiting for its database at startup. */

const folder = mkdtempSync(join(tmpdir(), 'gosset-stand-in-'));
const GEOIP_DATABASE = join(folder, 'countries.mmdb');
writeFileSync(GEOIP_DATABASE, countryFile({ '192.0.2.0/24': 'CH' }));
afterAll(() => rmSync(folder, { recursive: true }));

const scene = useScene();
let site: Site;
let address: string;
let standIn: StandIn | null = null;

beforeAll(async () => {
  site = await newSite(scene);
  await running(site);
  await scene.api.app.inject({ url: `/s/${site.key}.js` });
  // Waits until the copy is stored.
  await scene.api.app.get(RevisionCache, { strict: false }).onApplicationShutdown();
});
afterEach(async () => {
  await standIn?.close();
  standIn = null;
});

async function start(environment: Record<string, string> = {}): Promise<void> {
  const [port, { cacheDir }] = [await freePort(), scene.api.config];
  address = `http://127.0.0.1:${port}`;
  const places = { DATABASE_URL: scene.api.databaseUrl, CACHE_DIR: cacheDir, HOST: '127.0.0.1' };
  const config = testConfig({ ...places, PORT: String(port), TRUST_PROXY: '127.0.0.1', ...environment });
  standIn = await StandIn.start(config, new Error('connect ECONNREFUSED'));
}

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${address}${path}`, { headers });

it.each(['192.0.2.7', '192.0.2.7:4711'])('finds the country of %s in GEOIP_DATABASE', async (client) => {
  await start({ GEOIP_DATABASE });
  const answer = await get(`/v1/visitor?client_key=${site.key}`, { 'x-forwarded-for': client });
  expect([answer.status, await answer.json()]).toEqual([200, { country: 'CH' }]);
});

it('does not start with a GEOIP_DATABASE that cannot be used', async () => {
  const missing = join(folder, 'missing.mmdb');
  await expect(start({ GEOIP_DATABASE: missing })).rejects.toThrow(
    `GEOIP_DATABASE ${missing} cannot be used`,
  );
});

describe('streams', () => {
  const streamAndPayload = async (): Promise<unknown[]> => {
    const [stream, payload] = [await get(`/sub/${site.key}`), await get(`/api/features/${site.key}`)];
    const { message } = (await stream.json()) as { message: string };
    return [stream.status, message, payload.status, payload.headers.get('x-sse-support')];
  };

  it('are announced in payloads, and rejected until the server has started', async () => {
    await start();
    expect(await streamAndPayload()).toEqual([503, 'The server is starting.', 200, 'enabled']);
    expect((await get(`/sub/${site.key}`)).headers.get('retry-after')).toBe('30');
  });

  it('are not announced if they are disabled', async () => {
    await start({ MAX_STREAMS: '0' });
    const reason = 'Streaming is disabled on this server: MAX_STREAMS is 0.';
    expect(await streamAndPayload()).toEqual([503, reason, 200, null]);
  });
});

it.each(['s/KEY.js', 'api/features/KEY'])('responds to conditional requests of %s with 304', async (path) => {
  await start();
  const url = `/${path.replace('KEY', site.key)}`;
  const etag = (await get(url)).headers.get('etag') ?? '';
  expect(etag).toMatch(/^"/);
  const [known, other] = [
    await get(url, { 'if-none-match': etag }),
    await get(url, { 'if-none-match': '"other"' }),
  ];
  expect([known.status, await known.text(), known.headers.get('etag')]).toEqual([304, '', etag]);
  expect(other.status).toBe(200);
});

it('keeps the limit MAX_CONNECTIONS', async () => {
  await start({ MAX_CONNECTIONS: '2' });
  const open = [await RawHttp.open(address), await RawHttp.open(address)];
  for (const raw of open) {
    raw.send('GET /health/live HTTP/1.1', 'Host: localhost', '', '');
    await raw.until('"ok"');
  }
  const refused = await RawHttp.open(address);
  refused.send('GET /health/live HTTP/1.1', 'Host: localhost', '', '');
  await refused.closed;
  expect(refused.statuses).toEqual([]);
  await Promise.all(open.map(({ closed }) => closed));
  expect((await get('/health/live')).status).toBe(200);
});
