import { GrowthBook } from '@growthbook/growthbook';
import * as fc from 'fast-check';
import { addEnvironment, nameOf, newSite, running, Site } from '../support/delivery';
import { Made, refusedPaths, useScene } from '../support/scene';

/* POST /api/eval/{clientKey}: the payload for one visitor. */

const scene = useScene();
let site: Site;
let experiment: Made;

beforeAll(async () => {
  site = await newSite(scene);
  const audience = await site.make.audience({
    conditions: [
      'or',
      { type: 'attribute', name: 'plan', value: 'premium' },
      { type: 'attribute', name: 'email', match: 'regex', value: '@a\\.example$' },
    ],
  });
  experiment = await running(site, 3, { audiences: [audience.id] });
});

const evaluate = (body?: unknown, query = '') =>
  scene.api.as(null).post(`//api/eval/${site.key}${query}`, body);

it('remote evaluation returns the same variation as decide, without conditions', async () => {
  const attributes = { id: 'visitor-1', plan: 'premium' };
  const { status, body, text } = await evaluate({ attributes });
  const decided = await site.post('/v1/decide', { user: { id: 'visitor-1', attributes } });
  const variation = nameOf(experiment, decided.body.user.bucketing[experiment.id] as number);
  expect([status, body.features[experiment.api_name as string].defaultValue]).toEqual([200, variation]);
  expect(text).not.toMatch(/premium|condition/);
  const names = (experiment.variations as Made[]).map(({ api_name }) => api_name as string);
  expect(names.filter((name) => text.includes(`"${name}"`))).toEqual([variation]);
});

it.each(['$plan', '$type', '$savedGroups'])(
  'remote evaluation uses the attribute %s like any other',
  async (name) => {
    const own = await newSite(scene);
    const audience = await own.make.audience({ conditions: { type: 'attribute', name, value: 'premium' } });
    const feature = (await running(own, 1, { audiences: [audience.id] })).api_name as string;
    const evaluated = async (attributes: object) =>
      (await scene.api.as(null).post(`//api/eval/${own.key}`, { attributes: { id: 'v', ...attributes } }))
        .body.features[feature]?.defaultValue as unknown;
    expect(await evaluated({ [name]: 'premium' })).toBe('variation-0');
    expect(await evaluated({ [name]: 'free' })).toBeNull();
  },
);

it('remote evaluation returns nothing for visitors who are not eligible', async () => {
  const { body } = await evaluate({ attributes: { id: 'visitor-1' } });
  const sdk = new GrowthBook({ attributes: { id: 'visitor-1' } });
  await sdk.setPayload(body);
  expect(sdk.getFeatureValue(experiment.api_name as string, 'default')).toBe('default');
});

it('remote evaluation accepts a missing or empty body, null for unknown values, and fields of other SDKs', async () => {
  const nothing = { attributes: null, forcedVariations: null, forcedFeatures: null, url: null };
  for (const body of [undefined, '', {}, nothing, { stickyBuckets: {}, savedGroups: 5 }]) {
    expect((await evaluate(body)).status).toBe(200);
  }
});

it('remote evaluation accepts forced values', async () => {
  const attributes = { id: 'visitor-1', plan: 'premium' };
  const forced = await evaluate({ attributes, forcedVariations: { [`exp-${experiment.id}`]: 2 } });
  const feature = experiment.api_name as string;
  expect(forced.body.features[feature].defaultValue).toBe(experiment.variations[2].api_name);
  const other = await evaluate({ attributes, forcedFeatures: [[feature, { any: ['thing'] }]] });
  expect(other.body.features[feature].defaultValue).toEqual({ any: ['thing'] });
});

it('remote evaluation supports environments', async () => {
  await addEnvironment(scene, site, 'Staging');
  await scene.client.patch(`${experiment.path}/publish`);
  const attributes = { id: 'v', plan: 'premium' };
  expect(Object.keys((await evaluate({ attributes }, '?environment=production')).body.features)).toHaveLength(
    1,
  );
  expect((await evaluate({ attributes }, '?environment=staging')).body).toEqual({
    features: {},
    experiments: [],
  });
  expect(refusedPaths(await evaluate({ attributes }, '?environment=other'))).toEqual(['environment']);
  const every = await evaluate({ attributes: 1, url: 2 }, '?environment=other&experiments=all');
  expect(refusedPaths(every)).toEqual(['attributes', 'environment', 'experiments', 'url']);
  expect((await evaluate('{', '?environment=other')).status).toBe(400);
});

it.each<[string, unknown, string[]]>([
  ['a list', [], ['body']],
  ['null', 'null', ['body']],
  ['attributes that are a list', { attributes: [] }, ['attributes']],
  ['attributes that are a string', { attributes: 'x' }, ['attributes']],
  ['an id that is not ASCII', { attributes: { id: 'é' } }, ['attributes.id']],
  ['an id that is too long', { attributes: { id: 'x'.repeat(65) } }, ['attributes.id']],
  ['an id that is a fraction', { attributes: { id: 5.5 } }, ['attributes.id']],
  ['an id that is too large for a number', { attributes: { id: 2 ** 53 } }, ['attributes.id']],
  ['forced variations that are not indexes', { forcedVariations: { a: 'b' } }, ['forcedVariations']],
  ['forced variations that are a list', { forcedVariations: [1] }, ['forcedVariations']],
  ['forced features that are not pairs', { forcedFeatures: ['a'] }, ['forcedFeatures']],
  ['forced features that are an object', { forcedFeatures: { a: 1 } }, ['forcedFeatures']],
  ['forced features without a key', { forcedFeatures: [[1, 2]] }, ['forcedFeatures']],
  ['a URL that is a number', { url: 5 }, ['url']],
  [
    'all of these errors',
    { attributes: 1, forcedVariations: 1, forcedFeatures: 1, url: 1 },
    ['attributes', 'forcedFeatures', 'forcedVariations', 'url'],
  ],
])('remote evaluation rejects %s', async (_, body, paths) => {
  expect(refusedPaths(await evaluate(body))).toEqual(paths);
});

it.each(['attributes', 'forcedFeatures'])(
  'remote evaluation rejects %s that are nested too deeply',
  async (field) => {
    const deep = '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000);
    const value = field === 'attributes' ? deep : `[["x",${deep}]]`;
    expect(refusedPaths(await evaluate(`{"${field}":${value}}`))).toEqual([field]);
  },
);

it('remote evaluation rejects invalid JSON and unknown keys', async () => {
  expect((await evaluate('{')).status).toBe(400);
  for (const key of ['pk_nobody', 'x', "'", '%00']) {
    const answer = await scene.api.as(null).post(`//api/eval/${key}`, {});
    expect([key, answer.status, answer.body]).toEqual([
      key,
      404,
      { message: 'Not Found', code: 'NOT_FOUND' },
    ]);
  }
});

it('remote evaluation responds with 200 or 422 to any attributes, forced values and URLs', async () => {
  const key = fc.constantFrom(
    'id',
    'plan',
    'email',
    '__proto__',
    'constructor',
    `exp-${experiment.id}`,
    'url',
  );
  const object = fc.dictionary(key, fc.jsonValue({ maxDepth: 3 }));
  const request = fc.record(
    {
      attributes: object,
      forcedVariations: fc.dictionary(key, fc.integer()),
      forcedFeatures: fc.array(fc.tuple(key, fc.jsonValue({ maxDepth: 2 }))),
      url: fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.string()),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(request, async (body) => {
      const { statusCode } = await scene.api.app.inject({
        method: 'POST',
        url: `/api/eval/${site.key}`,
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify(body),
      });
      expect([200, 422]).toContain(statusCode);
    }),
    { numRuns: 300 },
  );
});
