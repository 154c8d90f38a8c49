import { dayOf, formatDay, nowMicros } from '../../src/common/time/clock';
import { errorsOf, Made, useScene } from '../support/scene';

/* The first start fixes the planned sample size and end of an experiment. */

const scene = useScene();

const END = '2096-02-29';
const PLAN = { minimum_effect: 5, planned_participants: 20_000, planned_end: END };

const patch = (experiment: Made, fields: object) => scene.client.patch(experiment.path, fields);

interface Fixed {
  participants: number;
  end_day: number | null;
  removed_day: number | null;
  min_conversions: number;
  min_runtime_days: number;
  goal_comparisons: number | null;
  guardrail_comparisons: number | null;
}

async function fixedPlan({ id }: Made): Promise<Fixed | undefined> {
  const [row]: Fixed[] = await scene.api.database.read.query(
    'SELECT * FROM experiment_plans WHERE experiment_id = ?',
    [id],
  );
  return row;
}

const idsOf = (goals: readonly Made[]): number[] => goals.map(({ id }) => id);

async function started(fields: object = PLAN): Promise<Made> {
  const experiment = await scene.make.ready(fields);
  await scene.make.move(experiment, 'running');
  return experiment;
}

/** As if the planned end had passed in the meantime. */
const planToEndYesterday = ({ id }: Made) =>
  scene.api.database.transaction((tx) =>
    tx.query('UPDATE experiments SET planned_end = ? WHERE id = ?', [dayOf(nowMicros()) - 1, id]),
  );

describe('the plan of an experiment', () => {
  it('can change until the first start, even in preview', async () => {
    const experiment = await scene.make.ready(PLAN);
    expect(experiment).toMatchObject(PLAN);
    await scene.make.move(experiment, 'preview');
    const fields = { planned_participants: 30_000, planned_end: null };
    expect((await patch(experiment, fields)).body).toMatchObject(fields);
    expect(await fixedPlan(experiment)).toBeUndefined();
  });

  it('cannot end before the scheduled start, because that start would be refused', async () => {
    const schedule = { starts_at: '2096-03-01T00:00:00Z' };
    const both = await scene.client.post(`${scene.project}/experiments`, { name: 'B', ...PLAN, ...schedule });
    expect(errorsOf(both)).toEqual({
      planned_end: [`The planned end ${END} is before the scheduled start, 2096-03-01T00:00:00Z.`],
    });
    const planned = await scene.make.ready(PLAN);
    expect(errorsOf(await patch(planned, schedule))).toEqual({
      starts_at: [`The start is after the planned end, ${END}.`],
    });
    expect((await patch(planned, { starts_at: `${END}T23:59:59Z` })).status).toBe(200);
    const earlier = errorsOf(await patch(planned, { planned_end: '2096-02-28' }));
    expect(Object.keys(earlier)).toEqual(['planned_end']);
    expect((await patch(planned, { planned_end: null, ...schedule })).status).toBe(200);
    const running = await started({ ...PLAN, planned_end: formatDay(dayOf(nowMicros())) });
    await scene.make.move(running, 'pause');
    expect((await patch(running, schedule)).status).toBe(200);
  });

  it("is fixed at the first start, together with the project's minimums", async () => {
    await scene.client.patch(scene.project, { min_conversions: 40, min_runtime_days: 14 });
    const experiment = await started();
    await scene.client.patch(scene.project, { min_conversions: 25, min_runtime_days: 7 });
    await scene.make.move(experiment, 'pause');
    await scene.make.move(experiment, 'running');
    expect(await fixedPlan(experiment)).toMatchObject({
      participants: 20_000,
      removed_day: null,
      min_conversions: 40,
      min_runtime_days: 14,
    });
  });

  it.each([
    [0, null],
    [2, 4],
  ])('is fixed with its numbers of comparisons, with %d guardrails', async (count, ofGuardrails) => {
    const goals = [await scene.make.goal(), await scene.make.goal(), await scene.make.goal()];
    const [guardrails, others] = [goals.slice(0, count), goals.slice(count)];
    const experiment = await scene.make.ready({
      ...PLAN,
      goals: idsOf(others),
      guardrails: idsOf(guardrails),
    });
    await scene.make.variation(experiment);
    await scene.make.move(experiment, 'running');
    expect(await fixedPlan(experiment)).toMatchObject({
      goal_comparisons: others.length * 2,
      guardrail_comparisons: ofGuardrails,
    });
  });

  it.each([
    [{ planned_participants: 10_000 }, ['planned_participants']],
    [{ planned_end: '2096-03-01' }, ['planned_end']],
    [{ planned_participants: 10_000, planned_end: '2096-03-01' }, ['planned_end', 'planned_participants']],
  ])('cannot change after the first start: %j', async (fields, paths) => {
    const experiment = await started();
    const refused = await patch(experiment, { ...fields, minimum_effect: 3 });
    expect(Object.keys(errorsOf(refused)).sort()).toEqual(paths);
    expect(refused.body.code).toBe('PLAN_FIXED');
    expect((await scene.client.get(experiment.path)).body).toMatchObject(PLAN);
    await scene.make.move(experiment, 'pause');
    expect((await patch(experiment, fields)).body.code).toBe('PLAN_FIXED');
  });

  it('cannot be added after the first start', async () => {
    const experiment = await started({});
    const refused = await patch(experiment, { planned_participants: 100 });
    expect([errorsOf(refused), refused.body.code]).toEqual([
      { planned_participants: ['The planned participants cannot change after the first start: send null.'] },
      'PLAN_FIXED',
    ]);
    expect(await fixedPlan(experiment)).toBeUndefined();
  });

  it('can be sent back unchanged, and the minimum effect can change', async () => {
    const experiment = await started();
    const { body } = await scene.client.get(experiment.path);
    expect((await scene.client.put(experiment.path, body)).status).toBe(200);
    const changed = await patch(experiment, { ...PLAN, minimum_effect: null });
    expect([changed.status, changed.body.minimum_effect]).toEqual([200, null]);
    expect(await fixedPlan(experiment)).toMatchObject({ participants: 20_000, removed_day: null });
  });

  it.each([{ planned_participants: null }, { planned_end: null }])(
    'cannot lose only one of its limits: %j',
    async (half) => {
      const experiment = await started();
      const refused = await patch(experiment, half);
      const [field] = Object.keys(half) as (keyof typeof PLAN)[];
      expect(errorsOf(refused)).toEqual({
        [field]: [
          `The ${field.replace('_', ' ')} cannot change after the first start: send ${PLAN[field]}, or null for both planned_participants and planned_end to remove the plan.`,
        ],
      });
      expect(refused.body.code).toBe('PLAN_FIXED');
      expect((await scene.client.get(experiment.path)).body).toMatchObject(PLAN);
      expect(await fixedPlan(experiment)).toMatchObject({ removed_day: null });
    },
  );

  it.each([
    ['both limits', {}],
    ['only planned participants', { planned_end: null }],
    ['only a planned end', { planned_participants: null }],
  ])('can be removed permanently if it has %s', async (_, fields) => {
    const experiment = await started({ ...PLAN, ...fields });
    const before = dayOf(nowMicros());
    const removed = { planned_participants: null, planned_end: null };
    expect((await patch(experiment, removed)).body).toMatchObject(removed);
    const day = (await fixedPlan(experiment))?.removed_day;
    expect('planned_participants' in fields ? [undefined] : [before, dayOf(nowMicros())]).toContain(day);
    for (const again of [{ planned_participants: 20_000 }, { planned_end: END }]) {
      expect((await patch(experiment, again)).body.code).toBe('PLAN_FIXED');
    }
  });

  it('does not prevent a paused experiment from resuming after the planned end', async () => {
    const experiment = await started();
    await scene.make.move(experiment, 'pause');
    await planToEndYesterday(experiment);
    expect((await scene.make.move(experiment, 'running')).status).toBe('running');
  });

  it('cannot end before the experiment starts', async () => {
    const yesterday = formatDay(dayOf(nowMicros()) - 1);
    const draft = await scene.make.ready();
    expect(Object.keys(errorsOf(await patch(draft, { planned_end: yesterday })))).toEqual(['planned_end']);
    // This experiment was planned some time ago, and has not been started yet.
    const waiting = await scene.make.ready({ planned_participants: 100, planned_end: END });
    await planToEndYesterday(waiting);
    const refused = await scene.client.patch(`${waiting.path}/status`, { status: 'running' });
    expect(Object.keys(errorsOf(refused))).toEqual(['planned_end']);
    await patch(waiting, { name: 'Still waiting' });
    await patch(waiting, { planned_end: null });
    expect((await scene.make.move(waiting, 'running')).status).toBe('running');
  });
});
