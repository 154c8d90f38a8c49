import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { VERSION } from '../../src/config/version';
import { anotherProject, Made, Maker, useScene } from '../support/scene';

/* Compression of responses larger than 1 KiB from all parts of the server, with correct ETags and other headers. */

const scene = useScene();
const CODINGS = { br: brotliDecompressSync, gzip: gunzipSync } as const;
const GOALS = 100;
let make: Maker;
let goal: Made;
let list: string;
let key: string;

beforeAll(async () => {
  make = await anotherProject(scene);
  for (let number = 0; number < GOALS; number += 1) {
    goal = await make.goal({
      name: `Goal ${number}`,
      description: 'All orders, without the returned ones. ',
    });
  }
  list = `/api${make.project}/goals?per_page=100`;
  key = (await scene.client.get(make.project)).body.client_key as string;
  const first = await make.withStatus('running', { api_name: 'first', example_url: 'https://a.example/' });
  for (let number = 0; number < 8; number += 1) {
    await make.withStatus('running', { example_url: 'https://a.example/' });
  }
  expect(first.status).toBe('running');
});

interface Asked {
  method?: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT';
  headers?: Record<string, string>;
  payload?: object;
}

const ask = (url: string, { method = 'GET', headers = {}, payload }: Asked = {}) => {
  const authorization = `Bearer ${scene.world.people.admin.token}`;
  return scene.api.app.inject({ method, url, headers: { authorization, ...headers }, payload });
};

const addresses = (): [string, Asked][] => [
  [list, {}],
  [`/api${make.project}/goals?fields=id,name`, {}],
  ['/docs/openapi.json', {}],
  ['/docs/openapi.yaml', {}],
  ['/docs/swagger-ui.css', {}],
  ['/docs/swagger-ui-bundle.js', {}],
  ['/metrics', {}],
  [
    `/ofrep/v1/evaluate/flags`,
    {
      method: 'POST',
      payload: { context: { targetingKey: 'a' } },
      headers: { authorization: `Bearer ${key}` },
    },
  ],
  [
    '/mcp',
    {
      method: 'POST',
      payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
    },
  ],
  [`/s/${key}.js`, {}],
  [`/api/features/${key}`, {}],
];

it('a response is smaller in the requested coding, with the same content', async () => {
  for (const [url, asked] of addresses()) {
    const plain = await ask(url, asked);
    expect([url, plain.statusCode, plain.headers['content-encoding']]).toEqual([url, 200, undefined]);
    expect([url, plain.headers.vary]).toEqual([url, expect.stringContaining('Accept-Encoding')]);
    for (const coding of ['br', 'gzip'] as const) {
      const headers = { ...asked.headers, 'accept-encoding': coding };
      const coded = await ask(url, { ...asked, headers });
      expect([url, coded.headers['content-encoding'], coded.headers.vary]).toEqual([
        url,
        coding,
        plain.headers.vary,
      ]);
      expect(Number(coded.headers['content-length'])).toBe(coded.rawPayload.length);
      expect(coded.rawPayload.length).toBeLessThan(plain.rawPayload.length * 0.7);
      const text = CODINGS[coding](coded.rawPayload).toString();
      expect(url === '/metrics' ? text.length > 1_000 : text).toEqual(
        url === '/metrics' ? true : plain.payload,
      );
    }
  }
});

it('a list of 100 records shrinks to less than a tenth', async () => {
  const plain = await ask(list);
  expect(plain.json()).toHaveLength(GOALS);
  for (const coding of ['br', 'gzip']) {
    const coded = await ask(list, { headers: { 'accept-encoding': coding } });
    expect(coded.rawPayload.length).toBeLessThan(plain.rawPayload.length / 10);
  }
});

it('a compressed response has a weak ETag, which conditional requests accept like the strong one', async () => {
  const strong = String((await ask(list)).headers.etag);
  for (const coding of ['br', 'gzip']) {
    const headers = { 'accept-encoding': coding };
    const { etag } = (await ask(list, { headers })).headers;
    expect(etag).toBe(`W/${strong}`);
    for (const known of [strong, String(etag), `"a", ${String(etag)}`]) {
      for (const method of ['GET', 'HEAD'] as const) {
        const again = await ask(list, { method, headers: { ...headers, 'if-none-match': known } });
        expect([again.statusCode, again.payload, again.headers.etag]).toEqual([304, '', etag]);
        expect([again.headers['content-encoding'], again.headers.vary]).toEqual([
          undefined,
          'Accept-Encoding',
        ]);
      }
      expect((await ask(list, { headers: { 'if-none-match': known } })).headers.etag).toBe(strong);
    }
    const other = await ask(list, { headers: { ...headers, 'if-none-match': 'W/"a"' } });
    expect([other.statusCode, other.headers['content-encoding']]).toEqual([200, coding]);
  }
});

it('HEAD has the headers of GET', async () => {
  for (const url of [list, '/docs/openapi.json', '/docs/swagger-ui.css', `/s/${key}.js`]) {
    const headers = { 'accept-encoding': 'gzip' };
    const [got, headed] = [await ask(url, { headers }), await ask(url, { method: 'HEAD', headers })];
    expect([url, headed.statusCode, headed.payload]).toEqual([url, 200, '']);
    const names = ['content-encoding', 'content-type', 'etag', 'vary'] as const;
    expect(names.map((name) => headed.headers[name])).toEqual(names.map((name) => got.headers[name]));
    // For HEAD, the server does not compress a file just to compute its length.
    const length = url.endsWith('.css') ? undefined : got.headers['content-length'];
    expect([url, headed.headers['content-length']]).toEqual([url, length]);
  }
});

it('writes can use the ETag of a compressed response, and conflicts are detected', async () => {
  const description = 'All orders. '.repeat(150);
  const url = `/api${goal.path}`;
  const headers = { 'accept-encoding': 'br' };
  await ask(url, { method: 'PATCH', payload: { description } });
  const read = await ask(url, { headers });
  expect([read.headers['content-encoding'], read.headers.etag]).toEqual([
    'br',
    expect.stringMatching(/^W\//),
  ]);
  const conditional = { ...headers, 'if-match': String(read.headers.etag) };
  const changed = await ask(url, { method: 'PATCH', headers: conditional, payload: { name: 'Orders' } });
  expect([changed.statusCode, changed.headers['content-encoding']]).toEqual([200, 'br']);
  expect(JSON.parse(brotliDecompressSync(changed.rawPayload).toString())).toMatchObject({ name: 'Orders' });
  const again = await ask(url, { method: 'PATCH', headers: conditional, payload: { name: 'Lost' } });
  expect(again.statusCode).toBe(412);
  const next = { ...headers, 'if-match': String(changed.headers.etag) };
  expect((await ask(url, { method: 'PATCH', headers: next, payload: { name: 'Sales' } })).statusCode).toBe(
    200,
  );
});

it('a replayed response has the content coding that the retry accepts', async () => {
  const url = `/api${make.project}/goals`;
  const payload = { name: 'Once', description: 'All orders. '.repeat(150) };
  const once = { 'idempotency-key': 'compressed once' };
  const first = await ask(url, { method: 'POST', payload, headers: { ...once, 'accept-encoding': 'br' } });
  const second = await ask(url, { method: 'POST', payload, headers: once });
  const third = await ask(url, { method: 'POST', payload, headers: { ...once, 'accept-encoding': 'gzip' } });
  expect([first.statusCode, second.statusCode, third.statusCode]).toEqual([201, 201, 201]);
  expect(brotliDecompressSync(first.rawPayload).toString()).toBe(second.payload);
  expect(gunzipSync(third.rawPayload).toString()).toBe(second.payload);
  expect([second.headers.etag, third.headers.etag]).toEqual([
    String(first.headers.etag).slice(2),
    first.headers.etag,
  ]);
});

it('small responses are not compressed, and all responses have Vary', async () => {
  const headers = { 'accept-encoding': 'br, gzip' };
  const project = `/api${make.project}/goals?per_page=1&fields=id`;
  for (const url of ['/health/live', project, '/api/nothing', '/nothing', '/api/teams?page=x']) {
    const answer = await ask(url, { headers });
    expect([url, answer.headers['content-encoding']]).toEqual([url, undefined]);
    expect([url, answer.headers.vary]).toEqual([url, expect.stringContaining('Accept-Encoding')]);
  }
  expect((await ask(project, { headers })).headers.etag).toMatch(/^"/);
});

it.each(['identity', 'br;q=0, gzip;q=0', 'zstd', '', 'x'.repeat(300)])(
  'a response is not compressed if %p is accepted',
  async (accepted) => {
    const { headers, payload } = await ask(list, { headers: { 'accept-encoding': accepted } });
    expect([headers['content-encoding'], headers.etag]).toEqual([undefined, expect.stringMatching(/^"/)]);
    expect(JSON.parse(payload)).toHaveLength(GOALS);
  },
);

it('images and file ranges are not compressed', async () => {
  const headers = { 'accept-encoding': 'br' };
  const image = await ask('/docs/favicon-32x32.png', { headers });
  expect([image.statusCode, image.headers['content-encoding']]).toEqual([200, undefined]);
  const part = await ask('/docs/swagger-ui.css', { headers: { ...headers, range: 'bytes=0-1999' } });
  expect([part.statusCode, part.headers['content-encoding'], part.rawPayload.length]).toEqual([
    206,
    undefined,
    2_000,
  ]);
});

it('the OpenAPI document contains the release version', async () => {
  const { rawPayload } = await ask('/docs/openapi.json', { headers: { 'accept-encoding': 'br' } });
  const { info } = JSON.parse(brotliDecompressSync(rawPayload).toString()) as { info: { version: string } };
  expect(info.version).toBe(VERSION);
});
