import { addEnvironment, nameOf, newSite, running, Site } from '../support/delivery';
import { storedEvents } from '../support/events';
import { ALL_FLAGS, askAll, askOne, conforming, subject } from '../support/ofrep';
import { Made, useScene } from '../support/scene';

/* OFREP: experiments as flags. Every response is validated against the protocol. */

const scene = useScene();
let site: Site;

beforeEach(async () => {
  site = await newSite(scene);
});

const one = (key: string, body: unknown, query = '') => askOne(site, key, body, query);
const all = (body: unknown, query = '', headers: Record<string, string> = {}) =>
  askAll(site, body, query, headers);

describe('one flag', () => {
  it('has the api_name of a variation as its value', async () => {
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

  it('has a reason but no value for visitors who are not eligible or do not take part', async () => {
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

  it('is disabled while the experiment is not live', async () => {
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

  it('is not found under a new name that is not published yet, as in the list of all flags', async () => {
    const live = await running(site, 2, { api_name: 'old-name' });
    await scene.client.patch(live.path, { api_name: 'new-name' });
    const bulk = (await all(subject('v'))).body.flags as Made[];
    expect(bulk.map(({ key, reason }) => [key, reason])).toEqual([['old-name', 'SPLIT']]);
    expect((await one('old-name', subject('v'))).body).toEqual(bulk[0]);
    expect((await one('new-name', subject('v'))).status).toBe(404);
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
      { message: details, code: 'FLAG_NOT_FOUND', key, errorCode: 'FLAG_NOT_FOUND', errorDetails: details },
    ]);
  });

  it.each([
    ['cannot be decoded', '%FF', ''],
    ['cannot be decoded', '%', '?values=always'],
    ['is too long', 'x'.repeat(1_001), '/'],
  ])('is not found if its name %s', async (_, key, end) => {
    const { status, body } = await site.post(`${ALL_FLAGS}/${key}${end}`, subject('v'));
    const details = `Flag '${key}' was not found.`;
    expect([status, body]).toEqual([
      404,
      { message: details, code: 'FLAG_NOT_FOUND', key, errorCode: 'FLAG_NOT_FOUND', errorDetails: details },
    ]);
  });

  it('is not found if its experiment was never started, like an unknown flag', async () => {
    await site.make.ready({ api_name: 'draft' });
    await site.make.withStatus('preview', { api_name: 'previewed' });
    const archived = await site.make.ready({ api_name: 'archived' });
    await site.make.move(archived, 'archive');
    for (const key of ['draft', 'previewed', 'archived', 'nothing']) {
      const { status, body } = await one(key, subject('v'));
      const details = `Flag '${key}' was not found.`;
      const refusal = {
        message: details,
        code: 'FLAG_NOT_FOUND',
        key,
        errorCode: 'FLAG_NOT_FOUND',
        errorDetails: details,
      };
      expect([status, body]).toEqual([404, refusal]);
    }
  });

  it('is not found if its experiment is in another project or in the trash', async () => {
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
  it('include live experiments, and experiments that were live and can be live again', async () => {
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

  it('are an empty list if no experiment ever ran', async () => {
    await site.make.ready();
    expect((await all(subject('v'))).body).toEqual({ flags: [], metadata: { revision: 0 } });
  });

  it('are evaluated for the requested environment', async () => {
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

  it('return 304 while they are unchanged', async () => {
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

  it('depend on the context', async () => {
    const audience = await site.make.audience({
      conditions: { type: 'attribute', name: 'plan', value: 'premium' },
    });
    await running(site, 2, { audiences: [audience.id] });
    const { headers } = await all(subject('v', { plan: 'premium' }));
    expect((await all(subject('v'), '', { 'if-none-match': headers.etag! })).status).toBe(200);
  });
});

it("the server rejects an unknown environment with the protocol's error code", async () => {
  await running(site);
  const errorDetails = 'The environment must be one of: production.';
  const refusal = { message: errorDetails, code: 'GENERAL', errorCode: 'GENERAL', errorDetails };
  const single = await one('experiment', subject('v'), '?environment=x');
  const bulk = await all(subject('v'), '?environment=x');
  expect([single.status, single.body]).toEqual([400, { ...refusal, key: 'experiment' }]);
  expect([bulk.status, bulk.body]).toEqual([400, refusal]);
});

it('the server rejects unknown keys, large bodies and other media types', async () => {
  const nobody = { authorization: 'Bearer pk_nobody' };
  conforming(ALL_FLAGS, await site.post(ALL_FLAGS, subject('v'), nobody));
  const unknown = await site.post(`${ALL_FLAGS}/x`, subject('v'), nobody);
  const large = await site.post(ALL_FLAGS, subject('v', { x: 'x'.repeat(512_000) }));
  const form = await site.post(ALL_FLAGS, 'x', { 'content-type': 'application/x-www-form-urlencoded' });
  expect([unknown.status, large.status, form.status]).toEqual([401, 413, 415]);
});

it('an evaluation records nothing', async () => {
  const experiment = await running(site);
  await one(experiment.api_name as string, subject('unrecorded'));
  await all(subject('unrecorded'));
  expect((await storedEvents(scene.api)).map(({ visitor_id }) => visitor_id)).not.toContain('unrecorded');
});
