import { TestApi } from '../support/api';
import { RawHttp } from '../support/raw-http';
import { ServerProcess } from '../support/server-process';
import { eventually } from '../support/waiting';

/* Requests that reach no framework hook because they cannot be parsed: their responses and log entries. */

let api: TestApi;
let server: ServerProcess;

beforeAll(async () => {
  api = await TestApi.start();
  server = await (await ServerProcess.spawn({ DATABASE_URL: api.databaseUrl })).ready();
});
afterAll(async () => {
  server.kill('SIGKILL');
  await server.exit;
  await api.close();
});

const LAST = ['Host: localhost', 'Connection: close', '', ''];

async function answerTo(...lines: string[]): Promise<{ status?: number; id?: string; text: string }> {
  const raw = await RawHttp.open(server.address);
  raw.send(...lines);
  await raw.closed;
  const [, id] = /^x-request-id: (\S+)\r$/im.exec(raw.received) ?? [];
  return { status: raw.statuses[0], id, text: raw.received };
}

it.each([
  ['no HTTP request line', ['Hello', '', ''], 400, 'BAD_REQUEST'],
  [
    'an invalid Content-Length',
    ['POST /api/teams HTTP/1.1', 'Content-Length: x', ...LAST],
    400,
    'BAD_REQUEST',
  ],
  [
    'large headers',
    ['GET /api/teams HTTP/1.1', `X: ${'x'.repeat(17_000)}`, ...LAST],
    431,
    'HEADERS_TOO_LARGE',
  ],
  ['a URL that cannot be decoded', ['GET /api/projects/% HTTP/1.1', ...LAST], 404, 'NOT_FOUND'],
  ['a long id', [`GET /api/projects/1/visitors/${'x'.repeat(1_001)} HTTP/1.1`, ...LAST], 404, 'NOT_FOUND'],
])('requests with %s get an error with a request id, which is logged', async (_, lines, status, code) => {
  const { id, text, ...answer } = await answerTo(...lines);
  expect(answer.status).toBe(status);
  expect(id).toMatch(/^[\w-]{36}$/);
  expect(text).toContain(`"code":"${code}"`);
  expect(text.toLowerCase()).toContain('x-content-type-options: nosniff');
  const logged = (): Record<string, unknown> | undefined =>
    server.logLines().find(({ requestId }) => requestId === id);
  await eventually(() => logged() !== undefined);
  expect(logged()).toMatchObject({ msg: 'request', status });
});

describe('a connection that the client half-closes', () => {
  const POST = ['POST /api/projects/1/goals HTTP/1.1', 'Host: localhost', 'Content-Type: application/json'];

  it.each([
    ['in the body', [...POST, 'Content-Length: 100', '', '{"na'], 'BODY_INCOMPLETE'],
    ['in a chunk', [...POST, 'Transfer-Encoding: chunked', '', '5', '{"na'], 'BODY_INCOMPLETE'],
    [
      'in a message',
      ['POST /v1/batch HTTP/1.1', ...POST.slice(1), 'Content-Length: 100', '', '{"ba'],
      'BODY_INCOMPLETE',
    ],
    ['in the headers', POST, 'BAD_REQUEST'],
  ])('%s', async (_, lines, code) => {
    const raw = await RawHttp.open(server.address);
    raw.send(...lines);
    raw.socket.end();
    await raw.closed;
    expect(raw.statuses).toEqual([400]);
    expect(raw.received).toContain(`"code":"${code}"`);
  });
});

it('requests are logged without visitor ids', async () => {
  const secret = 'ann'.repeat(400);
  const { id } = await answerTo(`GET /api/projects/1/visitors/${secret} HTTP/1.1`, ...LAST);
  await eventually(() => server.stdout.includes(`"${id}"`));
  expect(server.stdout).not.toContain('annann');
  expect(server.stdout).toContain('/api/projects/1/visitors/[visitor]');
});

it('requests with an unknown Expect header are served like others', async () => {
  const { id, status, text } = await answerTo('GET /api/teams HTTP/1.1', 'Expect: miracles', ...LAST);
  expect(status).toBe(401);
  expect(id).toMatch(/^[\w-]{36}$/);
  expect(text).toContain('"code":"UNAUTHENTICATED"');
});
