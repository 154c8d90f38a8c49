import { DAY_MICROS, formatDay } from '../../src/common/time/clock';
import { Cells, today } from '../support/cells';
import { anotherProject, Made, useScene } from '../support/scene';
import { visit } from '../support/shared-experiment';

/* Forecasts of experiments that end. */

const scene = useScene();

/** Moves the start of a running experiment ten days back. */
const startedEarlier = ({ id }: Made): Promise<unknown> =>
  scene.api.database.transaction((tx) =>
    tx.query('UPDATE experiment_runs SET started_at = started_at - ? WHERE experiment_id = ?', [
      10 * DAY_MICROS,
      id,
    ]),
  );

it('the forecast for a planned experiment is at most the time until its planned end, in JSON and on the page', async () => {
  const make = await anotherProject(scene);
  await scene.client.patch(make.project, { min_runtime_days: 0, min_conversions: 0 });
  await scene.client.patch(`${make.project}/settings`, { statistics_method: 'planned' });
  const experiment = await make.ready({
    planned_participants: 1_000_000,
    planned_end: formatDay(today() + 2),
  });
  await make.move(experiment, 'running');
  await startedEarlier(experiment);
  const cells = new Cells(scene.api, experiment.id);
  for (const [index, { id: variation }] of (experiment.variations as Made[]).entries()) {
    const place = { variation, day: formatDay(today() - 1) };
    cells.entered(place, 1_000).converted(experiment.goals[0].id, place, { converters: 100 + index });
  }
  await cells.store();
  const { body } = await scene.client.get(`${experiment.path}/results`);
  const [, figures] = Object.values(body[0].variationStatistics as object) as Made[];
  expect(figures.statistics.method).toBe('planned');
  expect(figures.duration.daysLeft).toBeLessThanOrEqual(3);
  expect(figures.duration.daysLeft).toBeGreaterThan(2);
  const { body: info } = await scene.client.get(`${experiment.path}/results/info`);
  const { text } = await visit(scene, `//share/${info.share_token}`);
  expect(text).toMatch(/about [23] days to go/);
});

it('the forecast for mature cohorts uses the pace of the days on which they entered', async () => {
  const make = await anotherProject(scene);
  await scene.client.patch(`${make.project}/settings`, { statistics_method: 'frequentist' });
  const goal = await make.goal({ conversion_window_days: 30 });
  const experiment = await make.ready({ goals: [goal.id] });
  await make.move(experiment, 'running');
  await scene.api.database.transaction((tx) =>
    tx.query('UPDATE experiment_runs SET started_at = ? WHERE experiment_id = ?', [
      (today() - 40) * DAY_MICROS,
      experiment.id,
    ]),
  );
  const cells = new Cells(scene.api, experiment.id);
  // The window of participants who entered 31 days ago ended yesterday.
  for (const [daysAgo, participants] of [
    [31, 10_000],
    [1, 30_000],
  ]) {
    for (const [index, { id: variation }] of (experiment.variations as Made[]).entries()) {
      const place = { variation, day: formatDay(today() - daysAgo) };
      const converters = participants * (0.1 + 0.004 * index);
      cells.entered(place, participants).converted(goal.id, place, { converters });
    }
  }
  await cells.store();
  const left = async (query: string): Promise<Made> => {
    const { body } = await scene.client.get(`${experiment.path}/results${query}`);
    return (Object.values(body[0].variationStatistics as object)[1] as Made).duration;
  };
  // 10·(((qnorm(0.975) + qnorm(0.8))·√(0.102·0.898·2/10000)/0.004)² - 1), computed in R.
  expect((await left('?cohorts=mature')).daysLeft).toBeCloseTo(79.86575, 4);
  const everybody = await left('');
  expect(everybody.daysLeft / everybody.daysRunning + 1).toBeCloseTo(8.986575 / 4, 5);
});

const PLANS: Record<string, object> = {
  participants: { planned_participants: 2_000 },
  'last day': { planned_end: formatDay(today()) },
};

/** Stores 1,000 participants of each variation. The rates of 20 % and 22.5 % are too close for a verdict. */
async function countedYesterday(experiment: Made): Promise<void> {
  const cells = new Cells(scene.api, experiment.id);
  for (const [index, { id: variation }] of (experiment.variations as Made[]).entries()) {
    const place = { variation, day: formatDay(today() - 1) };
    cells.entered(place, 1_000).converted(experiment.goals[0].id, place, { converters: 200 + 25 * index });
  }
  await cells.store();
}

/** A plan that is over, without a verdict: the figures of the variation, and the share page. */
async function plannedBefore(method: string, plan: string): Promise<[Made, string]> {
  const make = await anotherProject(scene);
  await scene.client.patch(`${make.project}/settings`, { statistics_method: method });
  const experiment = await make.ready(PLANS[plan]);
  await make.move(experiment, 'running');
  await startedEarlier(experiment);
  if (plan === 'last day') {
    await scene.api.database.transaction((tx) =>
      tx.query('UPDATE experiments SET planned_end = ? WHERE id = ?', [today() - 1, experiment.id]),
    );
  }
  await countedYesterday(experiment);
  const { body } = await scene.client.get(`${experiment.path}/results`);
  const { body: info } = await scene.client.get(`${experiment.path}/results/info`);
  const { text } = await visit(scene, `//share/${info.share_token}`);
  const [, figures] = Object.values(body[0].variationStatistics as object) as Made[];
  expect(figures.statistics).toMatchObject({ method, verdict: 'inconclusive' });
  return [figures, text];
}

it.each([
  ['frequentist', 'participants'],
  ['frequentist', 'last day'],
  ['bayesian', 'participants'],
])('a %s experiment has no forecast beyond its planned %s', async (method, plan) => {
  const [figures, text] = await plannedBefore(method, plan);
  expect(figures.duration.daysLeft).toBeNull();
  expect(text).toContain('Not certain after the end of the plan');
  expect(text).toContain('the plan is over without a verdict.');
  expect(text).not.toMatch(/Nothing to decide yet|not yet certain|days? to go</);
});

it.each(Object.keys(PLANS))('a sequential experiment may run beyond its planned %s', async (plan) => {
  const [figures, text] = await plannedBefore('sequential', plan);
  expect(figures.duration.daysLeft).toBeGreaterThan(0);
  expect(text).toMatch(/is ahead, but this is not yet certain: (about|more than) .* to go/);
  expect(text).toContain('Nothing to decide yet: keep the experiment running.');
  expect(text).not.toContain('the plan is over');
});

it('the forecast of a frequentist experiment is the time until its planned end', async () => {
  const make = await anotherProject(scene);
  await scene.client.patch(`${make.project}/settings`, { statistics_method: 'frequentist' });
  const experiment = await make.ready({ planned_participants: 4_000, planned_end: formatDay(today() + 20) });
  await make.move(experiment, 'running');
  await startedEarlier(experiment);
  await countedYesterday(experiment);
  const { body } = await scene.client.get(`${experiment.path}/results`);
  const [, figures] = Object.values(body[0].variationStatistics as object) as Made[];
  // Half of the planned participants entered in ten days.
  expect(figures.duration.daysLeft).toBeCloseTo(10, 1);
  // Without a conversion window, all cohorts are mature. All device types together select everyone.
  for (const filter of ['cohorts=mature', 'deviceTypes=desktop,mobile,tablet,other']) {
    const { body: same } = await scene.client.get(`${experiment.path}/results?${filter}`);
    const [, { duration }] = Object.values(same[0].variationStatistics as object) as Made[];
    expect(duration.daysLeft).toBeCloseTo(10, 1);
  }
});

it.each(['sequential', 'frequentist'])('an archived experiment has no forecast with %s', async (method) => {
  const make = await anotherProject(scene);
  await scene.client.patch(`${make.project}/settings`, { statistics_method: method });
  const experiment = await make.ready({});
  await make.move(experiment, 'running');
  await startedEarlier(experiment);
  const cells = new Cells(scene.api, experiment.id);
  for (const [index, { id: variation }] of (experiment.variations as Made[]).entries()) {
    const place = { variation, day: formatDay(today() - 1) };
    cells.entered(place, 1_000).converted(experiment.goals[0].id, place, { converters: 200 + 20 * index });
  }
  await cells.store();
  const daysLeft = async (): Promise<(number | null)[]> => {
    const { body } = await scene.client.get(`${experiment.path}/results`);
    return Object.values(body[0].variationStatistics as Record<string, Made>).map(
      ({ duration }) => duration.daysLeft as number | null,
    );
  };
  expect(await daysLeft()).toEqual([expect.any(Number), expect.any(Number)]);
  await make.move(experiment, 'archive');
  expect(await daysLeft()).toEqual([0, null]);
});
