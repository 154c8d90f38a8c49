import { METHODS } from 'node:http';
import { TestApi } from '../support/api';
import { startLive } from '../support/live-server';
import { RawHttp } from '../support/raw-http';

/* Requests whose target is an absolute URL, like requests to proxies (RFC 9112, section 3.2.2). */

let api: TestApi;
let token: string;
let goals: string;

beforeAll(async () => {
  api = await startLive();
  const { people, project } = await api.world();
  token = people.admin.token;
  goals = `/api${project}/goals`;
});
afterAll(() => api.close());

async function answerTo(line: string, body = '', ...headers: string[]): Promise<string> {
  const raw = await RawHttp.open(api.config.publicUrl);
  const sent = ['Host: proxied.example', 'Connection: close', ...headers];
  raw.send(`${line} HTTP/1.1`, ...sent, `Content-Length: ${body.length}`, '', body);
  await raw.closed;
  return raw.received;
}

const authorized = (): string => `Authorization: Bearer ${token}`;

it('an absolute URL gets the same response as its path', async () => {
  const created = await answerTo(
    `POST http://proxied.example${goals}`,
    '{"name": "Order"}',
    'Content-Type: application/json',
    authorized(),
  );
  expect(created).toMatch(/^HTTP\/1\.1 201 /);
  expect(created).toMatch(new RegExp(`^location: ${api.config.publicUrl}${goals}/\\d+\\r$`, 'im'));

  const listed = await answerTo(`GET HTTPS://proxied.example:8443${goals}?page=1`, '', authorized());
  expect(listed).toMatch(/^HTTP\/1\.1 200 /);
  expect(listed).toContain(`link: <${api.config.publicUrl}${goals}?page=1&per_page=100>; rel="first"`);
});

it.each(['http://proxied.example', 'http://proxied.example?page=1'])(
  'an absolute URL without a path redirects to the sign-in page: %s',
  async (url) => expect(await answerTo(`GET ${url}`)).toMatch(/^location: \/login\?next=%2F/im),
);

it('an unknown absolute URL counts against the rate limit like an unknown path', async () => {
  const unknown = await answerTo('GET http://proxied.example/api/nothing', '', authorized());
  expect(unknown).toMatch(/^HTTP\/1\.1 404 /);
  expect(await answerTo('GET http://proxied.example/api/nothing')).toMatch(/^x-ratelimit-limit: 60\r$/im);
});

// CONNECT is left out because Node closes the connection.
const UNSUPPORTED = METHODS.filter((method) => !['GET', 'HEAD', 'POST', 'CONNECT'].includes(method));

it.each(UNSUPPORTED)('the method %s gets 405, or 404 if no route matches', async (method) => {
  const known = await answerTo(`${method} ${goals}`, '', authorized());
  expect(known).toMatch(/^HTTP\/1\.1 405 /);
  expect(known).toMatch(/^allow: GET, HEAD, POST\r$/im);
  expect(await answerTo(`${method} /api/nothing`, '', authorized())).toMatch(/^HTTP\/1\.1 404 /);
});
