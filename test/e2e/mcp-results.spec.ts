import { DAY_MICROS } from '../../src/common/time/clock';
import { ProjectsService } from '../../src/projects/projects.service';
import { useAssistants } from '../support/assistant';
import { Cells, dayNumber } from '../support/cells';
import { plannedRun } from '../support/planned-run';
import { Maker } from '../support/scene';

/* Results for assistants, with instructions on how to interpret them. */

const DAY = '2026-05-01';

const scene = useAssistants();

describe('results', () => {
  it('are the same as in the API, with an explanation', async () => {
    const experiment = await scene.make.ready();
    const [a, b] = experiment.variations.map(({ id }: { id: number }) => ({ variation: id, day: DAY }));
    const late = { ...a, day: '2026-05-03' };
    const [goal] = experiment.goals.map(({ id }: { id: number }) => id);
    await new Cells(scene.api, experiment.id)
      .entered(a, 100)
      .entered(b, 100)
      .converted(goal, b, { converters: 10 })
      .entered({ ...late, device: 'mobile' }, 200)
      .store();
    const viewer = await scene.of(scene.world.people.viewer);
    const filters = [
      {},
      { startDate: DAY, endDate: '2026-05-02' },
      { deviceTypes: ['mobile', 'tablet'] },
      { cohorts: 'mature' },
    ];
    for (const filter of filters) {
      const query = new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]));
      const { body } = await scene.client.get(`${experiment.path}/results?${query}`);
      const { goals } = await viewer.get('get_results', { ...scene.at(experiment), ...filter });
      expect(goals).toEqual(goals.map((each: object) => ({ ...each, direction: 'increase' })));
      expect(body).toMatchObject(goals.map(({ direction: _, ...entry }: { direction: string }) => entry));
    }
    const { text, data } = await viewer.use('get_results', scene.at(experiment));
    expect(data.goals[0].variationStatistics[b.variation]).toMatchObject({
      participants: 100,
      conversions: 10,
      conversionRate: 0.1,
      statistics: { verdict: 'untrustworthy', warnings: expect.arrayContaining(['SAMPLE_RATIO_MISMATCH']) },
    });
    expect(text).toBe(
      '"Goal", 400 participants: "Variation" untrustworthy. Sample ratio mismatch: do not trust these figures until the cause is found.',
    );
    const info = await viewer.use('get_results_info', scene.at(experiment));
    expect(info.data).toMatchObject({ participants: 400, sample_ratio_mismatch: { isMismatch: true } });
    expect(info.text).toMatch(/^400 participants\. The split does NOT match/);
  });

  it('can be limited to one goal', async () => {
    const goals = [await scene.make.goal({ name: 'First' }), await scene.make.goal({ name: 'Second' })];
    const experiment = await scene.make.ready({ goals: goals.map(({ id }) => id) });
    await new Cells(scene.api, experiment.id)
      .entered({ variation: experiment.variations[0].id, day: DAY }, 1)
      .store();
    const viewer = await scene.of(scene.world.people.viewer);
    const second = await viewer.get('get_results', { ...scene.at(experiment), goal_id: goals[1].id });
    expect(second.goals.map(({ name }: { name: string }) => name)).toEqual(['Second']);
    const other = await viewer.use('get_results', { ...scene.at(experiment), goal_id: 999_999_999 });
    const [first, last] = goals.map(({ id }) => id);
    expect([other.isError, other.text]).toEqual([
      true,
      `No goal 999999999 is attached to the experiment. Attached: ${first} "First", ${last} "Second".`,
    ]);
  });

  it('include the direction of each goal', async () => {
    const goals = [
      await scene.make.goal({ name: 'Returns', direction: 'decrease' }),
      await scene.make.goal({ name: 'Orders' }),
    ];
    const experiment = await scene.make.ready({ goals: goals.map(({ id }) => id) });
    const [a, b] = experiment.variations.map(({ id }: { id: number }) => ({ variation: id, day: DAY }));
    await new Cells(scene.api, experiment.id)
      .entered(a, 100)
      .entered(b, 100)
      .converted(goals[0].id, a, { converters: 10 })
      .converted(goals[0].id, b, { converters: 30 })
      .store();
    const viewer = await scene.of(scene.world.people.viewer);
    const { text, data } = await viewer.use('get_results', scene.at(experiment));
    expect(data.goals.map(({ direction }: { direction: string }) => direction)).toEqual([
      'decrease',
      'increase',
    ]);
    expect(text).toMatch(
      /^"Returns" \(lower is better\), 200 participants: .*\n"Orders", 200 participants: "Variation" inconclusive\.$/,
    );
    const { difference, bayesian } = data.goals[0].variationStatistics[b.variation].statistics.conversion;
    expect(difference).toBeCloseTo(0.2);
    expect(bayesian.chanceToBeatOriginal).toBeLessThan(0.01);
  });

  it('have the interval of the statistics method, and say what is missing for a verdict', async () => {
    const experiment = await scene.make.ready();
    const [a, b] = experiment.variations.map(({ id }: { id: number }) => ({ variation: id, day: DAY }));
    const [goal] = experiment.goals.map(({ id }: { id: number }) => id);
    await new Cells(scene.api, experiment.id)
      .entered(a, 1000)
      .entered(b, 1000)
      .converted(goal, a, { converters: 100 })
      .converted(goal, b, { converters: 150 })
      .store();
    const viewer = await scene.of(scene.world.people.viewer);
    const { text, data } = await viewer.use('get_results', scene.at(experiment));
    // Python, with the formulas in share-intervals.spec.ts and c = 3.123779, gives Fieller's interval for the uplift,
    // [0.031843, 1.258809].
    expect(text).toBe(
      '"Goal", 2000 participants: "Variation" inconclusive (uplift +50.0 %, +3 % to +126 %), too early to say: min_runtime_days not reached.',
    );
    const { sequential } = data.goals[0].variationStatistics[b.variation].statistics.conversion;
    expect(sequential.upliftInterval[0]).toBeCloseTo(0.031843, 6);
  });

  it('report a tripped guardrail before the minimum runtime', async () => {
    const guardrail = await scene.make.goal({ name: 'Refund asked', direction: 'decrease' });
    const experiment = await scene.make.ready({ guardrails: [guardrail.id] });
    const [a, b] = experiment.variations.map(({ id }: { id: number }) => ({ variation: id, day: DAY }));
    await new Cells(scene.api, experiment.id)
      .entered(a, 1000)
      .entered(b, 1000)
      .converted(guardrail.id, a, { converters: 40 })
      .converted(guardrail.id, b, { converters: 120 })
      .store();
    const viewer = await scene.of(scene.world.people.viewer);
    const { text, data } = await viewer.use('get_results', scene.at(experiment));
    expect(data.goals[1]).toMatchObject({ role: 'guardrail', tripped: [b.variation] });
    expect(text).toMatch(
      /Guardrail "Refund asked" .*"Variation" inconclusive \(uplift \+200 %.*\), tripped: significantly worse than the original\.$/,
    );
  });

  it('of a completed plan say that there is no verdict', async () => {
    const project = await scene.api.project(scene.world.teamId, 'Plans');
    const own = new Maker(scene.client, `/projects/${project}`);
    await scene.client.patch(own.project, { min_runtime_days: 0 });
    await scene.client.patch(`${own.project}/settings`, { statistics_method: 'planned' });
    const experiment = await own.ready({ planned_participants: 10_000, planned_end: '2096-02-29' });
    await own.move(experiment, 'running');
    const [a, b] = experiment.variations.map(({ id }: { id: number }) => ({ variation: id, day: DAY }));
    const [goal] = experiment.goals.map(({ id }: { id: number }) => id);
    await new Cells(scene.api, experiment.id)
      .entered(a, 1000)
      .entered(b, 1000)
      .converted(goal, a, { converters: 10 })
      .converted(goal, b, { converters: 15 })
      .store();
    const viewer = await scene.of(scene.world.people.viewer);
    const place = { project_id: project, experiment_id: experiment.id };
    const said = async () => (await viewer.use('get_results', place)).text;
    expect(await said()).toMatch(/, too early to say: min_conversions not reached\.$/);
    // The only look of this plan would have needed 50 conversions.
    await scene.api.database.transaction(async (tx) => {
      const [day, { id }] = [dayNumber(DAY), experiment];
      await tx.query('UPDATE experiment_runs SET started_at = ? WHERE experiment_id = ?', [
        day * DAY_MICROS,
        id,
      ]);
      await tx.query('UPDATE experiment_plans SET end_day = ? WHERE experiment_id = ?', [day, id]);
      await tx.query('UPDATE experiments SET version = version + 1 WHERE id = ?', [id]);
    });
    expect(await said()).toMatch(/\), the plan is over without a verdict\.$/);
  });

  it('of a plan have the interval of the look that decided it', async () => {
    const project = await scene.api.project(scene.world.teamId, 'Looks of plans');
    const own = new Maker(scene.client, `/projects/${project}`);
    await scene.client.patch(own.project, { min_runtime_days: 0 });
    await scene.client.patch(`${own.project}/settings`, { statistics_method: 'planned' });
    const experiment = await plannedRun(scene, own, {});
    const viewer = await scene.of(scene.world.people.viewer);
    const { text, data } = await viewer.use('get_results', {
      project_id: project,
      experiment_id: experiment.id,
    });
    const { body } = await scene.client.get(`${experiment.path}/results`);
    const [, { id }] = experiment.variations;
    const { planned } = body[0].variationStatistics[id].statistics;
    expect(planned.upliftInterval).toEqual([expect.any(Number), expect.any(Number)]);
    expect(data.goals[0].variationStatistics[id].statistics.planned).toEqual({
      interval: planned.interval,
      upliftInterval: planned.upliftInterval,
      lookedOn: '2026-05-04',
      isOver: true,
      decidedOn: '2026-05-04',
    });
    // For 400 vs. 466 of 4,000 participants each and c = 2.290, Python gives Fieller's interval [0.0055, 0.3523].
    expect(text).toMatch(
      /"Variation" winner \(uplift [^,]+, \+0\.5 % to \+36 % at the look on 2026-05-04\)\.$/,
    );
  });

  it('that are valid for only one look are marked', async () => {
    const project = await scene.api.project(scene.world.teamId, 'Looks');
    const own = new Maker(scene.client, `/projects/${project}`);
    const experiment = await own.ready();
    await new Cells(scene.api, experiment.id)
      .entered({ variation: experiment.variations[0].id, day: DAY }, 1)
      .store();
    const viewer = await scene.of(scene.world.people.viewer);
    const read = () => viewer.use('get_results', { project_id: project, experiment_id: experiment.id });
    expect((await read()).text).not.toContain('one look');
    for (const statistics_method of ['frequentist', 'bayesian'] as const) {
      await scene.api.app
        .get(ProjectsService, { strict: false })
        .setMethod(project, { statistics_method }, 'admin');
      expect((await read()).text).toMatch(
        new RegExp(`\nThe method of the project is ${statistics_method}: verdicts hold for one look`),
      );
    }
  });

  it('of an experiment without goals say that nothing is measured', async () => {
    const experiment = await scene.make.ready({ goals: [] });
    await new Cells(scene.api, experiment.id)
      .entered({ variation: experiment.variations[0].id, day: DAY }, 1)
      .store();
    const viewer = await scene.of(scene.world.people.viewer);
    expect(await viewer.use('get_results', scene.at(experiment))).toEqual({
      isError: false,
      text: 'No goal is attached to the experiment, so nothing is measured.',
      data: { goals: [] },
    });
    const wrong = await viewer.use('get_results', { ...scene.at(experiment), goal_id: 1 });
    expect([wrong.isError, wrong.text]).toEqual([
      true,
      'No goal 1 is attached to the experiment. Attached: none.',
    ]);
  });

  it('are rejected with a reason if there are no results, or if the filter is invalid', async () => {
    const experiment = await scene.make.ready();
    const viewer = await scene.of(scene.world.people.viewer);
    const none = await viewer.use('get_results', scene.at(experiment));
    expect([none.isError, none.text]).toEqual([
      true,
      expect.stringContaining('No result found for this experiment\nThere are no participants yet.'),
    ]);
    const wrong = await viewer.use('get_results', { ...scene.at(experiment), startDate: '2026-02-30' });
    expect([wrong.isError, wrong.text]).toEqual([true, expect.stringContaining('- startDate: ')]);
  });
});

describe('the explanation for assistants', () => {
  it('marks every figure that is not valid for repeated looks', async () => {
    const { client } = await scene.of(scene.world.people.viewer);
    const { tools } = await client.listTools();
    const results = tools.find(({ name }) => name === 'get_results');
    expect(results?.description).toContain('is not protected against repeated looks');
    expect(results?.description).toContain('its own error rate');
    expect(results?.description).toContain('every day with the methods `sequential` and `planned`');
    expect(results?.description).toContain('Quote the intervals in `sequential` or `planned`');
    expect(client.getInstructions()).toContain('chanceToBeatOriginal are never a reason to stop early');
  });
});
