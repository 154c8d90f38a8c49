import { DAY_MICROS } from '../../src/common/time/clock';
import { EVERYBODY } from '../../src/results/result-filter';
import { ResultsReports } from '../../src/results/results-report';
import { dayNumber } from '../support/cells';
import { DAYS, plannedRun } from '../support/planned-run';
import { anotherProject, type Made, type Maker, useScene } from '../support/scene';

/* With a correction, a plan divides alpha by the number of comparisons at the first start. */

const scene = useScene();

let make: Maker;
beforeAll(async () => {
  make = await anotherProject(scene);
  await scene.client.patch(make.project, { min_runtime_days: 0 });
  const settings = { statistics_method: 'planned', correction: 'holm' };
  expect((await scene.client.patch(`${make.project}/settings`, settings)).status).toBe(200);
});

const idsOf = (goals: readonly Made[]): object => ({ goals: goals.map(({ id }) => id) });

const planned = (goals: readonly Made[]): Promise<Made> =>
  plannedRun(scene, make, { plan: { planned_participants: 10_000, ...idsOf(goals) } });

async function attach(experiment: Made, goals: readonly Made[]): Promise<void> {
  expect((await scene.client.patch(experiment.path, idsOf(goals))).status).toBe(200);
}

/** The verdict, boundary and plotted intervals for the first goal. */
async function figuresOf({ id }: Made) {
  const end = dayNumber('2026-05-06') * DAY_MICROS;
  const reports = scene.api.app.get(ResultsReports, { strict: false });
  const { results, progress } = await reports.read(id, EVERYBODY, end, () => true);
  const [, { statistics }] = results.goals[0].variations;
  return {
    verdict: statistics.verdict,
    planned: statistics.planned,
    minimumDetectableEffect: statistics.minimumDetectableEffect,
    plotted: progress[0].days.map(({ variations: [, { upliftInterval }] }) => upliftInterval),
  };
}

describe('the verdict of a plan with a correction', () => {
  it('stays when goals and variations are added', async () => {
    const experiment = await planned([await make.goal()]);
    const before = await figuresOf(experiment);
    expect(before).toMatchObject({ verdict: 'winner', planned: { decidedOn: DAYS[3] } });
    await attach(experiment, [experiment.goals[0], await make.goal()]);
    expect(await figuresOf(experiment)).toEqual(before);
    await make.variation(experiment);
    expect(await figuresOf(experiment)).toEqual(before);
  });

  it('does not appear when a goal is detached', async () => {
    const goals: Made[] = [await make.goal(), await make.goal()];
    const experiment = await planned(goals);
    const before = await figuresOf(experiment);
    expect(before).toMatchObject({ verdict: 'inconclusive', planned: { looks: 5, isOver: true } });
    await attach(experiment, goals.slice(0, 1));
    expect(await figuresOf(experiment)).toEqual(before);
  });
});
