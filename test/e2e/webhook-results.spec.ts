import { randomUUID } from 'node:crypto';
import { BackgroundLoop } from '../../src/common/background-worker';
import { formatMicros } from '../../src/common/time/clock';
import { SnippetErrorReports } from '../../src/events/snippet-error-log';
import { ResultsService } from '../../src/results/results.service';
import { ResultWatch } from '../../src/results/watch/result-watch';
import type { TestApi } from '../support/api';
import { Cells } from '../support/cells';
import { newSite, type Site } from '../support/delivery';
import { send } from '../support/events';
import { anotherProject, Made, Maker, useScene } from '../support/scene';
import { bodiesFor, subscribe } from '../support/webhooks';
import { eventually } from '../support/waiting';

/* Webhook events about results and snippet errors. */

const MINUTE = 60_000_000;
const HOUR = 60 * MINUTE;
const DAY = '2026-05-01';
const EVENTS = ['experiment.verdict', 'experiment.sample_ratio_mismatch'];

const scene = useScene();
let now = Date.now() * 1_000;

afterEach(() => jest.restoreAllMocks());

/** Checks all due results, two minutes after the last check by default. */
async function look(api: TestApi = scene.api, after = 2 * MINUTE): Promise<void> {
  now += after;
  const watch = api.app.get(ResultWatch, { strict: false });
  while (await watch.step(now));
}

describe('results', () => {
  let make: Maker;
  let experiment: Made;
  let goal: Made;
  let variations: Made[];

  beforeEach(async () => {
    make = await anotherProject(scene);
    await scene.client.patch(make.project, { min_runtime_days: 0, min_conversions: 1 });
    goal = await make.goal({ name: 'Order placed' });
    const page = await make.page();
    experiment = await make.experiment({
      variations: [{ name: 'Original' }, { name: 'Green' }],
      pages: [page.id],
      goals: [goal.id],
    });
    await make.move(experiment, 'running');
    variations = (await scene.client.get(`${experiment.path}/variations`)).body as Made[];
  });

  /** Adds participants and converters to a variation. */
  async function add(index: number, participants: number, converters: number): Promise<void> {
    const place = { variation: variations[index].id, day: DAY };
    await new Cells(scene.api, experiment.id)
      .entered(place, participants)
      .converted(goal.id, place, { converters })
      .store();
  }

  const change = (webhook: Made, fields: object) =>
    scene.client.patch(`${make.project}/webhooks/${webhook.id}`, fields);

  const told = async (webhook: Made): Promise<unknown[]> =>
    (await bodiesFor(scene.api, webhook)).map(({ type, data }) =>
      type === 'experiment.verdict' ? [data.previous_verdict, data.verdict] : [type, data.detected],
    );

  it('are reported once for each change of a verdict, in both directions', async () => {
    const webhook = await subscribe(make, EVENTS);
    await add(0, 1_000, 100);
    await add(1, 1_000, 100);
    await look();
    await look();
    expect(await told(webhook)).toEqual([]);
    await add(1, 1_000, 300);
    await add(0, 1_000, 100);
    await look();
    await look();
    const [body] = await bodiesFor(scene.api, webhook);
    expect(body.data).toEqual({
      project_id: experiment.project_id,
      experiment: { id: experiment.id, name: experiment.name, api_name: experiment.api_name },
      goal: { id: goal.id, name: 'Order placed', api_name: 'order-placed' },
      variation: { id: variations[1].id, name: 'Green', api_name: 'green' },
      verdict: 'winner',
      previous_verdict: 'inconclusive',
    });
    await add(0, 1_000, 201);
    await add(1, 1_000, 1);
    await look();
    expect(await told(webhook)).toEqual([
      ['inconclusive', 'winner'],
      ['winner', 'inconclusive'],
    ]);
  });

  it('are reported when a sample ratio mismatch appears, and when it disappears', async () => {
    const webhook = await subscribe(make, ['experiment.sample_ratio_mismatch']);
    await add(0, 1_000, 100);
    await add(1, 1_000, 100);
    await look();
    await add(1, 1_000, 100);
    await look();
    await add(0, 1_000, 100);
    await look();
    expect(await told(webhook)).toEqual([
      ['experiment.sample_ratio_mismatch', true],
      ['experiment.sample_ratio_mismatch', false],
    ]);
  });

  it('are reported even if results of other experiments cannot be read', async () => {
    const webhook = await subscribe(make, EVENTS);
    for (let count = 0; count < 5; count += 1) {
      const broken = await make.withStatus('running');
      const place = { variation: (broken.variations as Made[])[0].id, day: DAY };
      await new Cells(scene.api, broken.id).entered(place, 1).store();
    }
    const results = scene.api.app.get(ResultsService, { strict: false });
    const sound = results.read.bind(results);
    const spy = jest
      .spyOn(results, 'read')
      .mockImplementation((id, ...rest) =>
        id === experiment.id ? sound(id, ...rest) : Promise.reject(new Error('broken')),
      );
    await add(0, 1_000, 100);
    await add(1, 1_000, 100);
    await look();
    await add(0, 1_000, 100);
    await add(1, 1_000, 300);
    await look();
    spy.mockRestore();
    expect(await told(webhook)).toEqual([['inconclusive', 'winner']]);
  });

  it('are reported once by two processes', async () => {
    const sibling = await scene.api.sibling();
    const webhook = await subscribe(make, EVENTS);
    await add(0, 1_000, 100);
    await add(1, 1_000, 100);
    await look();
    await add(0, 1_000, 100);
    await add(1, 1_000, 300);
    await Promise.all([look(), look(sibling, 0)]);
    await look();
    expect(await told(webhook)).toEqual([['inconclusive', 'winner']]);
    await sibling.close();
  });

  it('from the past are not reported to a new webhook, and are not checked without a webhook', async () => {
    await add(0, 1_000, 100);
    await add(1, 1_000, 300);
    await look();
    const rows = (): Promise<unknown[]> =>
      scene.api.database.read.query('SELECT 1 FROM told_results WHERE experiment_id = ?', [experiment.id]);
    expect(await rows()).toEqual([]);
    const webhook = await subscribe(make, EVENTS);
    await look();
    expect(await rows()).toHaveLength(1);
    expect(await told(webhook)).toEqual([]);
  });

  describe('that are there with the first data', () => {
    const NEWS = [
      ['experiment.sample_ratio_mismatch', true],
      ['inconclusive', 'untrustworthy'],
    ];

    /** Adds a sample ratio mismatch, which also makes the verdict untrustworthy. */
    async function addMismatch(): Promise<void> {
      await add(0, 500, 50);
      await add(1, 1_500, 150);
    }

    it('are reported to a webhook that is older than the data', async () => {
      const webhook = await subscribe(make, EVENTS);
      await look();
      await addMismatch();
      await look();
      await look();
      expect(await told(webhook)).toEqual(NEWS);
    });

    it('are reported to a webhook that was activated before', async () => {
      const webhook = await subscribe(make, EVENTS, { is_active: false });
      await look();
      expect((await change(webhook, { is_active: true })).status).toBe(200);
      await look();
      await addMismatch();
      await look();
      expect(await told(webhook)).toEqual(NEWS);
    });

    it('are reported if the data arrive immediately after the start', async () => {
      const webhook = await subscribe(make, EVENTS);
      experiment = await make.withStatus('running', { goals: [goal.id] });
      variations = experiment.variations as Made[];
      await addMismatch();
      await look();
      expect(await told(webhook)).toEqual(NEWS);
    });

    it.each([
      ['activated', { is_active: false }],
      ['subscribed to results', { events: ['project.published'] }],
    ])('are not reported to a webhook that is %s after the data', async (_what, fields) => {
      const webhook = await subscribe(make, EVENTS, fields);
      await look();
      await addMismatch();
      expect((await change(webhook, { is_active: true, events: EVENTS })).status).toBe(200);
      await look();
      expect(await told(webhook)).toEqual([]);
    });
  });

  it.each([
    ['deactivated', { is_active: false }],
    ['subscribed to other events', { events: ['project.published'] }],
  ])('are not reported to a new webhook for the time when the only one was %s', async (_what, fields) => {
    const earlier = await subscribe(make, EVENTS);
    await add(0, 1_000, 100);
    await add(1, 1_000, 100);
    await look();
    expect((await change(earlier, fields)).status).toBe(200);
    await look();
    await add(0, 1_000, 100);
    await add(1, 1_000, 300);
    const webhook = await subscribe(make, EVENTS);
    await look();
    expect(await told(webhook)).toEqual([]);
    await add(0, 1_000, 201);
    await add(1, 1_000, 1);
    await look();
    expect(await told(webhook)).toEqual([['winner', 'inconclusive']]);
  });

  it('are checked again after an hour without new events, because settings can change verdicts', async () => {
    const webhook = await subscribe(make, EVENTS);
    await scene.client.patch(make.project, { min_conversions: 100_000 });
    await add(0, 1_000, 100);
    await add(1, 1_000, 300);
    await look();
    await scene.client.patch(make.project, { min_conversions: 1 });
    await look();
    expect(await told(webhook)).toEqual([]);
    await look(scene.api, HOUR);
    expect(await told(webhook)).toEqual([['inconclusive', 'winner']]);
  });
});

/** Sends `count` error reports from a page. */
async function failOn(api: TestApi, { key }: Site, count: number): Promise<void> {
  const error = { build: '', where: 'js', message: 'TypeError: x is null' };
  const message = () => ({
    type: 'error',
    anonymousId: 'visitor',
    messageId: randomUUID(),
    properties: error,
    context: { library: { name: 'gosset.js' } },
  });
  const messages = Array.from({ length: count }, message);
  const answer = await send(api, key, messages, {}, { 'user-agent': 'Mozilla/5.0 Firefox/140.0' });
  expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ rejected: 0 })]);
}

it('snippet errors are reported immediately, then at most once an hour with the number of errors, even after an outage', async () => {
  const site = await newSite(scene);
  const webhook = await subscribe(site.make, ['snippet.errors']);
  const reports = scene.api.app.get(SnippetErrorReports, { strict: false });
  // The background loop is disabled, because the test decides when errors are counted.
  jest.spyOn(BackgroundLoop.prototype, 'start').mockReturnValue();
  const fail = (count: number): Promise<void> => failOn(scene.api, site, count);
  const counts = async (): Promise<unknown[]> =>
    (await bodiesFor(scene.api, webhook)).map(({ data }) => data.count);
  const start = Date.now() * 1_000;
  await fail(2);
  await reports.flush(start);
  expect(await counts()).toEqual([2]);
  await fail(3);
  await reports.flush(start + MINUTE);
  await fail(1);
  await reports.flush(start + HOUR - 1);
  expect(await counts()).toEqual([2]);
  await fail(3);
  const outage = jest.spyOn(scene.api.database, 'transaction').mockRejectedValueOnce(new Error('outage'));
  await expect(reports.flush(start + HOUR)).rejects.toThrow('outage');
  outage.mockRestore();
  await reports.flush(start + HOUR);
  await reports.flush(start + 3 * HOUR);
  expect(await counts()).toEqual([2, 7]);
  const [, second] = await bodiesFor(scene.api, webhook);
  expect(second.data).toMatchObject({ project_id: site.projectId, count: 7 });
  expect(Date.parse(String(second.data.since)) * 1_000).toBeGreaterThanOrEqual(start);
});

it('snippet errors are reported since the first one, even if a different process stores later ones first', async () => {
  const site = await newSite(scene);
  const webhook = await subscribe(site.make, ['snippet.errors']);
  jest.spyOn(BackgroundLoop.prototype, 'start').mockReturnValue();
  const sibling = await scene.api.sibling();
  const [own, others] = [scene.api, sibling].map((api) =>
    api.app.get(SnippetErrorReports, { strict: false }),
  );
  await failOn(scene.api, site, 1);
  const start = (Date.now() + 1) * 1_000;
  const [early, late] = [start + MINUTE, start + 2 * MINUTE];
  await own.flush(start + 10_000_000);
  others.count(site.projectId, 1, early);
  own.count(site.projectId, 1, late);
  await own.flush(late + MINUTE);
  await others.flush(start + 2 * HOUR);
  const [first, second] = (await bodiesFor(scene.api, webhook)).map(({ data }) => data);
  expect(Date.parse(String(first.since)) * 1_000).toBeLessThanOrEqual(start);
  expect(second).toMatchObject({ count: 2, since: formatMicros(early) });
  await sibling.close();
});

it('snippet errors that were counted just before the server stopped are reported', async () => {
  const site = await newSite(scene);
  const webhook = await subscribe(site.make, ['snippet.errors']);
  const server = await scene.api.sibling();
  await failOn(server, site, 3);
  await server.close();
  expect((await bodiesFor(scene.api, webhook)).map(({ data }) => data.count)).toEqual([3]);
});

it('snippet errors that are waiting for the next report are sent after a restart, even without a new error', async () => {
  const site = await newSite(scene);
  const webhook = await subscribe(site.make, ['snippet.errors']);
  const counts = async (): Promise<unknown[]> =>
    (await bodiesFor(scene.api, webhook)).map(({ data }) => data.count);
  for (const count of [1, 2]) {
    const server = await scene.api.sibling();
    await failOn(server, site, count);
    await server.close();
  }
  expect(await counts()).toEqual([1]);
  await scene.api.database.transaction((tx) =>
    tx.query('UPDATE snippet_error_counts SET told_at = told_at - ? WHERE project_id = ?', [
      HOUR,
      site.projectId,
    ]),
  );
  const restarted = await scene.api.sibling({ WORKER: 'inline' });
  await eventually(async () => (await counts()).length > 1);
  await restarted.close();
  expect(await counts()).toEqual([1, 2]);
});
