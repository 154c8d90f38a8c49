import { GuardrailsService } from '../../src/experiments/guardrails/guardrails.service';
import { ResultWatch } from '../../src/results/watch/result-watch';
import { Cells } from '../support/cells';
import { anotherProject, type Made, type Maker, useScene } from '../support/scene';
import { bodiesFor, subscribe } from '../support/webhooks';

/* Webhook events about tripped guardrails. */

const MINUTE = 60_000_000;
const HOUR = 60 * MINUTE;
const DAY = '2026-05-01';

const scene = useScene();
let now = Date.now() * 1_000;

/** Checks all due results for webhooks, two minutes after the last check by default. */
async function look(after = 2 * MINUTE): Promise<void> {
  now += after;
  const watch = scene.api.app.get(ResultWatch, { strict: false });
  while (await watch.step(now));
}

/** Pauses experiments whose guardrails are tripped. */
const check = (): Promise<void> => scene.api.app.get(GuardrailsService, { strict: false }).look();

describe('a guardrail', () => {
  let make: Maker;
  let experiment: Made;
  let goal: Made;
  let variations: Made[];

  beforeEach(async () => {
    make = await anotherProject(scene);
    await scene.client.patch(make.project, { min_runtime_days: 0, min_conversions: 1 });
    goal = await make.goal({ name: 'Order placed' });
    experiment = await make.withStatus('running', { guardrails: [goal.id] });
    variations = experiment.variations as Made[];
  });

  /** Adds participants and converters to a variation. */
  async function add(index: number, participants: number, converters: number): Promise<void> {
    const place = { variation: variations[index].id, day: DAY };
    await new Cells(scene.api, experiment.id)
      .entered(place, participants)
      .converted(goal.id, place, { converters })
      .store();
  }

  async function addEqual(): Promise<void> {
    await add(0, 1_000, 100);
    await add(1, 1_000, 100);
  }

  /** Trips the guardrail: the variation converts significantly fewer participants than the original. */
  async function addLoss(): Promise<void> {
    await add(0, 1_000, 300);
    await add(1, 1_000, 100);
  }

  const guarded = (guardrail_action: string) => scene.client.patch(experiment.path, { guardrail_action });

  const change = (webhook: Made, fields: object) =>
    scene.client.patch(`${make.project}/webhooks/${webhook.id}`, fields);

  const typesFor = async (webhook: Made): Promise<string[]> =>
    (await bodiesFor(scene.api, webhook)).map(({ type }) => type);

  it('is reported once if it does not pause the experiment', async () => {
    const webhook = await subscribe(make, ['experiment.guardrail']);
    await addEqual();
    await look();
    await addLoss();
    await look();
    // The difference is no longer significant, then significant again.
    await add(1, 1_000, 200);
    await look();
    await add(1, 2_000, 0);
    await look();
    const bodies = await bodiesFor(scene.api, webhook);
    // 200 of 2,000 participants of the variation convert, compared with 400 of 2,000 of the original.
    expect(bodies.map(({ data }) => data)).toEqual([
      {
        project_id: experiment.project_id,
        experiment: { id: experiment.id, name: experiment.name, api_name: experiment.api_name },
        goal: { id: goal.id, name: 'Order placed', api_name: 'order-placed' },
        variation: { id: variations[1].id, name: variations[1].name, api_name: variations[1].api_name },
        difference: expect.closeTo(-0.1, 12),
      },
    ]);
    expect((await scene.client.get(experiment.path)).body.status).toBe('running');
  });

  it.each([
    ['after the experiment was found without data', true],
    ['immediately after the start', false],
  ])('is reported once if the first data trip it %s', async (_when, isNoted) => {
    const webhook = await subscribe(make, ['experiment.guardrail']);
    experiment = await make.withStatus('running', { guardrails: [goal.id] });
    variations = experiment.variations as Made[];
    if (isNoted) {
      await look();
      // The webhook is no longer older than the start.
      await change(webhook, { name: 'Alerts' });
    }
    await addLoss();
    await look();
    await look(HOUR);
    expect(await typesFor(webhook)).toEqual(['experiment.guardrail']);
  });

  it('is reported after a resume if it is tripped while the experiment is paused', async () => {
    const webhook = await subscribe(make, ['experiment.guardrail']);
    await addEqual();
    await look();
    await make.move(experiment, 'pause');
    await addLoss();
    await look();
    expect(await bodiesFor(scene.api, webhook)).toEqual([]);
    await make.move(experiment, 'running');
    await look(HOUR);
    await look(HOUR);
    expect((await bodiesFor(scene.api, webhook)).map(({ data }) => data.variation)).toEqual([
      expect.objectContaining({ id: variations[1].id }),
    ]);
  });

  it.each([
    ['before its action is changed to pause', true],
    ['by a pause before its action is changed to none', false],
  ])('is reported once if it is reported %s', async (_when, isReportedFirst) => {
    const webhook = await subscribe(make, ['experiment.guardrail', 'experiment.paused']);
    await guarded(isReportedFirst ? 'none' : 'pause');
    await addEqual();
    await look();
    await addLoss();
    if (isReportedFirst) {
      await look();
      await guarded('pause');
      await check();
    } else {
      await check();
      await guarded('none');
      await make.move(experiment, 'running');
      await look(HOUR);
    }
    expect(await typesFor(webhook)).toEqual(['experiment.guardrail', 'experiment.paused']);
  });

  it('that was tripped before the webhook was created is reported if it pauses the experiment', async () => {
    await addLoss();
    const webhook = await subscribe(make, ['experiment.guardrail']);
    await look();
    await look(HOUR);
    expect(await bodiesFor(scene.api, webhook)).toEqual([]);
    await guarded('pause');
    await check();
    expect(await bodiesFor(scene.api, webhook)).toHaveLength(1);
  });

  it('that was tripped while webhooks subscribed only to other events is reported if it pauses the experiment', async () => {
    const webhook = await subscribe(make, ['experiment.verdict']);
    await addEqual();
    await look();
    await addLoss();
    await look();
    await change(webhook, { events: ['experiment.guardrail', 'experiment.paused'] });
    await look(HOUR);
    expect(await typesFor(webhook)).toEqual(['experiment.verdict']);
    await guarded('pause');
    await check();
    expect(await typesFor(webhook)).toEqual([
      'experiment.verdict',
      'experiment.guardrail',
      'experiment.paused',
    ]);
  });

  it('that was tripped before a webhook subscribed is reported once when it is tripped again', async () => {
    await subscribe(make, ['experiment.verdict']);
    await addEqual();
    await look();
    await addLoss();
    await look();
    const webhook = await subscribe(make, ['experiment.guardrail']);
    await look(HOUR);
    // The difference is no longer significant, then significant again.
    await add(1, 1_000, 420);
    await look();
    expect(await typesFor(webhook)).toEqual([]);
    for (const participants of [3_000, 1_000]) {
      await add(1, participants, 0);
      await look();
    }
    expect(await typesFor(webhook)).toEqual(['experiment.guardrail']);
  });

  it('that was tripped before a webhook subscribed is not reported after a resume', async () => {
    await subscribe(make, ['experiment.verdict']);
    await addEqual();
    await look();
    await make.move(experiment, 'pause');
    await addLoss();
    await look();
    const webhook = await subscribe(make, ['experiment.guardrail']);
    await make.move(experiment, 'running');
    await look(HOUR);
    await look(HOUR);
    expect(await typesFor(webhook)).toEqual([]);
  });

  describe('that is tripped before the next check of the results is reported once if a webhook', () => {
    beforeEach(async () => {
      await subscribe(make, ['experiment.verdict']);
    });

    async function expectReport(webhook: Made): Promise<void> {
      await addLoss();
      await look();
      await look(HOUR);
      expect(await typesFor(webhook)).toEqual(['experiment.guardrail']);
    }

    it('was created before', async () => {
      await addEqual();
      await look();
      await expectReport(await subscribe(make, ['experiment.guardrail']));
    });

    it('was subscribed before', async () => {
      const webhook = await subscribe(make, ['experiment.started']);
      await addEqual();
      await look();
      await change(webhook, { events: ['experiment.guardrail'] });
      await expectReport(webhook);
    });

    it('was activated before', async () => {
      const webhook = await subscribe(make, ['experiment.guardrail']);
      await addEqual();
      await look();
      await change(webhook, { is_active: false });
      await look(HOUR);
      await change(webhook, { is_active: true });
      await expectReport(webhook);
    });

    it('was created after the guardrail had been tripped and was no longer tripped', async () => {
      await addLoss();
      await look();
      await add(1, 1_000, 500);
      await look();
      await expectReport(await subscribe(make, ['experiment.guardrail']));
    });
  });

  it('is reported once if the webhook is deactivated for a while', async () => {
    const webhook = await subscribe(make, ['experiment.guardrail', 'experiment.paused']);
    await addEqual();
    await look();
    await addLoss();
    await look();
    await change(webhook, { is_active: false });
    await look();
    await change(webhook, { is_active: true });
    await look();
    await guarded('pause');
    await check();
    expect(await typesFor(webhook)).toEqual(['experiment.guardrail', 'experiment.paused']);
  });

  it('is reported once if it pauses the experiment before the first check of its results', async () => {
    const webhook = await subscribe(make, ['experiment.guardrail']);
    await guarded('pause');
    await addLoss();
    await check();
    // The difference is no longer significant at the first check, then significant again.
    await add(1, 1_000, 500);
    await look();
    await guarded('none');
    await make.move(experiment, 'running');
    await add(1, 2_000, 0);
    await look(HOUR);
    expect(await typesFor(webhook)).toEqual(['experiment.guardrail']);
  });
});
