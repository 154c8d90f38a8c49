import type { Answer } from '../support/client';
import { addEnvironment, nameOf, newSite, running, Site } from '../support/delivery';
import { storedEvents } from '../support/events';
import { ALL_FLAGS, ONE_FLAG, protocolProblem } from '../support/ofrep';
import { Made, useScene } from '../support/scene';

/* OFREP: experiments as flags. Every answer is compared with the protocol itself. */

const scene = useScene();
let site: Site;

beforeEach(async () => {
  site = await newSite(scene);
});

const subject = (id: unknown, properties: object = {}) => ({ context: { targetingKey: id, ...properties } });

function conforming(
  path: string,
  answer: Answer<any> /* eslint-disable-line @typescript-eslint/no-explicit-any -- as in bodies */,
) {
  expect([answer.status, answer.body, protocolProblem(path, answer)]).toEqual([
    answer.status,
    answer.body,
    null,
  ]);
  return answer;
}

const one = async (key: string, body: unknown, query = '') =>
  conforming(ONE_FLAG, await site.post(`${ALL_FLAGS}/${encodeURIComponent(key)}${query}`, body));

const all = async (body: unknown, query = '', headers: Record<string, string> = {}) =>
  conforming(ALL_FLAGS, await site.post(`${ALL_FLAGS}${query}`, body, headers));

describe('one flag', () => {
  it('has the name of a variation as its value', async () => {
    const experiment = await running(site);
    const { status, body } = await one(experiment.api_name as string, subject('visitor-1'));
    const variation = body.metadata.variation_id as number;
    expect([status, body]).toEqual([
      200,
      {
        key: experiment.api_name,
        reason: 'SPLIT',
        value: nameOf(experiment, variation),
        variant: nameOf(experiment, variation),
        metadata: { experiment_id: experiment.id, variation_id: variation, phase: 1, revision: 1 },
      },
    ]);
    const decided = await site.post('/v1/decide', { user: { id: 'visitor-1' } });
    expect(decided.body.user.bucketing).toEqual({ [experiment.id]: variation });
  });

  it('has no value for who is not eligible or does not take part, and says why', async () => {
    const audience = await site.make.audience({
      conditions: { type: 'attribute', name: 'plan', value: 'premium' },
    });
    const experiment = await running(site, 2, { audiences: [audience.id], traffic_allocation: 0 });
    const outcome = async (properties: object) =>
      (await one(experiment.api_name as string, subject('v', properties))).body as unknown;
    const without = (excluded_by: string) => ({
      key: experiment.api_name,
      reason: 'UNKNOWN',
      metadata: { experiment_id: experiment.id, excluded_by, revision: 1 },
    });
    expect(await outcome({})).toEqual(without('audience'));
    expect(await outcome({ plan: 'premium' })).toEqual(without('traffic'));
  });

  it('is disabled where the experiment is not live', async () => {
    await addEnvironment(scene, site, 'Staging');
    const live = await running(site);
    const paused = await running(site, 2, { api_name: 'paused' });
    await site.make.move(paused, 'pause');
    const disabled = ({ id, api_name }: Made) => ({
      key: api_name,
      reason: 'DISABLED',
      metadata: { experiment_id: id, revision: 3 },
    });
    const { status, body } = await one(paused.api_name as string, subject('v'));
    expect([status, body]).toEqual([200, disabled(paused)]);
    const elsewhere = await one(live.api_name as string, subject('v'), '?environment=staging');
    expect(elsewhere.body).toEqual(disabled(live));
  });

  it.each([
    'unknown',
    'Experiment',
    'x'.repeat(65),
    'a b',
    'ü',
    "' OR 1=1 --",
    '%',
    'constructor',
    '__proto__',
  ])('is not found under the name %j', async (key) => {
    await running(site);
    const { status, body } = await one(key, subject('v'));
    const details = `Flag '${key}' was not found.`;
    expect([status, body]).toEqual([
      404,
      { message: details, key, errorCode: 'FLAG_NOT_FOUND', errorDetails: details },
    ]);
  });

  it('is not found when it was never started, like one that there is not', async () => {
    await site.make.ready({ api_name: 'draft' });
    await site.make.withStatus('preview', { api_name: 'previewed' });
    const archived = await site.make.ready({ api_name: 'archived' });
    await site.make.move(archived, 'archive');
    for (const key of ['draft', 'previewed', 'archived', 'nothing']) {
      const { status, body } = await one(key, subject('v'));
      const details = `Flag '${key}' was not found.`;
      const refusal = { message: details, key, errorCode: 'FLAG_NOT_FOUND', errorDetails: details };
      expect([status, body]).toEqual([404, refusal]);
    }
  });

  it('is not found when it is another project’s or in the trash', async () => {
    const [foreign, gone] = [
      await scene.other.make.withStatus('running', { api_name: 'foreign' }),
      await running(site),
    ];
    await scene.client.delete(gone.path);
    for (const key of [foreign.api_name, gone.api_name] as string[]) {
      expect((await one(key, subject('v'))).status).toBe(404);
    }
  });
});

describe('all flags', () => {
  it('are those of live experiments, and of those that were live and may be again', async () => {
    const live = await running(site, 2, { api_name: 'live' });
    await site.make.ready({ api_name: 'draft' });
    await site.make.withStatus('preview', { api_name: 'previewed' });
    const paused = await running(site, 2, { api_name: 'paused' });
    await site.make.move(paused, 'pause');
    const archived = await running(site, 2, { api_name: 'archived' });
    await site.make.move(archived, 'archive');
    const { status, body } = await all(subject('visitor-1'));
    expect([status, body]).toEqual([
      200,
      {
        flags: [
          expect.objectContaining({ key: 'live', reason: 'SPLIT' }),
          { key: 'paused', reason: 'DISABLED', metadata: { experiment_id: paused.id, revision: 5 } },
        ],
        metadata: { revision: 5 },
      },
    ]);
    expect(body.flags[0]).toEqual((await one(live.api_name as string, subject('visitor-1'))).body);
  });

  it('are none where nothing ever ran', async () => {
    await site.make.ready();
    expect((await all(subject('v'))).body).toEqual({ flags: [], metadata: { revision: 0 } });
  });

  it('are those of the environment that is asked for', async () => {
    const staging = await addEnvironment(scene, site, 'Staging');
    await running(site, 2, { api_name: 'here' });
    await running(site, 2, { api_name: 'there', environments: [staging] });
    const reasons = async (query: string) =>
      Object.fromEntries(
        (await all(subject('v'), query)).body.flags.map(({ key, reason }: Made) => [key, reason]),
      );
    expect(await reasons('')).toEqual({ here: 'SPLIT', there: 'DISABLED' });
    expect(await reasons('?environment=staging')).toEqual({ here: 'DISABLED', there: 'SPLIT' });
  });

  it('need not be sent again while they are the same', async () => {
    const experiment = await running(site);
    const first = await all(subject('v'));
    const etag = first.headers.etag!;
    expect(etag).toMatch(/^"[\da-f]{32}"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await all(subject('v'), '', { 'if-none-match': known });
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
    }
    const audience = await site.make.audience({
      conditions: { type: 'attribute', name: 'plan', value: 'x' },
    });
    await scene.client.patch(experiment.path, { audiences: [audience.id] });
    expect((await all(subject('v'), '', { 'if-none-match': etag })).status).toBe(304);
    await scene.client.patch(`${experiment.path}/publish`);
    const changed = await all(subject('v'), '', { 'if-none-match': etag });
    expect([changed.status, changed.body.flags[0].reason]).toEqual([200, 'UNKNOWN']);
    expect(changed.headers.etag).not.toBe(etag);
  });

  it('are other flags for another context', async () => {
    const audience = await site.make.audience({
      conditions: { type: 'attribute', name: 'plan', value: 'premium' },
    });
    await running(site, 2, { audiences: [audience.id] });
    const { headers } = await all(subject('v', { plan: 'premium' }));
    expect((await all(subject('v'), '', { 'if-none-match': headers.etag! })).status).toBe(200);
  });
});

describe('the context', () => {
  const IPHONE =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

  it.each<[object, object, object]>([
    [
      { type: 'device', value: 'mobile' },
      { userAgent: IPHONE },
      { userAgent: IPHONE, deviceType: 'desktop' },
    ],
    [
      { type: 'language', match: 'starts_with', value: 'de' },
      { locale: 'de-CH' },
      { locale: 'de-CH', language: 'fr' },
    ],
    [
      { type: 'query', name: 'a', value: '1' },
      { url: 'https://x.example/?a=1' },
      { url: 'https://x.example/?a=1', query: {} },
    ],
    [
      { type: 'url', match: 'starts_with', value: 'https://x.example/' },
      { url: 'HTTPS://X.example' },
      { url: 5 },
    ],
    [
      { type: 'referrer', match: 'exact', value: 'https://x.example/' },
      { referrer: 'https://x.example/' },
      { referrer: '' },
    ],
    [{ type: 'attribute', name: 'age', match: 'gte', value: 18 }, { age: 18 }, { age: 17 }],
  ])('is what conditions such as %j ask for', async (conditions, eligible, other) => {
    const audience = await site.make.audience({ conditions });
    const { api_name } = await running(site, 2, { audiences: [audience.id] });
    const reasonOf = async (properties: object): Promise<string> =>
      (await one(api_name as string, subject('v', properties))).body.reason;
    expect([await reasonOf(eligible), await reasonOf(other)]).toEqual(['SPLIT', 'UNKNOWN']);
  });

  it('does not say who the visitor is in another place', async () => {
    const experiment = await running(site);
    const plain = await one(experiment.api_name as string, subject('v'));
    const other = await one(experiment.api_name as string, subject('v', { id: 'other' }));
    expect(other.body).toEqual(plain.body);
  });

  const deep = '{"a":'.repeat(40) + '1' + '}'.repeat(40);

  it.each<[string, unknown, string, string]>([
    ['no JSON', '{', 'PARSE_ERROR', 'The body must be a JSON object.'],
    ['nothing', undefined, 'PARSE_ERROR', 'The body must be a JSON object.'],
    ['a list', [], 'PARSE_ERROR', 'The body must be a JSON object.'],
    ['no context', {}, 'INVALID_CONTEXT', 'The context must be an object.'],
    ['a context that is a list', { context: [] }, 'INVALID_CONTEXT', 'The context must be an object.'],
    ['no targetingKey', { context: {} }, 'TARGETING_KEY_MISSING', 'The context has no targetingKey.'],
    ['an empty one', subject(''), 'TARGETING_KEY_MISSING', 'The context has no targetingKey.'],
    ['null', subject(null), 'TARGETING_KEY_MISSING', 'The context has no targetingKey.'],
    [
      'a fraction',
      subject(5.5),
      'INVALID_CONTEXT',
      'The targetingKey must be 1 to 64 printable ASCII characters.',
    ],
    [
      'a long one',
      subject('x'.repeat(65)),
      'INVALID_CONTEXT',
      'The targetingKey must be 1 to 64 printable ASCII characters.',
    ],
    [
      'one that is not ASCII',
      subject('Zoë'),
      'INVALID_CONTEXT',
      'The targetingKey must be 1 to 64 printable ASCII characters.',
    ],
    [
      'one that is nested too deep',
      `{"context":${deep}}`,
      'INVALID_CONTEXT',
      'The context is nested deeper than 32 levels.',
    ],
  ])('is refused when it is %s', async (_, body, errorCode, errorDetails) => {
    await running(site);
    const [single, bulk] = [await one('experiment', body), await all(body)];
    const refusal = { message: errorDetails, errorCode, errorDetails };
    expect([single.status, single.body]).toEqual([400, { ...refusal, key: 'experiment' }]);
    expect([bulk.status, bulk.body]).toEqual([400, refusal]);
  });
});

it('refuses an environment that does not exist in the words of the protocol', async () => {
  await running(site);
  const errorDetails = 'The environment must be one of: production.';
  const refusal = { message: errorDetails, errorCode: 'GENERAL', errorDetails };
  const single = await one('experiment', subject('v'), '?environment=x');
  const bulk = await all(subject('v'), '?environment=x');
  expect([single.status, single.body]).toEqual([400, { ...refusal, key: 'experiment' }]);
  expect([bulk.status, bulk.body]).toEqual([400, refusal]);
});

it('refuses unknown keys, large bodies and other types', async () => {
  const nobody = { authorization: 'Bearer pk_nobody' };
  conforming(ALL_FLAGS, await site.post(ALL_FLAGS, subject('v'), nobody));
  const unknown = await site.post(`${ALL_FLAGS}/x`, subject('v'), nobody);
  const large = await site.post(ALL_FLAGS, subject('v', { x: 'x'.repeat(512_000) }));
  const form = await site.post(ALL_FLAGS, 'x', { 'content-type': 'application/x-www-form-urlencoded' });
  expect([unknown.status, large.status, form.status]).toEqual([401, 413, 415]);
});

it('records nothing', async () => {
  const experiment = await running(site);
  await one(experiment.api_name as string, subject('unrecorded'));
  await all(subject('unrecorded'));
  expect((await storedEvents(scene.api)).map(({ visitor_id }) => visitor_id)).not.toContain('unrecorded');
});
