import { randomUUID } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { LightMyRequestResponse } from 'fastify';
import { ERROR_CODES, type ErrorCode } from '../../src/common/errors/codes';
import { attributeAll, exposure, storedEvents } from '../support/events';
import { Made, useScene } from '../support/scene';

const scene = useScene();
let key: string;
let experiment: Made;

beforeAll(async () => {
  key = (await scene.client.get(scene.project)).body.client_key as string;
  experiment = await scene.make.withStatus('running');
});

const post = (payload: string | Buffer, type: string, url = '/v1/batch'): Promise<LightMyRequestResponse> =>
  scene.api.app.inject({ method: 'POST', url, payload, headers: { 'content-type': type } });

const TOO_LARGE = 'The body must not be larger than 512,000 bytes.';

const batchOf = (visitor: string, fields: object = {}): string =>
  JSON.stringify({
    writeKey: key,
    batch: [exposure(visitor, experiment.id, experiment.variations[0].id, { context: {} })],
    ...fields,
  });

const device = async (visitor: string): Promise<number | undefined> =>
  (await storedEvents(scene.api)).find(({ visitor_id }) => visitor_id === visitor)?.device;

describe('POST /v1/batch', () => {
  it.each(['application/json', 'application/json; charset=utf-8', 'text/plain', 'text/plain;charset=UTF-8'])(
    'reads a body of type %s',
    async (type) => {
      const answer = await post(batchOf('types'), type);
      expect([answer.statusCode, answer.json()]).toEqual([200, { success: true, accepted: 1, rejected: 0 }]);
    },
  );

  it.each(['application/xml', 'application/x-www-form-urlencoded', 'image/png', 'nonsense'])(
    'rejects a body of type %s',
    async (type) => {
      const answer = await post(batchOf('types'), type);
      expect([answer.statusCode, answer.json()]).toEqual([
        415,
        {
          message: 'The Content-Type must be application/json or text/plain.',
          code: 'UNSUPPORTED_MEDIA_TYPE',
        },
      ]);
    },
  );

  it.each([
    ['a truncated document', '{"writeKey":"pk_x","batch":[{"type":"tra'],
    ['an empty body', ''],
    ['NaN', `{"writeKey":"x","batch":[NaN]}`],
    ['text that is not UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 'The body is not valid UTF-8.'],
    ['a byte order mark', '\u{feff}{}', 'The body begins with a byte order mark (BOM). Send it without one.'],
  ])('rejects %s as invalid JSON', async (_, payload, message = 'The body is not valid JSON.') => {
    const answer = await post(payload, 'application/json');
    expect([answer.statusCode, answer.json()]).toEqual([400, { message, code: 'BODY_NOT_JSON' }]);
  });

  it.each(['null', '[]', '"x"', '5', '{}', '{"batch":null}', '{"batch":{}}'])(
    'rejects the JSON %s, which is not a batch',
    async (payload) => {
      const answer = await post(payload, 'application/json');
      expect([answer.statusCode, answer.json()]).toEqual([
        400,
        {
          message: 'The body must be an object with a list of messages in its `batch` field.',
          code: 'BODY_MALFORMED',
        },
      ]);
    },
  );

  it('treats a client key that is not a string as unknown', async () => {
    const answer = await post('{"batch":[],"writeKey":5}', 'application/json');
    expect([answer.statusCode, answer.json()]).toEqual([
      401,
      { message: 'Unauthenticated.', code: 'UNAUTHENTICATED' },
    ]);
  });

  const compressed = (payload: Buffer, coding: string) =>
    scene.api.app.inject({
      method: 'POST',
      url: '/v1/batch',
      payload,
      headers: { 'content-type': 'application/json', 'content-encoding': coding },
    });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['GZIP', gzipSync],
    ['x-gzip', gzipSync],
  ])('accepts bodies that are compressed with %s', async (coding, compress) => {
    const visitor = randomUUID();
    const answer = await compressed(compress(batchOf(visitor)), coding);
    expect(answer.json()).toEqual({ success: true, accepted: 1, rejected: 0 });
    const stored = (await storedEvents(scene.api)).filter(({ visitor_id }) => visitor_id === visitor);
    expect(stored).toHaveLength(1);
  });

  it.each<[string, string, Buffer, number, ErrorCode]>([
    ['another coding', 'br', brotliCompressSync('{}'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['two codings', 'gzip, gzip', gzipSync(gzipSync('{}')), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a truncated body', 'gzip', gzipSync('{"batch": []}').subarray(0, 20), 400, 'CONTENT_ENCODING_MISMATCH'],
    ['another coding than the declared one', 'deflate', gzipSync('{}'), 400, 'CONTENT_ENCODING_MISMATCH'],
    ['invalid JSON', 'gzip', gzipSync('{'), 400, 'BODY_NOT_JSON'],
    ['50 million zero bytes', 'gzip', gzipSync(Buffer.alloc(50_000_000)), 413, 'BODY_TOO_LARGE'],
    ['one byte too many', 'deflate', deflateSync(Buffer.alloc(512_001, ' ')), 413, 'BODY_TOO_LARGE'],
  ])('rejects compressed bodies with %s', async (_, coding, payload, status, code) => {
    const answer = await compressed(payload, coding);
    const { [status]: message = ERROR_CODES[code].message } = {
      413: TOO_LARGE,
      415: 'The Content-Encoding must be gzip or deflate.',
    };
    expect([answer.statusCode, answer.json()]).toEqual([status, { message, code }]);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
  });

  it('accepts 512,000 bytes and rejects more', async () => {
    const padded = (bytes: number): string => {
      const body = batchOf('large');
      return `${body.slice(0, -1)},"pad":"${'x'.repeat(bytes - body.length - 9)}"}`;
    };
    expect(Buffer.byteLength(padded(512_000))).toBe(512_000);
    expect((await post(padded(512_000), 'application/json')).statusCode).toBe(200);
    const paths = ['/v1/batch', '/v1/decide', '/ofrep/v1/evaluate/flags'];
    for (const [path, bytes] of paths.flatMap((each) =>
      [512_001, 2_000_000].map((size) => [each, size] as const),
    )) {
      const answer = await post(padded(bytes), 'text/plain', path);
      expect([answer.statusCode, answer.json()]).toEqual([
        413,
        { message: TOO_LARGE, code: 'BODY_TOO_LARGE' },
      ]);
    }
  });

  it('ignores a __proto__ field', async () => {
    const answer = await post(
      `${batchOf('proto').slice(0, -1)},"__proto__":{"batch":[]}}`,
      'application/json',
    );
    expect(answer.json()).toMatchObject({ accepted: 1 });
  });

  it('accepts a thousand messages per batch, and 10,000 exposures of one visitor', async () => {
    const visitor = randomUUID();
    const [variation] = experiment.variations as Made[];
    for (let round = 0; round < 10; round += 1) {
      const batch = [...Array(1_000).keys()].map(() => ({
        type: 'track',
        event: 'Experiment Viewed',
        anonymousId: visitor,
        messageId: randomUUID(),
        properties: { experiment_id: experiment.id, variation_id: variation.id },
      }));
      const answer = await post(JSON.stringify({ writeKey: key, batch }), 'application/json');
      expect(answer.json()).toEqual({ success: true, accepted: 1_000, rejected: 0 });
    }
  });
});

describe('a batch from a browser on any site', () => {
  it('can be preceded by a CORS preflight', async () => {
    const answer = await scene.api.app.inject({
      method: 'OPTIONS',
      url: '/v1/batch',
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
    });
    expect(answer.statusCode).toBe(204);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers':
        'authorization, content-type, content-encoding, x-api-key, traceparent, tracestate, baggage, *',
    });
  });

  it.each([
    ['accepted', () => batchOf('cors')],
    ['rejected because its client key is unknown', () => batchOf('cors', { writeKey: 'pk_nobody' })],
    ['rejected because it is not valid JSON', () => '{'],
    ['rejected because it is too large', () => ' '.repeat(600_000)],
  ])('has a response that the page can read if it is %s', async (_, payload) => {
    const { headers } = await post(payload(), 'text/plain');
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    });
    expect([headers['set-cookie'], headers['access-control-allow-credentials']]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('gets 405 for other methods', async () => {
    const answer = await scene.api.app.inject({ method: 'GET', url: '/v1/batch' });
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'OPTIONS, POST']);
  });
});

describe('the device of an event', () => {
  const PHONE =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
  const DESKTOP =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
  const TABLET =
    'Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1';
  const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

  const sendWith = async (context: object, userAgent: string) => {
    const visitor = randomUUID();
    const [variation] = experiment.variations as Made[];
    const body = { writeKey: key, batch: [exposure(visitor, experiment.id, variation.id, { context })] };
    const answer = await scene.api.as(null).post('//v1/batch?strict=1', body, { 'user-agent': userAgent });
    return { reason: answer.body.errors[0]?.reason as string | undefined, device: await device(visitor) };
  };

  it.each([
    ['the one that the client sends', { device: { type: 'tablet' } }, DESKTOP, 2],
    ['that of its user agent', { userAgent: PHONE }, DESKTOP, 1],
    ['that of the request', {}, DESKTOP, 0],
    ['that of a tablet', {}, TABLET, 2],
    ['other for a server', {}, 'node', 3],
    ['other for a television', { device: { type: 'tv' } }, 'x', 3],
    ['that of the user agent when the type is unknown', { device: { type: 'watch' } }, PHONE, 1],
  ])('is %s', async (_, context, userAgent, expected) =>
    expect((await sendWith(context, userAgent)).device).toBe(expected),
  );

  it('is recognised as a bot only if a browser sends the event', async () => {
    const browser = { library: { name: 'gosset.js' } };
    expect(await sendWith(browser, BOT)).toEqual({ reason: 'bot', device: undefined });
    expect((await sendWith({ ...browser, userAgent: BOT }, DESKTOP)).reason).toBe('bot');
    expect((await sendWith(browser, DESKTOP)).reason).toBeUndefined();
    expect((await sendWith({ library: { name: 'analytics.js' } }, BOT)).reason).toBe('bot');
    expect((await sendWith({ library: { name: 'analytics-node' } }, BOT)).reason).toBeUndefined();
    expect((await sendWith({}, BOT)).reason).toBeUndefined();
    expect((await sendWith({ userAgent: BOT }, 'axios/1.7')).reason).toBe('bot');
  });
});

describe('/metrics', () => {
  const read = (remoteAddress: string) =>
    scene.api.app.inject({ method: 'GET', url: '/metrics', remoteAddress });

  it('counts accepted events, and rejected events by reason', async () => {
    const answer = await read('127.0.0.1');
    expect(answer.headers['content-type']).toMatch(/^text\/plain/);
    expect(answer.payload).toMatch(/^gosset_events_accepted_total [1-9]\d*$/m);
    expect(answer.payload).toMatch(/^gosset_events_rejected_total\{reason="bot"\} 4$/m);
  });

  it('counts the visitors whose events are not yet part of the results', async () => {
    await attributeAll(scene.api);
    expect((await read('127.0.0.1')).payload).toMatch(/^gosset_visitors_waiting 0$/m);
    await post(batchOf('waiting'), 'application/json');
    expect((await read('127.0.0.1')).payload).toMatch(/^gosset_visitors_waiting 1$/m);
  });

  it('is available only to the addresses in METRICS_ALLOW', async () => {
    expect((await read('10.0.0.7')).statusCode).toBe(403);
    expect((await read('::1')).statusCode).toBe(200);
  });
});
