import { limitConnections } from '../../src/common/http/connections';
import { TestApi } from '../support/api';
import { startLive } from '../support/live-server';
import { RawHttp } from '../support/raw-http';
import { until } from '../support/waiting';

/* Timeouts and limits of connections, with clients that send one byte at a time. */

let api: TestApi;
/** A server whose only client never reads its responses. Started before the first case, because it takes longest. */
let unread: TestApi;
let token: string;
let open: RawHttp[] = [];

beforeAll(async () => {
  api = await startLive({ REQUEST_TIMEOUT_SECONDS: '2' });
  const person = await api.person();
  token = person.token;
  await api.join(await api.team(), person, 'admin');
  unread = await startLive({ REQUEST_TIMEOUT_SECONDS: '1' });
  const raw = await RawHttp.open(unread.config.publicUrl);
  raw.socket.pause();
  const many = Array.from({ length: 400 }, () => ['GET /docs/openapi.json HTTP/1.1', 'Host: localhost', '']);
  raw.send(...many.flat(), '');
  await until(async () => (await openConnections(unread)) > 0, 'a connection');
});
afterAll(() => Promise.all([api.close(), unread.close()]));
afterEach(() => {
  open.forEach((connection) => connection.close());
  open = [];
});

async function connection(): Promise<RawHttp> {
  const raw = await RawHttp.open(api.config.publicUrl);
  open.push(raw);
  return raw;
}

const openConnections = ({ app }: TestApi): Promise<number> =>
  new Promise((resolve) =>
    app.getHttpServer().getConnections((_error: Error | null, count: number) => resolve(count)),
  );

const untilNoneIsOpen = (server: TestApi): Promise<void> =>
  until(async () => (await openConnections(server)) === 0, 'the end of all connections');

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

/** Requests that time out. All of them begin before the first case, because each takes seconds. */
const SLOW: Record<string, (raw: RawHttp) => void> = {
  'nothing is sent': () => undefined,
  'the headers stop': (raw) => raw.send('GET /health/live HTTP/1.1', 'Host: local'),
  'the body stops': (raw) => raw.send(...upload(1_000)),
  'the second request stops': (raw) => raw.send(...LIVE.slice(0, -1), '', 'GET /health'),
};
const DRIPPING: Record<string, (raw: RawHttp) => void> = {
  headers: (raw) => raw.send('GET /health/live HTTP/1.1', 'X-A: '),
  body: (raw) => raw.send(...upload(100_000)),
};

describe('a request that does not arrive in time is aborted with its connection', () => {
  const slow = new Map<string, RawHttp>();
  const drips: NodeJS.Timeout[] = [];

  async function begin(name: string, send: (raw: RawHttp) => void): Promise<RawHttp> {
    const raw = await RawHttp.open(api.config.publicUrl);
    slow.set(name, raw);
    send(raw);
    return raw;
  }

  beforeAll(async () => {
    await Promise.all(Object.entries(SLOW).map(([name, send]) => begin(name, send)));
    for (const [name, send] of Object.entries(DRIPPING)) {
      const { socket } = await begin(name, send);
      drips.push(setInterval(() => socket.write('x'), 50));
    }
    await begin('never closes', (raw) => {
      raw.socket.pause();
      raw.send(...upload(1_000));
    });
  });
  afterAll(() => {
    drips.forEach((drip) => clearInterval(drip));
    slow.forEach((raw) => raw.close());
  });

  it.each(Object.keys(SLOW))('when %s', async (name) => {
    const raw = slow.get(name)!;
    await raw.closed;
    expect(raw.statuses.at(-1)).toBe(408);
    expect(raw.received).toMatch(/\{"message":"Request Timeout","code":"REQUEST_TIMEOUT"\}$/);
  });

  it.each(Object.keys(DRIPPING))('when the %s arrive byte by byte', async (name) => {
    const raw = slow.get(name)!;
    await raw.closed;
    expect(raw.statuses).toEqual([408]);
  });

  it('even if the client never closes its side', async () => {
    await untilNoneIsOpen(api);
    expect(slow.get('never closes')?.received).toBe('');
  });
});

it('pipelined requests get their responses in order', async () => {
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
    ['sent twice', ['Host: localhost', 'Host: localhost']],
    ['sent twice in different letter case', ['host: localhost', 'HOST: evil.example']],
    ['with a path', ['Host: localhost/path']],
    ['with a name and password', ['Host: me:secret@localhost']],
    ['with an invalid port', ['Host: localhost:port']],
  ])('%s is rejected', async (_, hosts) => {
    const raw = await connection();
    raw.send('GET /health/live HTTP/1.1', ...hosts, 'Connection: close', '', '');
    await raw.closed;
    expect(raw.statuses).toEqual([400]);
    expect(raw.received).toContain(REFUSED);
  });

  it.each(['localhost', 'a.example:3000', '127.0.0.1', '[::1]:3000', 'under_score.example', 'a.example.'])(
    'can be %s',
    async (host) => {
      const raw = await connection();
      raw.send('GET /health/live HTTP/1.1', `Host: ${host}`, 'Connection: close', '', '');
      await raw.closed;
      expect(raw.statuses).toEqual([200]);
    },
  );

  it('can be missing in HTTP/1.0, for health checks of old load balancers', async () => {
    const raw = await connection();
    raw.send('GET /health/live HTTP/1.0', '', '');
    await raw.closed;
    expect(raw.statuses).toEqual([200]);
  });
});

describe('a body that exceeds the limit', () => {
  const refused = async (path: string, headers: string[], body: string): Promise<RawHttp> => {
    const raw = await connection();
    raw.send(
      `POST ${path} HTTP/1.1`,
      'Host: localhost',
      'Content-Type: application/json',
      ...headers,
      '',
      body,
    );
    await raw.until(/HTTP\/1\.1 413 [^]*"code"/);
    return raw;
  };

  it.each([
    ['the API', '/api/teams/1/projects'],
    ['collection', '/v1/batch'],
    ['decisions', '/v1/decide'],
  ])(
    'is rejected by %s while the client still sends it, and the connection serves the next request',
    async (_, path) => {
      const total = 8 * 1024 * 1024;
      const begun = 'x'.repeat(2 * 1024 * 1024);
      const headers = [`Authorization: Bearer ${token}`, `Content-Length: ${total}`];
      const raw = await refused(path, headers, begun);
      raw.send('x'.repeat(total - begun.length) + LIVE.join('\r\n'));
      await raw.until('{"status":"ok"}');
      expect(raw.statuses).toEqual([413, 200]);
    },
  );

  it.each(['/api/teams/1/projects', '/v1/batch'])(
    'is rejected in the same way if it is chunked, for %s',
    async (path) => {
      const size = 2 * 1024 * 1024;
      const chunk = `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;
      const headers = [`Authorization: Bearer ${token}`, 'Transfer-Encoding: chunked'];
      const raw = await refused(path, headers, chunk);
      raw.send(`${chunk}0\r\n\r\n${LIVE.join('\r\n')}`);
      await raw.until('{"status":"ok"}');
      expect(raw.statuses).toEqual([413, 200]);
    },
  );

  it('is cut off, together with its connection, at the request timeout', async () => {
    const raw = await refused('/v1/batch', ['Content-Length: 8000000'], 'x'.repeat(1_000_000));
    await raw.closed;
    expect(raw.statuses[0]).toBe(413);
  });
});

it('the number of connections is limited, and idle connections are closed for new ones', async () => {
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

it('a client that does not read its responses is disconnected', async () => {
  await untilNoneIsOpen(unread);
  expect(await openConnections(unread)).toBe(0);
});
