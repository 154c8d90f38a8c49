import { setTimeout as sleep } from 'node:timers/promises';
import { limitConnections } from '../../src/common/http/connections';
import { TestApi } from '../support/api';
import { startLive } from '../support/live-server';
import { RawHttp } from '../support/raw-http';

/* Time limits and bounds of connections, with clients that send byte by byte. */

let api: TestApi;
let token: string;
let open: RawHttp[] = [];

beforeAll(async () => {
  api = await startLive({ REQUEST_TIMEOUT_SECONDS: '2' });
  token = (await api.person()).token;
});
afterAll(() => api.close());
afterEach(() => {
  open.forEach((connection) => connection.close());
  open = [];
});

async function connection(): Promise<RawHttp> {
  const raw = await RawHttp.open(api.config.publicUrl);
  open.push(raw);
  return raw;
}

const LIVE = ['GET /health/live HTTP/1.1', 'Host: localhost', '', ''];
const upload = (length: number): string[] => [
  'POST /api/projects/1/goals HTTP/1.1',
  'Host: localhost',
  `Authorization: Bearer ${token}`,
  'Content-Type: application/json',
  `Content-Length: ${length}`,
  '',
  '{"name": "',
];

describe('a request that does not arrive in time ends with its connection', () => {
  it.each<[string, (raw: RawHttp) => void]>([
    ['nothing is sent', () => undefined],
    ['the headers stop', (raw) => raw.send('GET /health/live HTTP/1.1', 'Host: local')],
    ['the body stops', (raw) => raw.send(...upload(1_000))],
    ['the second request stops', (raw) => raw.send(...LIVE.slice(0, -1), '', 'GET /health')],
  ])('when %s', async (_, send) => {
    const raw = await connection();
    send(raw);
    await raw.closed;
    expect(raw.statuses.at(-1)).toBe(408);
    expect(raw.received).toMatch(/\{"message":"Request Timeout","code":"REQUEST_TIMEOUT"\}$/);
  });

  it.each([
    ['headers', ['GET /health/live HTTP/1.1', 'X-A: ']],
    ['body', null],
  ])('when the %s drip', async (_, begin) => {
    const raw = await connection();
    raw.send(...(begin ?? upload(100_000)));
    const drip = setInterval(() => raw.socket.write('x'), 50);
    await raw.closed;
    clearInterval(drip);
    expect(raw.statuses).toEqual([408]);
  });

  it('also when the client never closes its side', async () => {
    const raw = await connection();
    raw.socket.pause();
    raw.send(...upload(1_000));
    const server = api.app.getHttpServer();
    let connections = 1;
    while (connections > 0) {
      await sleep(50);
      connections = await new Promise<number>((resolve) =>
        server.getConnections((_error: Error | null, count: number) => resolve(count)),
      );
    }
    expect(raw.received).toBe('');
  });
});

it('requests that are sent without waiting for answers are all answered in their order', async () => {
  const raw = await connection();
  const paths = ['live', 'ready', 'live', 'nothing', 'live'];
  raw.send(...paths.flatMap((path) => [`GET /health/${path} HTTP/1.1`, 'Host: localhost', '']), '');
  await raw.until(/(?:HTTP\/1\.1[^]*){5}\}$/);
  expect(raw.statuses).toEqual([200, 200, 200, 404, 200]);
});

describe('the Host header', () => {
  const REFUSED = '{"message":"The Host header must be the address of this server.","code":"HOST_INVALID"}';

  it.each([
    ['missing', []],
    ['empty', ['Host: ']],
    ['there twice', ['Host: localhost', 'Host: localhost']],
    ['there twice, in other letters', ['host: localhost', 'HOST: evil.example']],
    ['with a path', ['Host: localhost/path']],
    ['with a name and password', ['Host: me:secret@localhost']],
    ['with a port that is none', ['Host: localhost:port']],
  ])('%s is refused', async (_, hosts) => {
    const raw = await connection();
    raw.send('GET /health/live HTTP/1.1', ...hosts, 'Connection: close', '', '');
    await raw.closed;
    expect(raw.statuses).toEqual([400]);
    expect(raw.received).toContain(REFUSED);
  });

  it.each(['localhost', 'a.example:3000', '127.0.0.1', '[::1]:3000', 'under_score.example', 'a.example.'])(
    'may be %s',
    async (host) => {
      const raw = await connection();
      raw.send('GET /health/live HTTP/1.1', `Host: ${host}`, 'Connection: close', '', '');
      await raw.closed;
      expect(raw.statuses).toEqual([200]);
    },
  );

  it('may be missing in HTTP/1.0, as in checks of old load balancers', async () => {
    const raw = await connection();
    raw.send('GET /health/live HTTP/1.0', '', '');
    await raw.closed;
    expect(raw.statuses).toEqual([200]);
  });
});

it('connections are bounded, and idle ones make room', async () => {
  const bounded = await startLive();
  limitConnections(bounded.app.getHttpServer(), 5);
  const idle: RawHttp[] = [];
  for (let index = 0; index < 5; index += 1) {
    const raw = await RawHttp.open(bounded.config.publicUrl);
    raw.send(...LIVE);
    await raw.until('"ok"');
    idle.push(raw);
  }
  const refused = await RawHttp.open(bounded.config.publicUrl);
  refused.send(...LIVE);
  await refused.closed;
  expect(refused.statuses).toEqual([]);
  await Promise.all(idle.map(({ closed }) => closed));
  expect((await fetch(`${bounded.config.publicUrl}/health/live`)).status).toBe(200);
  await bounded.close();
});

it('a client that does not read its answers is cut off', async () => {
  const raw = await connection();
  raw.socket.pause();
  const many = Array.from({ length: 400 }, () => ['GET /docs/openapi.json HTTP/1.1', 'Host: localhost', '']);
  raw.send(...many.flat(), '');
  const server = api.app.getHttpServer();
  let connections = 1;
  while (connections > 0) {
    await sleep(100);
    connections = await new Promise<number>((resolve) =>
      server.getConnections((_error: Error | null, count: number) => resolve(count)),
    );
  }
  expect(connections).toBe(0);
});
