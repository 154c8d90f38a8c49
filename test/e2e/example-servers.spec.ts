import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { ExampleServer, withServer } from '../support/example-server';
import { until } from '../support/waiting';

/* The example servers, without Gosset. */

const UUID = /^[\da-f-]{36}$/;

it('the example back end sends a payment again, with the same message id, after an error', async () => {
  const received: Promise<string>[] = [];
  const answer: RequestListener = (request, response) => {
    received.push(text(request));
    response.writeHead(received.length === 1 ? 503 : 200).end('{"accepted":1,"rejected":0}');
  };
  await withServer(answer, async (address) => {
    const shop = await ExampleServer.start('back-end/server.mjs', {
      GOSSET_URL: address,
      GOSSET_CLIENT_KEY: 'pk_1',
    });
    try {
      await fetch(`${shop.address}/pay`, { method: 'POST', headers: { cookie: 'gosset_id_pk_1=ann' } });
      await until(() => received.length === 2);
    } finally {
      shop.stop();
    }
  });
  const [first, second] = await Promise.all(received);
  expect(first).toMatch(/"messageId":"[\da-f-]{36}-paid"/);
  expect(second).toBe(first);
});

it.each(['back-end', 'sign-in'])('the example %s accepts an address with a trailing slash', async (name) => {
  const example = await ExampleServer.start(`${name}/server.mjs`, {
    GOSSET_URL: 'http://localhost:3000/',
    GOSSET_CLIENT_KEY: 'pk_1',
  });
  const page = await (await fetch(example.address)).text();
  example.stop();
  expect(page).toContain('<script src="http://localhost:3000/s/pk_1.js">');
});

it.each(['back-end', 'sign-in'])(
  'the snippet of the example %s waits for consent, and gets no id without it',
  async (name) => {
    const example = await ExampleServer.start(`${name}/server.mjs`, { GOSSET_CLIENT_KEY: 'pk_1' });
    const page = await (await fetch(example.address, { headers: { 'sec-gpc': '1' } })).text();
    example.stop();
    expect(page).toContain('<script src="http://localhost:3000/s/pk_1.js" data-consent="required">');
    expect(page).not.toContain('setVisitorId');
  },
);

it.each(['back-end', 'sign-in'])(
  'caches do not store the pages of the example %s, which differ by visitor',
  async (name) => {
    const example = await ExampleServer.start(`${name}/server.mjs`, { GOSSET_URL: 'http://127.0.0.1:1' });
    const { headers } = await fetch(example.address);
    example.stop();
    expect(headers.get('cache-control')).toBe('private, no-store');
  },
);

it('the example sign-in uses one session on all subdomains, and a new key after sign-in', async () => {
  await withServer(
    (_, response) => void response.end('{"accepted":1,"rejected":0}'),
    async (gosset) => {
      const example = await ExampleServer.start('sign-in/server.mjs', {
        ...{ GOSSET_URL: gosset, GOSSET_CLIENT_KEY: 'pk_1', COOKIE_DOMAIN: 'shop.example' },
      });
      const visit = async (cookie: string, path = '/', body?: string) => {
        const method = body === undefined ? 'GET' : 'POST';
        const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' };
        const answer = await fetch(example.address + path, { method, body, headers, redirect: 'manual' });
        const page = await answer.text();
        const [key, ...attributes] = (answer.headers.getSetCookie()[0] ?? '').split('; ');
        const user = /<h1>(.*)<\/h1>/.exec(page)?.[1];
        return { key, attributes, user, id: /visitorId: '(.*)'/.exec(page)?.[1] };
      };
      try {
        const first = await visit('');
        expect(first).toMatchObject({ user: 'Hello', id: expect.stringMatching(UUID) });
        const { key, attributes } = await visit(first.key, '/sign-in', 'user=ann');
        for (const each of [first.attributes, attributes]) {
          expect(each).toContain('Domain=shop.example');
        }
        expect(await visit(key)).toMatchObject({ user: 'Hello, ann', id: first.id });
        // A key that was known before sign-in does not sign anyone in.
        expect(await visit(first.key)).toMatchObject({
          user: 'Hello',
          id: expect.not.stringMatching(first.id!),
        });
      } finally {
        example.stop();
      }
    },
  );
});
