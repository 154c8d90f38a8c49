import { nowMicros } from '../../src/common/time/clock';
import { EVERYBODY } from '../../src/results/result-filter';
import { ResultsReports } from '../../src/results/results-report';
import { changePlan, DAYS, plannedRun } from '../support/planned-run';
import { anotherProject, type Maker, useScene } from '../support/scene';

/* Filtered results after the plan of an experiment was removed. */

const scene = useScene();

let make: Maker;
beforeAll(async () => {
  make = await anotherProject(scene);
  await scene.client.patch(make.project, { min_runtime_days: 0 });
  await scene.client.patch(`${make.project}/settings`, { statistics_method: 'planned' });
});

// The plan has a verdict at the fourth of five looks. A sequential test has a verdict on the last day.
it.each([
  ['after its verdict', DAYS[4], ['planned', 'inconclusive']],
  ['before its verdict', DAYS[3], ['sequential', 'winner']],
])(
  'filtered results have a verdict only if the plan had none when it was removed: %s',
  async (_, removed, expected) => {
    const experiment = await plannedRun(scene, make, { converters: [115, 235, 355, 466, 1_000] });
    await changePlan(scene, experiment, 'removed_day', removed);
    const { body } = await scene.client.get(`${experiment.path}/results?deviceTypes=desktop`);
    const { statistics } = body[0].variationStatistics[experiment.variations[1].id];
    const filter = { ...EVERYBODY, devices: ['desktop'] as const };
    const reports = scene.api.app.get(ResultsReports, { strict: false });
    const { results } = await reports.read(experiment.id, filter, nowMicros(), () => true);
    for (const shown of [statistics, results.goals[0].variations[1].statistics]) {
      expect([shown.method, shown.verdict]).toEqual(expected);
      expect(shown.planned).toBeNull();
    }
  },
);
