import { randomUUID } from 'node:crypto';
import { EventCounters } from '../../src/events/event-metrics';
import {
  attributeAll,
  conversion,
  exposure,
  pageView,
  send,
  storedEvents,
  StoredRow,
} from '../support/events';
import { identify, ignoredLinks } from '../support/linked-visitors';
import { anotherProject, Made, refusedPaths, useScene } from '../support/scene';

/* Trusted events, which need an API token, and goals that accept only trusted events. */

const scene = useScene();
const DAY_MS = 86_400_000;

let key: string;
let experiment: Made;
let revenue: Made;
let visits: Made;

const path = (): string => `${scene.project}/events`;
const post = (batch: unknown[], query = '?strict=1', headers: Record<string, string> = {}) =>
  scene.client.post(`${path()}${query}`, { batch }, headers);
const at = (moment: number): { timestamp: string } => ({ timestamp: new Date(moment).toISOString() });

const storedOf = async (visitor: string): Promise<StoredRow[]> =>
  (await storedEvents(scene.api)).filter(({ visitor_id }) => visitor_id === visitor);

beforeAll(async () => {
  key = (await scene.client.get(scene.project)).body.client_key as string;
  const page = await scene.make.page({ conditions: [{ value: '/thanks' }] });
  revenue = await scene.make.goal({ name: 'Revenue', value_type: 'revenue', trusted_only: true });
  visits = await scene.make.goal({ name: 'Thanks', type: 'pageview', page_id: page.id, trusted_only: true });
  experiment = await scene.make.withStatus('running', { goals: [revenue.id, visits.id] });
});

describe('a goal that is trusted_only', () => {
  it('accepts no conversions with the client key, on any route', async () => {
    const { body } = await send(scene.api, key, [
      conversion('forger', 'revenue', 1_000_000),
      pageView('forger', 'https://shop.example.com/thanks'),
    ]);
    expect(body).toMatchObject({ accepted: 0, rejected: 2 });
    expect(body.errors.map(({ reason }: { reason: string }) => reason)).toEqual(['untrusted', 'untrusted']);
    const headers = { authorization: `Bearer ${key}` };
    const event = { id: revenue.id, value: 9 };
    const tracked = await scene.api
      .as(null)
      .post('//v1/track', { user: { id: 'forger' }, events: [event] }, headers);
    expect([tracked.status, refusedPaths(tracked)]).toEqual([422, ['events.0']]);
    expect(await storedOf('forger')).toEqual([]);
  });

  it('does not prevent a page view from counting for other goals', async () => {
    const page = await scene.make.page({ conditions: [{ value: '/both' }] });
    const open = await scene.make.goal({ name: 'Open', type: 'pageview', page_id: page.id });
    await scene.make.goal({ name: 'Closed', type: 'pageview', page_id: page.id, trusted_only: true });
    const { body } = await send(scene.api, key, [pageView('reader', 'https://shop.example.com/both')]);
    expect(body.accepted).toBe(1);
    expect((await storedOf('reader')).map(({ goal_id }) => goal_id)).toEqual([open.id]);
  });

  it('accepts conversions with an API token', async () => {
    const { status, body } = await post([
      exposure('buyer', experiment.id, experiment.variations[0].id),
      conversion('buyer', 'revenue', 49.9),
      pageView('buyer', 'https://shop.example.com/thanks'),
    ]);
    expect([status, body]).toEqual([200, { success: true, accepted: 3, rejected: 0, errors: [] }]);
    await attributeAll(scene.api);
    const results = (await scene.client.get(`${experiment.path}/results`)).body as Made[];
    const [variation] = Object.values(results[0].variationStatistics as Record<string, Made>);
    expect(variation).toMatchObject({ participants: 1, conversions: 1, totalValue: 49.9 });
  });

  it('can be turned on and off with immediate effect', async () => {
    const goal = await scene.make.goal({ name: 'Switched' });
    const reasons = async (): Promise<number> =>
      (await send(scene.api, key, [conversion('switcher', 'switched')])).body.accepted as number;
    expect(await reasons()).toBe(1);
    await scene.client.patch(goal.path, { trusted_only: true });
    expect(await reasons()).toBe(0);
    await scene.client.patch(goal.path, { trusted_only: false });
    expect(await reasons()).toBe(1);
  });

  it('rejects values other than true and false', async () => {
    const answer = await scene.client.patch(revenue.path, { trusted_only: 'yes' });
    expect(refusedPaths(answer)).toEqual(['trusted_only']);
  });
});

describe('trusted events', () => {
  it('can be of any age, while browser events are limited to three days', async () => {
    const goal = await scene.make.goal({ name: 'Old' });
    const month = Date.now() - 30 * DAY_MS;
    expect((await post([conversion('old', 'old', undefined, at(month))])).body.accepted).toBe(1);
    expect((await storedOf('old'))[0]).toMatchObject({ goal_id: goal.id, occurred_at: month * 1_000 });
    await send(scene.api, key, [conversion('late', 'old', undefined, at(month))]);
    expect((await storedOf('late'))[0].occurred_at).toBeGreaterThan((month + 26 * DAY_MS) * 1_000);
  });

  it('do not move the experiment start, so earlier exposures are rejected', async () => {
    const before = (await scene.client.get(experiment.path)).body.started_at as string;
    const yesterday = at(Date.now() - DAY_MS);
    const { body } = await post([exposure('early', experiment.id, experiment.variations[0].id, yesterday)]);
    expect(body.errors).toMatchObject([{ index: 0, reason: 'experiment_not_running' }]);
    expect((await scene.client.get(experiment.path)).body.started_at).toBe(before);
  });

  it('are stored once if they are sent repeatedly, with or without an Idempotency-Key', async () => {
    const batch = [conversion('once', 'revenue', 1)];
    const headers = { 'idempotency-key': randomUUID() };
    const first = await post(batch, '', headers);
    const again = await post(batch, '', headers);
    expect([again.status, again.body, again.headers['idempotency-replayed']]).toEqual([
      200,
      first.body,
      'true',
    ]);
    expect((await post(batch)).body.accepted).toBe(1);
    expect(await storedOf('once')).toHaveLength(1);
    expect((await post([conversion('twice', 'revenue', 1)], '', headers)).status).toBe(422);
  });

  it('are stored once with an Idempotency-Key if the server fails after it has stored them', async () => {
    const batch = [{ type: 'track', event: 'revenue', anonymousId: 'unnamed', properties: { value: 5 } }];
    const headers = { 'idempotency-key': randomUUID() };
    const counters = scene.api.app.get(EventCounters, { strict: false });
    const failing = jest.spyOn(counters, 'count').mockImplementationOnce(() => {
      throw new Error('It was killed.');
    });
    expect((await post(batch, '', headers)).status).toBe(500);
    failing.mockRestore();
    const again = await post(batch, '', headers);
    expect([again.status, again.headers['idempotency-replayed'], again.body]).toEqual([
      200,
      'true',
      { success: true, accepted: 1, rejected: 0 },
    ]);
    expect(await storedOf('unnamed')).toHaveLength(1);
  });

  it('are not stored by a dry run', async () => {
    const batch = [conversion('dry', 'revenue', 1), conversion('dry', 'nothing')];
    const { status, body, headers } = await post(batch, '?dry_run=1&strict=1');
    expect([status, headers['x-dry-run'], body.accepted, body.rejected]).toEqual([200, 'true', 1, 1]);
    expect(body.errors).toMatchObject([{ index: 1, reason: 'unknown_event' }]);
    expect(await storedOf('dry')).toEqual([]);
  });

  it('are not counted in metrics by a dry run', async () => {
    const before = await ignoredLinks(scene, 'same_id');
    for (const [query, count] of [
      ['?dry_run=1', 0],
      ['', 1],
    ] as const) {
      expect((await post([identify('same', 'same')], query)).body).toMatchObject({ accepted: 1 });
      expect(await ignoredLinks(scene, 'same_id')).toBe(before + count);
    }
  });

  it('reject a body that is not a batch', async () => {
    const send = (body: unknown) => scene.client.post(path(), body);
    expect(refusedPaths(await send({}))).toEqual(['batch']);
    expect(refusedPaths(await send({ batch: {} }))).toEqual(['batch']);
    expect(refusedPaths(await send([]))).toEqual(['body']);
    expect((await send('{')).status).toBe(400);
    expect(refusedPaths(await scene.client.post(`${path()}?strict=yes`, {}))).toEqual(['batch', 'strict']);
    expect((await send({ batch: Array<number>(25_000).fill(0) })).status).toBe(200);
    const many = await send({ batch: Array<number>(25_001).fill(0) });
    expect([many.status, many.body.max_events]).toEqual([413, 25_000]);
  });

  it.each([
    ['1', true],
    ['true', true],
    ['0', false],
    ['false', false],
  ])('return rejection reasons with strict=%s: %s', async (strict, isDetailed) => {
    const { status, body } = await post([conversion('strict', 'nothing')], `?strict=${strict}`);
    expect([status, body.rejected, 'errors' in body]).toEqual([200, 1, isDetailed]);
  });

  it.each(['yes', '', '1&strict=0'])('reject strict=%s', async (strict) => {
    const answer = await post([conversion('loose', 'revenue', 1)], `?strict=${strict}`);
    expect(refusedPaths(answer)).toEqual(['strict']);
    expect(await storedOf('loose')).toEqual([]);
  });

  it("count against the user's rate limit, and belong to the project in the path", async () => {
    const person = await scene.api.person(2);
    await scene.api.join(scene.world.teamId, person, 'editor');
    const statuses = [];
    for (let turn = 0; turn < 3; turn += 1) {
      statuses.push((await person.client.post(path(), { batch: [] })).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
    const other = await anotherProject(scene);
    const { body } = await scene.client.post(`${other.project}/events?strict=1`, {
      batch: [conversion('stranger', 'revenue', 1)],
    });
    expect(body.errors).toMatchObject([{ reason: 'unknown_event' }]);
  });
});
