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

// With 20.1 % vs. 20 % of 1,000 participants each, there is no verdict, although the plan is complete.
it.each<[string, object]>([
  ['participants', { planned_participants: 2_000 }],
  ['last day', { planned_end: formatDay(today()) }],
])('the page does not advise running an experiment beyond its planned %s', async (_, plan) => {
  const make = await anotherProject(scene);
  const experiment = await make.ready(plan);
  await make.move(experiment, 'running');
  await startedEarlier(experiment);
  if ('planned_end' in plan) {
    await scene.api.database.transaction((tx) =>
      tx.query('UPDATE experiments SET planned_end = ? WHERE id = ?', [today() - 1, experiment.id]),
    );
  }
  const cells = new Cells(scene.api, experiment.id);
  for (const [index, { id: variation }] of (experiment.variations as Made[]).entries()) {
    const place = { variation, day: formatDay(today() - 1) };
    cells.entered(place, 1_000).converted(experiment.goals[0].id, place, { converters: 200 + index });
  }
  await cells.store();
  const { body: info } = await scene.client.get(`${experiment.path}/results/info`);
  const { text } = await visit(scene, `//share/${info.share_token}`);
  expect(text).toContain('the plan is over without a verdict.');
  expect(text).not.toContain('Nothing to decide yet');
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
