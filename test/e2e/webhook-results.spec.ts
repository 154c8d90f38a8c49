import { ResultsService } from '../../src/results/results.service';
import { ResultWatch } from '../../src/results/watch/result-watch';
import type { TestApi } from '../support/api';
import { Cells } from '../support/cells';
import { anotherProject, Made, Maker, useScene } from '../support/scene';
import { bodiesFor, subscribe } from '../support/webhooks';

/* Webhook events about results. */

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
