import { DAY_MICROS } from '../../src/common/time/clock';
import { GuardrailsService } from '../../src/experiments/guardrails/guardrails.service';
import { ResultsService } from '../../src/results/results.service';
import type { TestApi } from '../support/api';
import { Cells } from '../support/cells';
import { guardedIn } from '../support/guardrails';
import { anotherProject, errorsOf, Made, useScene } from '../support/scene';
import { bodiesFor, subscribe } from '../support/webhooks';

/* Guardrails are goals that must not get worse. A tripped guardrail can pause the experiment. */

const scene = useScene();

const day = new Date().toISOString().slice(0, 10);

const look = (api: TestApi = scene.api) => api.app.get(GuardrailsService, { strict: false }).look();

const guarded = guardedIn(scene);

const read = async ({ path }: Made): Promise<Made> => (await scene.client.get(path)).body as Made;

const audit = async ({ id }: Made): Promise<Made[]> =>
  (await scene.client.get(`${scene.project}/audit?item_type=experiment&item_id=${id}&action=status`))
    .body as Made[];

/**
 * Stores participants and converters of each variation. For 120 vs. 40 converters of 1,000 participants each, z is 6.6.
 */
async function converted(
  experiment: Made,
  goal: Made,
  counts: readonly [number, number],
  participants = 1_000,
): Promise<void> {
  const cells = new Cells(scene.api, experiment.id);
  for (const [index, converters] of counts.entries()) {
    const place = { variation: experiment.variations[index].id as number, day };
    cells.entered(place, participants).converted(goal.id, place, { converters });
  }
  await cells.store();
}

describe('guardrails of an experiment', () => {
  it('keep their order, separate from the goals, and are copied to a clone', async () => {
    const [a, b, c] = [await scene.make.goal(), await scene.make.goal(), await scene.make.goal()];
    const made = await scene.make.experiment({
      goals: [c.id],
      guardrails: [b.id, a.id],
      guardrail_action: 'pause',
    });
    const ids = ({ goals, guardrails }: Made) =>
      [goals, guardrails].map((list) => list.map(({ id }: Made) => id));
    expect(ids(await read(made))).toEqual([[c.id], [b.id, a.id]]);
    const clone = (await scene.client.post(`${made.path}/clone`)).body;
    expect([ids(clone), clone.guardrail_action]).toEqual([[[c.id], [b.id, a.id]], 'pause']);
    const moved = await scene.client.patch(made.path, { goals: [b.id], guardrails: [c.id] });
    expect([moved.status, ids(moved.body)]).toEqual([200, [[b.id], [c.id]]]);
  });

  it('cannot also be goals of the same experiment', async () => {
    const [a, b] = [await scene.make.goal(), await scene.make.goal()];
    const both = { goals: [a.id], guardrails: [b.id, a.id] };
    const created = await scene.client.post(`${scene.project}/experiments`, { name: 'Both', ...both });
    expect([created.status, Object.keys(errorsOf(created))]).toEqual([422, ['guardrails.1']]);
    const made = await scene.make.experiment({ goals: [a.id], guardrails: [b.id] });
    for (const [fields, path] of [
      [{ goals: [a.id, b.id] }, 'goals.1'],
      [{ guardrails: [a.id] }, 'guardrails.0'],
    ] as const) {
      const refused = await scene.client.patch(made.path, fields);
      expect([refused.status, Object.keys(errorsOf(refused))]).toEqual([422, [path]]);
    }
  });

  it('have one of two actions', async () => {
    const made = await scene.make.experiment();
    expect(made.guardrail_action).toBe('none');
    expect((await scene.client.patch(made.path, { guardrail_action: 'archive' })).status).toBe(422);
  });

  it('cannot be deleted while the experiment runs', async () => {
    const [, guardrail] = await guarded();
    expect((await scene.client.delete(guardrail.path)).status).toBe(422);
  });

  it('are listed after the goals in results, with their role', async () => {
    const [experiment, guardrail] = await guarded();
    await converted(experiment, guardrail, [100, 100]);
    const results = (await scene.client.get(`${experiment.path}/results`)).body as Made[];
    expect(results.map(({ role }) => role)).toEqual(['primary', 'guardrail']);
    expect(results[1]).toMatchObject({ id: guardrail.id });
  });
});

describe('a guardrail', () => {
  it.each(['pause', 'none'])(
    'is listed as tripped in the results before there is a verdict, with the action %s',
    async (action) => {
      const [experiment, guardrail] = await guarded({ guardrail_action: action });
      await converted(experiment, guardrail, [120, 40]);
      const [primary, entry] = (await scene.client.get(`${experiment.path}/results`)).body as Made[];
      const worse = experiment.variations[1].id as number;
      expect([primary.tripped, entry.tripped]).toEqual([undefined, [worse]]);
      expect(entry.variationStatistics[worse].statistics.verdict).toBe('inconclusive');
    },
  );

  it('pauses the experiment before the minimum runtime, with the reason', async () => {
    const [experiment, guardrail] = await guarded();
    await converted(experiment, guardrail, [120, 40]);
    await look();
    const paused = await read(experiment);
    expect(paused.status).toBe('pause');
    expect(paused.paused_reason).toContain('Refund asked');
    expect(paused.paused_reason).toContain(experiment.variations[1].name);
    const [entry] = await audit(experiment);
    expect(entry).toMatchObject({ actor: { type: 'guardrail' }, after: { status: 'pause' } });
  });

  it.each([
    ['better', [40, 120], {}, {}],
    ['better, because fewer conversions are better', [120, 40], {}, { direction: 'decrease' }],
    ['not significantly worse', [120, 100], {}, {}],
    ['below the minimum number of conversions', [25, 0], {}, {}],
    ['configured not to pause', [120, 40], { guardrail_action: 'none' }, {}],
  ] as const)('does not pause the experiment if it is %s', async (_what, counts, fields, goalFields) => {
    const [experiment, guardrail] = await guarded(fields, goalFields);
    await converted(experiment, guardrail, counts);
    await look();
    expect(await read(experiment)).toMatchObject({ status: 'running', paused_reason: null });
  });

  it('respects the direction of the goal', async () => {
    const [experiment, guardrail] = await guarded({}, { direction: 'decrease' });
    await converted(experiment, guardrail, [40, 120]);
    await look();
    expect((await read(experiment)).status).toBe('pause');
  });

  it('is checked again when the results have changed', async () => {
    const [experiment, guardrail] = await guarded();
    await converted(experiment, guardrail, [100, 100]);
    await look();
    expect((await read(experiment)).status).toBe('running');
    await converted(experiment, guardrail, [150, 10]);
    await look();
    expect((await read(experiment)).status).toBe('pause');
  });

  it('is checked again after the minimum runtime, even without new events', async () => {
    const make = await anotherProject(scene);
    await scene.client.patch(make.project, { min_runtime_days: 1 });
    const guardrail = await make.goal({ name: 'Refund asked' });
    const fields = { guardrails: [guardrail.id], guardrail_action: 'pause' };
    const experiment = await make.withStatus('running', fields);
    // p is 0.07 when tuned for 5,000 participants, and 0.01 when tuned for four times the participants of the first day.
    await converted(experiment, guardrail, [60, 28], 200);
    await look();
    expect((await read(experiment)).status).toBe('running');
    const guardrails = scene.api.app.get(GuardrailsService, { strict: false });
    await guardrails.look(Date.now() * 1_000 + DAY_MICROS);
    expect((await read(experiment)).status).toBe('pause');
  });

  it('pauses the experiment once: after a resume, it keeps running and has no pause reason', async () => {
    const [experiment, guardrail] = await guarded();
    await converted(experiment, guardrail, [120, 40]);
    await look();
    const resumed = await scene.client.patch(`${experiment.path}/status`, { status: 'running' });
    expect(resumed.body).toMatchObject({ status: 'running', paused_reason: null });
    await converted(experiment, guardrail, [120, 40]);
    const other = await scene.api.sibling();
    await Promise.all([look(), look(other)]);
    await other.close();
    expect((await read(experiment)).status).toBe('running');
  });

  it('pauses the experiment again if its direction has been corrected, and reports that too', async () => {
    const webhook = await subscribe(scene.make, ['experiment.guardrail']);
    const [experiment, guardrail] = await guarded({}, { direction: 'decrease' });
    await converted(experiment, guardrail, [40, 120]);
    await look();
    expect((await read(experiment)).status).toBe('pause');
    expect((await scene.client.patch(guardrail.path, { direction: 'increase' })).status).toBe(200);
    await scene.client.patch(`${experiment.path}/status`, { status: 'running' });
    await look();
    expect((await read(experiment)).status).toBe('running');
    await converted(experiment, guardrail, [1_500, 100], 5_000);
    await look();
    expect((await read(experiment)).status).toBe('pause');
    const reported = (await bodiesFor(scene.api, webhook)).map(({ data }) =>
      Math.sign(Number(data.difference)),
    );
    expect(reported).toEqual([1, -1]);
  });

  it('is reported to webhooks before the pause', async () => {
    const webhook = await subscribe(scene.make, ['experiment.guardrail', 'experiment.paused']);
    const [experiment, guardrail] = await guarded();
    await converted(experiment, guardrail, [120, 40]);
    await look();
    const bodies = await bodiesFor(scene.api, webhook);
    expect(bodies.map(({ type }) => type)).toEqual(['experiment.guardrail', 'experiment.paused']);
    // 40 of 1,000 participants of the variation convert, compared with 120 of 1,000 of the original.
    expect(bodies[0].data).toMatchObject({
      experiment: { id: experiment.id },
      goal: { id: guardrail.id, name: 'Refund asked' },
      variation: { id: experiment.variations[1].id },
      difference: expect.closeTo(-0.08, 12),
    });
  });

  it('pauses its experiment even if the check of another experiment fails, and that check is retried', async () => {
    const pairs = [await guarded(), await guarded()];
    for (const [experiment, guardrail] of pairs) {
      await converted(experiment, guardrail, [120, 40]);
    }
    const [[broken], [other]] = pairs;
    const results = scene.api.app.get(ResultsService, { strict: false });
    const sound = results.read.bind(results);
    const spy = jest
      .spyOn(results, 'read')
      .mockImplementation((id, ...rest) =>
        id === broken.id ? Promise.reject(new Error('broken')) : sound(id, ...rest),
      );
    await look();
    expect([(await read(broken)).status, (await read(other)).status]).toEqual(['running', 'pause']);
    spy.mockRestore();
    await look();
    expect((await read(broken)).status).toBe('pause');
  });

  it('waits for the next check if the experiment changes during the check', async () => {
    const [experiment, guardrail] = await guarded();
    await converted(experiment, guardrail, [120, 40]);
    const results = scene.api.app.get(ResultsService, { strict: false });
    const sound = results.read.bind(results);
    const change = (guardrail_action: string) => scene.client.patch(experiment.path, { guardrail_action });
    const spy = jest.spyOn(results, 'read').mockImplementationOnce(async (...args) => {
      const checked = await sound(...args);
      expect((await change('none')).status).toBe(200);
      return checked;
    });
    await look();
    spy.mockRestore();
    expect(await read(experiment)).toMatchObject({ status: 'running', paused_reason: null });
    await change('pause');
    await look();
    expect((await read(experiment)).status).toBe('pause');
  });

  it('pauses the experiment once in several processes', async () => {
    const [experiment, guardrail] = await guarded();
    await converted(experiment, guardrail, [120, 40]);
    const others = await Promise.all([scene.api.sibling(), scene.api.sibling()]);
    await Promise.all([look(), ...others.map((api) => look(api))]);
    for (const api of others) {
      await api.close();
    }
    const pauses = (await audit(experiment)).filter(({ actor }) => actor.type === 'guardrail');
    expect([(await read(experiment)).status, pauses.length]).toEqual(['pause', 1]);
  });
});
