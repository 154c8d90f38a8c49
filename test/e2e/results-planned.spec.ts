import { DAY_MICROS } from '../../src/common/time/clock';
import { resultState } from '../../src/console/result-state';
import { EVERYBODY } from '../../src/results/result-filter';
import { ResultsReports } from '../../src/results/results-report';
import { Cells, dayNumber } from '../support/cells';
import { fakeDate } from '../support/fake-date';
import { changePlan, DAYS, type PlannedRun, plannedRun } from '../support/planned-run';
import { anotherProject, Made, Maker, useScene } from '../support/scene';
import { JSON_ONLY, visit } from '../support/shared-experiment';

/* The method `planned`: one look per day, with the boundaries of the plan, which the experiment's first start fixed. */

const scene = useScene();

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- response bodies are untyped
type Figures = Record<string, any>;

let make: Maker;
beforeAll(async () => {
  make = await anotherProject(scene);
  await scene.client.patch(make.project, { min_runtime_days: 0 });
  await scene.client.patch(`${make.project}/settings`, { statistics_method: 'planned' });
});

const ran = (setting: PlannedRun): Promise<Made> => plannedRun(scene, make, setting);

async function figuresOf({ path }: Made, query = ''): Promise<Figures> {
  const { status, body } = await scene.client.get(`${path}/results${query}`);
  expect(status).toBe(200);
  return Object.values(body[0].variationStatistics as object)[1] as Figures;
}

/** The share page as HTML, or in another representation. */
async function sharedOf({ path }: Made, headers?: Record<string, string>, query = '') {
  const { body: info } = await scene.client.get(`${path}/results/info`);
  return visit(scene, `//share/${info.share_token}${query}`, headers);
}

/** The label and headline of the verdict on the share page. */
async function headlineOf(experiment: Made): Promise<string[]> {
  const { text } = await sharedOf(experiment);
  return [...text.matchAll(/class="verdict-(?:label|headline)">([^<]*)/g)].map(([, words]) => words);
}

/** The data of the experiment page at noon on `day`. */
async function reportOf({ id }: Made, day: string) {
  const now = dayNumber(day) * DAY_MICROS + DAY_MICROS / 2;
  return { now, results: await scene.api.app.get(ResultsReports).results(id, EVERYBODY, now) };
}

const setPlan = (experiment: Made, column: string, day: string): Promise<unknown> =>
  changePlan(scene, experiment, column, day);

describe('results of a planned experiment', () => {
  // The boundaries of the four looks at a significance level of 5 % are 4.8769, 3.3570, 2.6804 and 2.2885, from pmvnorm
  // (mvtnorm 1.1-3 in R 4.2.2) with the error of the fractions 0.2 to 0.8 and the correlations √(e_j/e_k), where e is
  // p̄²/SE². By the fourth day, 466 vs. 400 of 4,000 participants each have converted, so z is
  // 66 / √(433/4000·(1 - 433/4000)·8000) = 2.375. On the first three days, z is 1.085, 1.776 and 2.277.
  it('are decided permanently on the first day whose look crosses its boundary', async () => {
    const experiment = await ran({});
    const figures = await figuresOf(experiment);
    expect((await sharedOf(experiment)).text).toContain(
      'but a sample ratio mismatch makes them untrustworthy.',
    );
    expect(figures).toMatchObject({ isConfident: true, duration: { daysLeft: 0 } });
    expect(figures.statistics).toMatchObject({ method: 'planned', verdict: 'winner' });
    expect(figures.statistics.planned).toMatchObject({
      looks: 4,
      lookedOn: DAYS[3],
      decidedOn: DAYS[3],
      isOver: true,
    });
    expect(figures.statistics.planned.criticalValue).toBeCloseTo(2.28846, 4);
    expect(figures.statistics.planned.informationFraction).toBeCloseTo(1, 12);
    // The minimum detectable effect is (2.2885 + 0.8416)·√(p̄(1 - p̄)·2/5000) / 0.1 for 5,000 participants in each
    // variation, of whom 500 converted, so p̄ is 0.1. 2.2885 is the boundary, and 0.8416 is z_0.8, for a power of 80 %.
    expect(figures.statistics.minimumDetectableEffect).toBeCloseTo(0.187805, 4);
  });

  it('are not decided if no look crosses its boundary, and the last look spends all remaining error', async () => {
    const figures = await figuresOf(await ran({ converters: [110, 220, 330, 440, 550] }));
    expect(figures.statistics).toMatchObject({ method: 'planned', verdict: 'inconclusive' });
    expect(figures.statistics.planned).toMatchObject({ looks: 5, decidedOn: null, isOver: true });
    expect(figures.statistics.planned.criticalValue).toBeCloseTo(2.031, 3);
    // For 550 vs. 500 converted participants, z is 1.631. Even a single look would need 1.960.
    expect(figures.statistics.planned.interval[0]).toBeLessThan(0);
  });

  it('have their last look on the planned day, however little information there is', async () => {
    const experiment = await ran({
      plan: { planned_participants: 1_000_000, planned_end: '2096-02-29' },
      converters: [100, 200, 365, 365, 365],
    });
    await setPlan(experiment, 'end_day', DAYS[2]);
    const { statistics } = await figuresOf(experiment);
    // With less than 1 % of the planned information, the only look is the final one, whose boundary is z_0.975.
    expect(statistics.planned).toMatchObject({ looks: 1, decidedOn: DAYS[2], isOver: true });
    expect(statistics.planned.criticalValue).toBeCloseTo(1.959964, 5);
  });

  it('have their last look on the planned day, even if the experiment stopped before', async () => {
    const experiment = await ran({
      plan: { planned_participants: 2_000_000, planned_end: '2096-02-29' },
      converters: [100, 200, 300, 400, 600],
    });
    expect((await figuresOf(experiment)).statistics.planned).toMatchObject({ looks: 0, isOver: false });
    await setPlan(experiment, 'end_day', '2026-05-08');
    const { statistics } = await figuresOf(experiment);
    // For 500 and 600 of 5,000, z is 3.2. The only look is the final one, whose boundary is z_0.975.
    expect(statistics.planned).toMatchObject({ looks: 1, lookedOn: '2026-05-08', decidedOn: '2026-05-08' });
    expect(statistics.planned.criticalValue).toBeCloseTo(1.959964, 5);
  });

  it('use the minimums that were set at the first start', async () => {
    await scene.client.patch(make.project, { min_runtime_days: 3, min_conversions: 300 });
    const experiment = await ran({});
    await scene.client.patch(make.project, { min_runtime_days: 0, min_conversions: 1_000_000 });
    const figures = await figuresOf(experiment);
    expect(figures.statistics.planned).toMatchObject({ looks: 2, decidedOn: DAYS[3] });
    expect(figures.duration).toMatchObject({ minRuntimeReached: true, minConversionsReached: true });
    const { results } = await reportOf(experiment, DAYS[4]);
    expect([...results.goals[0].gates.values()]).toMatchObject([{ daysNeeded: 3, conversionsNeeded: 600 }]);
    await scene.client.patch(make.project, { min_conversions: 25 });
  });

  it('are final after the last look, not when the planned number of participants is reached', async () => {
    const experiment = await ran({ converters: [110, 220, 330, 440, 550] });
    const kinds: string[] = [];
    for (const day of [DAYS[4], '2026-05-06']) {
      const { results, now } = await reportOf(experiment, day);
      expect(results.participants).toBe(10_000);
      kinds.push(resultState(results, { now, changedAt: 0, lastEventAt: now }).kind);
    }
    expect(kinds).toEqual(['undecided', 'no difference']);
  });

  it('are the same for mature cohorts if no goal has a window, and for all device types together', async () => {
    const experiment = await ran({});
    const figures = await figuresOf(experiment);
    for (const filter of ['?cohorts=mature', '?deviceTypes=desktop,mobile,tablet,other']) {
      expect(await figuresOf(experiment, filter)).toEqual(figures);
      expect((await sharedOf(experiment, {}, filter)).text).not.toContain('only some of the participants');
    }
  });

  it('say from which look they are if later figures contradict them', async () => {
    // As above, but 480 have converted by the fifth day, fewer than in the original.
    const experiment = await ran({ converters: [115, 235, 355, 466, 480] });
    const { text } = await sharedOf(experiment);
    expect(text).toContain(
      'The verdict and the range are from the look at the end of 4 May 2026. The other figures may include later visits.',
    );
  });

  it('are the same on the share page', async () => {
    const experiment = await ran({});
    const shared = await sharedOf(experiment, JSON_ONLY);
    const [{ variationStatistics }] = shared.body as Figures[];
    const [, figures] = Object.values(variationStatistics as object) as Figures[];
    const { planned } = (await figuresOf(experiment)).statistics;
    expect(planned).not.toBeNull();
    expect(figures.statistics.planned).toEqual(planned);
  });

  it('have plots that end with the intervals of the results', async () => {
    const experiment = await ran({});
    const reports = scene.api.app.get(ResultsReports, { strict: false });
    const end = dayNumber('2026-05-06') * DAY_MICROS;
    const report = await reports.read(experiment.id, EVERYBODY, end, () => true);
    const [goal] = report.results.goals;
    const [, { statistics }] = goal.variations;
    const shown = report.progress[0].days.map(({ variations: [, { upliftInterval }] }) => upliftInterval);
    expect(statistics.planned?.upliftInterval).not.toBeNull();
    // The verdict was reached on the fourth day. Later data does not change it.
    expect(shown.slice(3)).toEqual([statistics.planned?.upliftInterval, statistics.planned?.upliftInterval]);
    const history = await reports.history(experiment.id, goal.id, EVERYBODY, end);
    expect(history?.progress).toEqual(report.progress[0]);
    // The interval at the second of five equal looks, from Fieller's equation for 200 and 235 of 2,000 with c = 3.3569,
    // solved in Python.
    expect(shown[1]?.[0]).toBeCloseTo(-0.135485, 4);
    expect(shown[1]?.[1]).toBeCloseTo(0.611122, 4);
  });

  it.each(['?startDate=2026-05-01', '?endDate=2026-05-05', '?deviceTypes=desktop'])(
    'have no verdict under the filter %s',
    async (query) => {
      const experiment = await ran({});
      const { statistics } = await figuresOf(experiment, query);
      expect(statistics).toMatchObject({ method: 'planned', verdict: 'inconclusive', planned: null });
      const { text } = await sharedOf(experiment, undefined, query);
      expect(text).toContain('Filtered results have no looks and no verdict');
      expect(text).not.toContain('or from the deciding look');
      expect(text).not.toContain('a verdict accounts for all comparisons');
    },
  );

  it('use the sequential method, tuned to the planned size, if the plan is removed before its verdict', async () => {
    const experiment = await ran({});
    await setPlan(experiment, 'removed_day', DAYS[3]);
    const undecided = await figuresOf(experiment);
    expect(undecided.statistics).toMatchObject({ method: 'sequential', verdict: 'inconclusive' });
    expect(undecided.statistics.conversion.sequential.tuning).toBe(10_000);
    await setPlan(experiment, 'removed_day', DAYS[4]);
    const decided = await figuresOf(experiment);
    expect(decided.statistics).toMatchObject({ method: 'planned', verdict: 'winner' });
    expect(decided.statistics.planned.decidedOn).toBe(DAYS[3]);
  });

  it('are still explained as group-sequential if the plan was removed after its verdict', async () => {
    const experiment = await ran({});
    await setPlan(experiment, 'removed_day', DAYS[4]);
    const { text } = await sharedOf(experiment);
    expect(text).toContain('is better');
    expect(text).toContain('The verdicts come from a group-sequential test');
  });

  it('are not shown as complete if the plan was removed', async () => {
    const experiment = await ran({
      plan: { planned_participants: 20_000 },
      converters: [110, 220, 330, 440, 550],
    });
    const removed = await scene.client.patch(experiment.path, { planned_participants: null });
    expect(removed.status).toBe(200);
    expect((await figuresOf(experiment)).statistics).toMatchObject({ method: 'sequential', planned: null });
    const [label, headline] = await headlineOf(experiment);
    expect(label).toBe('Not certain yet');
    expect(headline).toContain('is ahead, but this is not yet certain');
    const { results, now } = await reportOf(experiment, '2026-05-06');
    expect(resultState(results, { now, changedAt: 0, lastEventAt: now }).kind).toBe('undecided');
  });

  it('are shown as complete after the planned end, even if the minimums were never reached', async () => {
    await scene.client.patch(make.project, { min_conversions: 1_000_000 });
    const experiment = await ran({
      plan: { planned_participants: 1_000_000, planned_end: '2096-02-29' },
    });
    await scene.client.patch(make.project, { min_conversions: 25 });
    await setPlan(experiment, 'end_day', DAYS[4]);
    expect((await figuresOf(experiment)).statistics.planned).toMatchObject({ looks: 0, isOver: true });
    expect(await headlineOf(experiment)).toEqual(['No verdict', 'Not certain at the planned end']);
  });

  it('fall back to the sequential method without a plan, and for variations added after the plan was fixed', async () => {
    const without = await figuresOf(await ran({ plan: {} }));
    expect(without.statistics).toMatchObject({ method: 'sequential', planned: null });
    const experiment = await ran({});
    const added = await make.variation(experiment);
    await new Cells(scene.api, experiment.id).entered({ variation: added.id, day: DAYS[4] }, 50).store();
    const { body } = await scene.client.get(`${experiment.path}/results`);
    const methods = (Object.values(body[0].variationStatistics as object) as Figures[]).map(
      ({ statistics }) => statistics.method as string,
    );
    expect(methods).toEqual(['planned', 'planned', 'sequential']);
  });

  it.each([
    ['2026-05-01T12:00:00Z', 0],
    ['2026-05-03T23:59:59Z', 2],
    ['2026-05-04T00:00:00Z', 3],
  ])('use only complete days: at %s, %d looks', async (moment, looks) => {
    const experiment = await ran({});
    fakeDate(Date.parse(moment));
    try {
      const { statistics } = await figuresOf(experiment);
      expect(statistics).toMatchObject({ method: 'planned', verdict: 'inconclusive' });
      expect(statistics.planned).toMatchObject({
        looks,
        lookedOn: DAYS[looks - 1] ?? null,
        isOver: false,
      });
    } finally {
      jest.useRealTimers();
    }
  });

  it('are also tuned to the planned size with the sequential method', async () => {
    const project = await anotherProject(scene);
    const experiment = await project.ready({ planned_participants: 30_000 });
    await project.move(experiment, 'running');
    await new Cells(scene.api, experiment.id)
      .entered({ variation: experiment.variations[0].id, day: DAYS[0] }, 100)
      .entered({ variation: experiment.variations[1].id, day: DAYS[0] }, 100)
      .converted(
        experiment.goals[0].id,
        { variation: experiment.variations[1].id, day: DAYS[0] },
        { converters: 10 },
      )
      .store();
    const { statistics } = await figuresOf(experiment);
    expect(statistics.conversion.sequential.tuning).toBe(30_000);
  });
});
