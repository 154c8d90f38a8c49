import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { jitsuAnalytics } from '@jitsu/js';
import { Analytics } from '@segment/analytics-node';
import { attributeAll, exposure, message, send, storedEvents } from '../support/events';
import { Made, useScene } from '../support/scene';
import { listening } from '../support/web-server';

/* Messages of Segment-compatible libraries with default options, and their results. */

const scene = useScene();
let address: string;
let key: string;
let goal: Made;
let experiment: Made;
let visitor: string;

beforeAll(async () => {
  address = await listening(scene.api.app);
  key = (await scene.client.get(scene.project)).body.client_key as string;
  const page = await scene.make.page({ conditions: [{ match: 'simple', value: '/thanks' }] });
  await scene.make.goal({ name: 'Thanks', type: 'pageview', page_id: page.id });
});

beforeEach(async () => {
  goal = await scene.make.goal({ value_type: 'revenue' });
  experiment = await scene.make.withStatus('running', { goals: [goal.id] });
  visitor = randomUUID();
});

interface Row {
  participants: number;
  conversions: number;
  totalValue: number;
}

/** Participants, conversions and total value of each variation. */
async function results(): Promise<number[][]> {
  await attributeAll(scene.api);
  const { body } = await scene.client.get(`${experiment.path}/results`);
  const rows = Object.values<Row>((body as Made[])[0].variationStatistics);
  return rows.map(({ participants, conversions, totalValue }) => [participants, conversions, totalValue]);
}

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  scene.api.as(null).post(`/${path}`, { writeKey: key, ...body }, headers);

const shown = (properties: object): object => message(visitor, { event: 'Experiment Viewed', properties });

const ordered = (): object => message(visitor, { event: goal.api_name as string, properties: { value: 20 } });

describe('an exposure', () => {
  const names: [string, (made: Made) => object][] = [
    ['ids', ({ id, variations }) => ({ experiment_id: id, variation_id: variations[1].id })],
    [
      'ids as strings',
      ({ id, variations }) => ({ experiment_id: `${id}`, variation_id: `${variations[1].id}` }),
    ],
    ['camelCase', ({ id, variations }) => ({ experimentId: id, variationId: variations[1].id })],
    [
      'the payload key',
      ({ id, variations }) => ({ experiment_id: `exp-${id}`, variation_id: variations[1].id }),
    ],
    [
      'names',
      ({ api_name, variations }) => ({ experiment_id: api_name, variation_id: variations[1].api_name }),
    ],
    [
      'payload key and name',
      ({ id, variations }) => ({ experimentId: `exp-${id}`, variationId: variations[1].api_name }),
    ],
  ];

  it.each(names)('can name the experiment and variation by %s', async (_, propertiesOf) => {
    const { body } = await send(scene.api, key, [shown(propertiesOf(experiment)), ordered()]);
    expect(body).toEqual({ success: true, accepted: 2, rejected: 0, errors: [] });
    expect(await results()).toEqual([
      [0, 0, 0],
      [1, 1, 20],
    ]);
  });

  it.each([
    ['an unknown name', { experiment_id: 'nothing', variation_id: 1 }, 'unknown_experiment'],
    ['an unknown key', { experiment_id: 'exp-999999', variation_id: 1 }, 'unknown_experiment'],
    [
      'a key with a very long id',
      { experiment_id: `exp-${'9'.repeat(400)}`, variation_id: 1 },
      'unknown_experiment',
    ],
    ['no experiment', {}, 'unknown_experiment'],
  ])('with %s is rejected', async (_, properties, reason) => {
    const { body } = await send(scene.api, key, [shown(properties)]);
    expect(body.errors).toMatchObject([{ reason }]);
  });

  it('cannot name a variation of another experiment, by id or by name', async () => {
    const other = await scene.make.withStatus('running');
    for (const variation_id of [other.variations[1].id, 'nothing', null]) {
      const { body } = await send(scene.api, key, [shown({ experiment_id: experiment.id, variation_id })]);
      expect(body.errors).toMatchObject([{ reason: 'unknown_variation' }]);
    }
  });
});

describe('a visitor', () => {
  it('is identified by the user id if there is no anonymous id, and numeric ids become strings', async () => {
    const messages = [
      {
        ...exposure(visitor, experiment.id, experiment.variations[0].id),
        anonymousId: undefined,
        userId: 42,
      },
      { ...ordered(), anonymousId: '', userId: '42' },
      { ...ordered(), anonymousId: 42, userId: 'other' },
    ];
    const { body } = await send(scene.api, key, messages);
    expect(body).toMatchObject({ accepted: 3, rejected: 0 });
    expect(await results()).toEqual([
      [1, 1, 40],
      [0, 0, 0],
    ]);
  });

  it('is required: a message with neither id is rejected', async () => {
    const { body } = await send(scene.api, key, [{ ...ordered(), anonymousId: null, userId: null }]);
    expect(body.errors).toMatchObject([{ reason: 'invalid_visitor' }]);
  });
});

it('the server assigns an id to each message without one, so repeated messages count each time', async () => {
  const viewed = exposure(visitor, experiment.id, experiment.variations[0].id);
  const own = { ...ordered(), messageId: undefined };
  expect((await send(scene.api, key, [viewed, own, own])).body).toMatchObject({ accepted: 3 });
  expect((await results())[0]).toEqual([1, 1, 40]);
});

it('the server accepts messages without an event, but does not store them', async () => {
  const before = (await storedEvents(scene.api)).length;
  const types = ['identify', 'group', 'alias', 'screen'];
  const messages = types.map((type) => ({ type, userId: 'u', messageId: randomUUID(), traits: { a: 1 } }));
  const { body } = await send(scene.api, key, messages);
  expect(body).toEqual({ success: true, accepted: 4, rejected: 0, errors: [] });
  expect(await storedEvents(scene.api)).toHaveLength(before);
});

describe('a URL for one message', () => {
  it.each(['/v1/t', '/v1/track'])('%s accepts events', async (path) => {
    const viewed = shown({ experiment_id: experiment.id, variation_id: experiment.variations[0].id });
    for (const body of [viewed, { ...ordered(), type: undefined }]) {
      expect((await post(path, body)).body).toEqual({ success: true, accepted: 1, rejected: 0 });
    }
    expect((await results())[0]).toEqual([1, 1, 20]);
  });

  it.each(['/v1/p', '/v1/page'])('%s accepts page views, even with the URL in the context', async (path) => {
    const url = 'https://shop.example/thanks';
    const views = [{ properties: { url } }, { context: { page: { url } } }];
    for (const view of views) {
      const { body } = await post(path, { anonymousId: visitor, ...view });
      expect(body).toEqual({ success: true, accepted: 1, rejected: 0 });
    }
    const stored = (await storedEvents(scene.api)).filter(({ visitor_id }) => visitor_id === visitor);
    expect(stored).toHaveLength(2);
  });

  it.each(['i', 'identify', 'g', 'group', 'a', 'alias', 's', 'screen'])(
    '/v1/%s is accepted',
    async (name) => {
      const { status, body } = await post(`/v1/${name}`, { userId: 'u', anonymousId: visitor });
      expect([status, body]).toEqual([200, { success: true, accepted: 1, rejected: 0 }]);
    },
  );

  it('also accepts a batch', async () => {
    const { body } = await post('/v1/b', { batch: [ordered()] });
    expect(body).toEqual({ success: true, accepted: 1, rejected: 0 });
  });

  it.each(['1', 'true', 'yes', ''])('returns reasons for rejections with strict=%s', async (strict) => {
    const { body } = await post(`/v1/t?strict=${strict}`, {
      anonymousId: visitor,
      messageId: 'm',
      event: 'nothing',
    });
    const errors = [{ index: 0, messageId: 'm', reason: 'unknown_event' }];
    expect(body).toEqual({ success: true, accepted: 0, rejected: 1, errors });
  });

  it.each(['?strict=0', '?strict=false', ''])('returns no reasons with the query "%s"', async (query) => {
    const { body } = await post(`/v1/t${query}`, { anonymousId: visitor, messageId: 'm', event: 'nothing' });
    expect(body).toEqual({ success: true, accepted: 0, rejected: 1 });
  });

  it.each([
    ['[]', 400, 'BODY_MALFORMED', 'The body must be an object: a single message.'],
    ['{', 400, 'BODY_NOT_JSON', 'The body is not valid JSON.'],
    ['{"writeKey":"nobody","event":"x"}', 401, 'UNAUTHENTICATED', 'Unauthenticated.'],
  ])('rejects the body %s', async (text, status, code, message) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const answer = await scene.api.app.inject({ method: 'POST', url: '/v1/t', payload: text, headers });
    expect([answer.statusCode, answer.json()]).toEqual([status, { message, code }]);
  });

  it('responds to CORS preflights', async () => {
    for (const url of ['/v1/t', '/v1/p', '/v1/i', '/v1/b', '/v1/track']) {
      const answer = await scene.api.app.inject({ method: 'OPTIONS', url });
      expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([204, '*']);
    }
  });
});

describe('back-end libraries with default options', () => {
  it('are supported: @jitsu/js on a server', async () => {
    // The library requires a secret in the write key.
    const analytics = jitsuAnalytics({
      host: address,
      writeKey: `${key}:public`,
      s2s: true,
      errorPolicy: 'rethrow',
    });
    await analytics.identify('user-1', { plan: 'premium' });
    await analytics.page({ url: 'https://shop.example.com/cart' });
    await analytics.track('Experiment Viewed', {
      experiment_id: experiment.api_name,
      variation_id: experiment.variations[1].api_name,
    });
    await analytics.track(goal.api_name as string, { value: 12.5 });
    expect(await results()).toEqual([
      [0, 0, 0],
      [1, 1, 12.5],
    ]);
  });

  it('are supported: @segment/analytics-node', async () => {
    const analytics = new Analytics({ writeKey: key, host: address });
    const failures: unknown[] = [];
    analytics.on('error', (error) => failures.push(error));
    const properties = {
      experiment_id: experiment.api_name,
      variation_id: experiment.variations[1].api_name,
    };
    analytics.identify({ userId: 'user-1', traits: { plan: 'premium' } });
    analytics.track({ userId: 'user-1', event: 'Experiment Viewed', properties });
    analytics.track({ userId: 'user-1', event: goal.api_name as string, properties: { value: 12.5 } });
    await analytics.closeAndFlush();
    expect(failures).toEqual([]);
    expect(await results()).toEqual([
      [0, 0, 0],
      [1, 1, 12.5],
    ]);
  });

  it('are supported: RudderStack for Node, which compresses JSON and labels it as a form', async () => {
    const properties = { experiment_id: experiment.id, variation_id: experiment.variations[1].id };
    const of = (fields: object): object => ({ userId: 'user-2', messageId: randomUUID(), ...fields });
    const batch = [
      of({ type: 'identify', traits: { plan: 'premium' } }),
      of({ type: 'track', event: 'Experiment Viewed', properties }),
      of({ type: 'track', event: goal.api_name as string, properties: { value: 7 } }),
    ];
    // @rudderstack/rudder-sdk-node 3.0.13 sends this request with default options.
    const answer = await fetch(`${address}/v1/batch`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'content-encoding': 'gzip',
        authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
      },
      body: gzipSync(JSON.stringify({ batch, sentAt: new Date().toISOString() })),
    });
    expect([answer.status, await answer.json()]).toEqual([200, { success: true, accepted: 3, rejected: 0 }]);
    expect(await results()).toEqual([
      [0, 0, 0],
      [1, 1, 7],
    ]);
  });

  it('can send a batch in any order: RudderStack conversions count if they occurred after the exposure', async () => {
    await sleep(50); // The exposure must not be earlier than the start of the experiment.
    const sentAt = Date.now();
    const ago = (millis: number): string => new Date(sentAt - millis).toISOString();
    // RudderStack's libraries set `originalTimestamp`, but no `timestamp`.
    const at = (originalTimestamp: string, fields: object): object =>
      message(visitor, { timestamp: undefined, originalTimestamp, ...fields });
    const properties = { experiment_id: experiment.id, variation_id: experiment.variations[1].id };
    const batch = [
      at(ago(10), { event: goal.api_name, properties: { value: 7 } }),
      at(ago(20), { event: 'Experiment Viewed', properties }),
      at(ago(30_000), { event: goal.api_name, properties: { value: 100 } }),
    ];
    expect((await post('/v1/batch', { batch, sentAt: ago(0) })).body).toMatchObject({ accepted: 3 });
    expect(await results()).toEqual([
      [0, 0, 0],
      [1, 1, 7],
    ]);
  });

  it('get an error for an invalid originalTimestamp', async () => {
    const sent = { ...ordered(), originalTimestamp: 'yesterday' };
    const { body } = await send(scene.api, key, [sent, { ...sent, timestamp: null }]);
    expect(body).toMatchObject({ accepted: 1, errors: [{ index: 1, reason: 'invalid_timestamp' }] });
  });
});
