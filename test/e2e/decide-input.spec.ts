import { randomUUID } from 'node:crypto';
import { newSite, running, Site } from '../support/delivery';
import { storedEvents } from '../support/events';
import { Made, refusedPaths, useScene } from '../support/scene';

/* Invalid requests to POST /v1/decide and POST /v1/track. */

const scene = useScene();
let site: Site;
let experiment: Made;

beforeAll(async () => {
  site = await newSite(scene);
  experiment = await running(site);
});

const nested = (levels: number): object => (levels === 0 ? {} : { in: nested(levels - 1) });
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

describe('POST /v1/decide rejects', () => {
  it.each<[string, unknown, string[]]>([
    ['a list', [], ['body']],
    ['null', 'null', ['body']],
    ['a string', '"x"', ['body']],
    ['a user that is not an object', { user: 'x' }, ['user']],
    ['a user that is a list', { user: [] }, ['user']],
    ['an empty id', { user: { id: '' } }, ['user.id']],
    ['a long id', { user: { id: 'x'.repeat(65) } }, ['user.id']],
    ['an id with a line break', { user: { id: 'a\nb' } }, ['user.id']],
    ['an id that is not ASCII', { user: { id: 'Zoë' } }, ['user.id']],
    ['an id that is a fraction', { user: { id: 7.5 } }, ['user.id']],
    ['an id that is too large for a number', { user: { id: 2 ** 53 } }, ['user.id']],
    ['bucketing that is a list', { user: { bucketing: [] } }, ['user.bucketing']],
    [
      'bucketing whose keys are not ids',
      { user: { bucketing: { x: 1, '01': 1, 0: 1, '-1': 1, 9999999999: 1 } } },
      [
        'user.bucketing.-1',
        'user.bucketing.0',
        'user.bucketing.01',
        'user.bucketing.9999999999',
        'user.bucketing.x',
      ],
    ],
    [
      'bucketing whose values are not ids',
      { user: { bucketing: { 1: 'a', 2: 1.5, 3: null, 4: true, 5: {}, 6: -1 } } },
      ['1', '2', '3', '4', '5', '6'].map((id) => `user.bucketing.${id}`),
    ],
    [
      'bucketing with too many entries',
      { user: { bucketing: Object.fromEntries(times(1_001, (index) => [index + 1, 1])) } },
      ['user.bucketing'],
    ],
    ['phases that are a list', { user: { phases: [] } }, ['user.phases']],
    ['phases that are not ids', { user: { phases: { x: 1, 1: 0 } } }, ['user.phases.1', 'user.phases.x']],
    [
      'phases with too many entries',
      { user: { phases: Object.fromEntries(times(1_001, (index) => [index + 1, 1])) } },
      ['user.phases'],
    ],
    ['a user agent that is a number', { user: { device: { userAgent: 5 } } }, ['user.device.userAgent']],
    ['a long user agent', { user: { device: { userAgent: 'x'.repeat(4_097) } } }, ['user.device.userAgent']],
    ['a locale that is a list', { user: { locale: ['de'] } }, ['user.locale']],
    ['attributes that are a list', { user: { attributes: [] } }, ['user.attributes']],
    [
      'attributes that are nested deeper than any condition',
      { user: { attributes: nested(40) } },
      ['user.attributes'],
    ],
    ['experiments that are not a list', { selector: { experiments: 5 } }, ['selector.experiments']],
    [
      'experiments that are not ids',
      { selector: { experiments: [1, 'x', 0, 1.5] } },
      ['selector.experiments.1', 'selector.experiments.2', 'selector.experiments.3'],
    ],
    ['a duplicate experiment', { selector: { experiments: [7, '7'] } }, ['selector.experiments.1']],
    [
      'too many experiments',
      { selector: { experiments: times(1_001, (index) => index + 1) } },
      ['selector.experiments'],
    ],
    ['a URL that is relative', { context: { view: { url: '/cart' } } }, ['context.view.url']],
    [
      'a long URL',
      { context: { view: { url: `https://a.example/${'x'.repeat(2_048)}` } } },
      ['context.view.url'],
    ],
    ['a page that is a list', { context: { view: { id: [5] } } }, ['context.view.id']],
    ['a page that is not an id', { context: { view: { id: 0.5 } } }, ['context.view.id']],
    ['a record parameter that is not a boolean', { record: 'no' }, ['record']],
    [
      'all errors at once',
      { user: { id: 7.5, locale: 8 }, selector: 9, record: 10 },
      ['record', 'selector', 'user.id', 'user.locale'],
    ],
  ])('%s', async (_, body, paths) => {
    expect(refusedPaths(await site.post('/v1/decide', body))).toEqual([...paths].sort());
  });

  it('unknown fields, with suggestions', async () => {
    const answer = await site.post('/v1/decide', {
      users: {},
      user: { bucketting: {}, __proto__x: 1, device: { useragent: 'x' } },
      context: { view: { URL: 'x' } },
      constructor: {},
    });
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      {
        users: ['The field users is unknown. Did you mean user?'],
        'user.bucketting': ['The field bucketting is unknown. Did you mean bucketing?'],
        'user.__proto__x': ['The field __proto__x is unknown.'],
        'user.device.useragent': ['The field useragent is unknown. Did you mean userAgent?'],
        'context.view.URL': ['The field URL is unknown. Did you mean url?'],
        constructor: ['The field constructor is unknown.'],
      },
    ]);
  });

  it.each([
    ['{'],
    ['{"user":{"id":"x"}'],
    ['NaN'],
    ['\u{feff}{}', 'The body begins with a byte order mark (BOM). Send it without one.'],
  ])('the text %s, which is not JSON', async (body, message = 'The body is not valid JSON.') => {
    const answer = await site.post('/v1/decide', body);
    expect([answer.status, answer.body]).toEqual([400, { message, code: 'BODY_NOT_JSON' }]);
  });

  it('a body that is too large, compressed, or of another type', async () => {
    const large = await site.post('/v1/decide', { user: { attributes: { x: 'x'.repeat(512_000) } } });
    const zipped = await site.post('/v1/decide', {}, { 'content-encoding': 'br' });
    const form = await site.post('/v1/decide', 'user=x', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect([large.status, zipped.status, form.status]).toEqual([413, 415, 415]);
  });

  it('invalid requests, and then stores nothing', async () => {
    const visitor = randomUUID();
    await site.post('/v1/decide', { user: { id: visitor }, record: 'x' });
    await site.post('/v1/decide?environment=other', { user: { id: visitor } });
    expect((await storedEvents(scene.api)).filter(({ visitor_id }) => visitor_id === visitor)).toEqual([]);
  });
});

describe('POST /v1/decide accepts', () => {
  it('a missing body, an empty body, and null for unknown values', async () => {
    const nothing = { user: null, selector: null, context: null, record: null };
    const unknown = {
      user: { id: null, bucketing: null, phases: null, device: null, locale: null, attributes: null },
      selector: { experiments: null },
      context: { view: { id: null, url: null, referrer: null } },
    };
    const userAgent = { user: { device: { userAgent: null } }, context: { view: null } };
    for (const body of [undefined, '', {}, nothing, unknown, userAgent]) {
      const answer = await site.post('/v1/decide', body);
      expect([answer.status, answer.body.experiments?.[0].reason]).toEqual([200, 'assigned']);
    }
  });

  it('text/plain, which browsers can send without a preflight', async () => {
    const answer = await site.post('/v1/decide', '{"user":{"id":"v"}}', { 'content-type': 'text/plain' });
    expect(answer.status).toBe(200);
  });

  it('experiment ids as text', async () => {
    const answer = await site.post('/v1/decide', { selector: { experiments: [String(experiment.id)] } });
    expect(answer.body.experiments).toMatchObject([{ id: experiment.id, reason: 'assigned' }]);
  });

  it.each([
    ['a __proto__', '{"user":{"id":"v","attributes":{"__proto__":{"id":"other"},"constructor":null}}}'],
    ['an id among the attributes', '{"user":{"id":"v","attributes":{"id":"other"}}}'],
    [
      'attributes of every type',
      '{"user":{"id":"v","attributes":{"a":1e308,"b":[null,[1]],"c":{"d":false},"":""}}}',
    ],
  ])('%s, which it ignores', async (_, body) => {
    const plain = await site.post('/v1/decide', { user: { id: 'v' } });
    expect((await site.post('/v1/decide', body)).body).toEqual(plain.body);
  });
});

describe('the client key', () => {
  it.each<[string, (key: string) => [query: string, headers: Record<string, string>]]>([
    ['bearer token', (key) => ['', { authorization: `Bearer ${key}` }]],
    ['X-API-Key', (key) => ['', { 'x-api-key': key }]],
    ['client_key in the query', (key) => [`?client_key=${key}`, {}]],
    ['user name of Basic authentication', (key) => ['', { authorization: `Basic ${btoa(`${key}:`)}` }]],
  ])('can be sent as %s', async (_, given) => {
    const [query, headers] = given(site.key);
    const statuses: Record<string, number> = {};
    for (const [path, body] of Object.entries(REQUESTS)) {
      statuses[path] = (await scene.api.as(null).post(`/${path}${query}`, body, headers)).status;
    }
    expect(statuses).toEqual({
      '/v1/decide': 200,
      '/v1/track': 422,
      '/ofrep/v1/evaluate/flags': 200,
      '/ofrep/v1/evaluate/flags/experiment': 200,
      '/track': 200,
    });
  });

  it.each(['', 'pk_nobody', 'pk_' + 'x'.repeat(24), "' OR 1=1 --", '\u00e9'])(
    'is unknown if it is %j, with any body',
    async (key) => {
      for (const path of Object.keys(REQUESTS)) {
        const url = `/${path}?client_key=${encodeURIComponent(key)}`;
        const answer = await scene.api.as(null).post(url, []);
        expect([path, answer.status, answer.body]).toEqual([
          path,
          401,
          { message: 'Unauthenticated.', code: 'UNAUTHENTICATED' },
        ]);
        expect(answer.headers['www-authenticate']).toBe('Bearer');
      }
    },
  );

  it('is unknown if its project has been deleted', async () => {
    const gone = await newSite(scene);
    await gone.post('/v1/decide', {});
    await scene.client.delete(gone.make.project);
    for (const [path, body] of Object.entries(REQUESTS)) {
      expect([path, (await gone.post(path, body)).status]).toEqual([path, 401]);
    }
    expect((await gone.post(`/api/eval/${gone.key}`, {})).status).toBe(404);
  });

  const REQUESTS: Record<string, unknown> = {
    '/v1/decide': {},
    '/v1/track': { user: { id: 'v' }, events: [] },
    '/ofrep/v1/evaluate/flags': { context: { targetingKey: 'v' } },
    '/ofrep/v1/evaluate/flags/experiment': { context: { targetingKey: 'v' } },
    '/track': [],
  };
});

/** OpenTelemetry's instrumentation of fetch sends the tracing headers traceparent, tracestate and baggage. */
const ALLOWED =
  'authorization, content-type, content-encoding, x-api-key, traceparent, tracestate, baggage, *';

describe('pages on any site', () => {
  it.each([
    ['/v1/decide', ALLOWED],
    ['/v1/track', ALLOWED],
    ['/track', ALLOWED],
    ['/api/eval/pk_x', ALLOWED],
    ['/ofrep/v1/evaluate/flags', `${ALLOWED}, if-none-match`],
    ['/ofrep/v1/evaluate/flags/x', `${ALLOWED}, if-none-match`],
  ])('get responses to CORS preflights for %s', async (url, allowed) => {
    const headers = { origin: 'https://shop.example', 'access-control-request-method': 'POST' };
    const answer = await scene.api.app.inject({ method: 'OPTIONS', url, headers });
    expect(answer.statusCode).toBe(204);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': allowed,
    });
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
  });

  it.each([
    ['200', () => site.post('/v1/decide', {})],
    ['401', () => scene.api.as(null).post('//v1/decide', {})],
    ['422', () => site.post('/v1/decide', [])],
    ['413', () => site.post('/v1/decide', ' '.repeat(512_001))],
  ])('can read a response with the status %s', async (_, send) => {
    expect((await send()).headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'ETag, Retry-After, X-Snippet-Revision, X-SSE-Support',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    });
  });

  it('get 405 for other methods', async () => {
    for (const url of ['/v1/decide', '/v1/track', '/track', '/ofrep/v1/evaluate/flags']) {
      const answer = await scene.api.app.inject({ method: 'GET', url });
      expect([url, answer.statusCode, answer.headers.allow]).toEqual([url, 405, 'OPTIONS, POST']);
    }
  });
});
