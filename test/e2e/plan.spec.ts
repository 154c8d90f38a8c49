import { DAY_MICROS, dayOf, formatDay, nowMicros, SECOND_MICROS } from '../../src/common/time/clock';
import r from '../../src/statistics/fixtures/r.json';
import { Cells, dayNumber, ranBetween } from '../support/cells';
import { anotherProject, errorsOf, Made, refusedPaths, useScene } from '../support/scene';

const scene = useScene();

const post = (body: object, project = scene.project) => scene.client.post(`${project}/plan`, body);

const GIVEN = { minimum_effect: 25, baseline_rate: 20, method: 'frequentist' };

describe('a plan', () => {
  // R: power.prop.test(p1 = 0.2, p2 = 0.25, power = 0.8) gives n = 1093.739.
  it('has the same sample size as R for a fixed-horizon test', async () => {
    const { status, body, headers } = await post({ ...GIVEN, daily_visitors: 100 });
    expect([status, headers.etag]).toEqual([200, undefined]);
    expect(body).toMatchObject({
      participants: 2_188,
      per_variation: [1_094, 1_094],
      days: 22,
      baseline: {
        conversion_rate: 20,
        mean: null,
        standard_deviation: null,
        experiment_id: null,
        participants: null,
      },
      daily_visitors: 100,
      minimum_effect: 25,
      shares: [50, 50],
      power: 80,
      significance: 95,
      method: 'frequentist',
    });
  });

  it.each(r.sampleSizeOfRates.cases)(
    'has the same sample size as R for $p1 and $p2',
    async ({ p1, p2, n, alpha, power }) => {
      const { body } = await post({
        method: 'frequentist',
        baseline_rate: 100 * p1,
        minimum_effect: Number((100 * (p2 / p1 - 1)).toFixed(2)),
        significance: 100 * (1 - alpha),
        power: 100 * power,
      });
      expect(body.per_variation[0] / n).toBeCloseTo(1, 2);
    },
  );

  // R: power.t.test(delta = 5, sd = 100, power = 0.8) gives n = 6280.064, about one more than the normal distribution.
  it('for values has the sample size of the formula, but no duration if the traffic is unknown', async () => {
    const { body } = await post({
      minimum_effect: -10,
      baseline_mean: 50,
      baseline_sd: 100,
      method: 'frequentist',
    });
    expect(body).toMatchObject({
      per_variation: [6_280, 6_280],
      days: null,
      daily_visitors: null,
      minimum_detectable_effect: [],
    });
  });

  // The sample size of 1,094 is multiplied by 1.73 for sequential (simulated), and by 1.04 to 1.055 for planned.
  it.each([
    ['sequential', 1.65, 1.8],
    ['planned', 1.03, 1.06],
    ['bayesian', 1, 1],
  ])('for the method %s includes the cost of repeated looks', async (method, least, most) => {
    const { body } = await post({ ...GIVEN, method, daily_visitors: 2_188 / 28 });
    const inflation = body.per_variation[0] / 1_094;
    expect(inflation).toBeGreaterThanOrEqual(least);
    expect(inflation).toBeLessThanOrEqual(most);
  });

  it('has the minimum detectable effect after one to four weeks', async () => {
    const { body } = await post({ ...GIVEN, daily_visitors: 2_188 / 28 });
    const effects = body.minimum_detectable_effect as { day: number; effect: number }[];
    expect(effects.map(({ day }) => day)).toEqual([7, 14, 21, 28]);
    expect(effects[3].effect).toBeCloseTo(25, 1);
    expect(effects[0].effect).toBeGreaterThan(effects[1].effect);
  });

  it('uses the project settings and stores nothing', async () => {
    const make = await anotherProject(scene);
    await scene.client.patch(make.project, { significance: 99, min_runtime_days: 14 });
    await scene.client.patch(`${make.project}/settings`, { statistics_method: 'bayesian' });
    const before = (await scene.client.get(`${make.project}/experiments`)).headers.etag;
    const { body } = await post(
      { minimum_effect: 25, baseline_rate: 20, daily_visitors: 1_000_000 },
      make.project,
    );
    expect(body).toMatchObject({ significance: 99, method: 'bayesian', days: 14 });
    expect((await scene.client.get(`${make.project}/experiments`)).headers.etag).toBe(before);
  });
});

describe('the baseline of a plan', () => {
  const dayAgo = (days: number): string => formatDay(dayOf(nowMicros()) - days);
  let project: string;
  let busy: Made;
  let other: Made;
  let bought: Made;

  beforeAll(async () => {
    const make = await anotherProject(scene);
    ({ project } = make);
    bought = await make.goal({ value_type: 'revenue' });
    [busy, other] = [await make.ready(), await make.ready()];
    const [original, variation] = busy.variations.map(({ id }: Made) => id) as number[];
    const [goal] = busy.goals;
    // Both days are far from the start and end of the last four weeks, so the test can also run past midnight.
    const [old, recent] = [dayAgo(60), dayAgo(14)];
    await new Cells(scene.api, busy.id)
      .entered({ variation: original, day: old }, 5_000)
      .converted(goal.id, { variation: original, day: old }, { converters: 4_000 })
      .entered({ variation: original, day: recent }, 1_000)
      .entered({ variation: original, day: recent, device: 'mobile' }, 1_000)
      .entered({ variation, day: recent }, 2_000)
      .converted(goal.id, { variation: original, day: recent }, { converters: 100 })
      .converted(goal.id, { variation, day: recent }, { converters: 900 })
      .converted(
        bought.id,
        { variation: original, day: recent },
        {
          converters: 500,
          // 500 of 2,000 participants with 40 each: the mean is 10, the variance (500·1600 - 2000·100) / 1999.
          value: 500n * 400_000n,
          valueSquared: 500n * 400_000n ** 2n,
        },
      )
      .store();
    await new Cells(scene.api, other.id)
      .entered({ variation: other.variations[0].id, day: recent }, 100)
      .converted(goal.id, { variation: other.variations[0].id, day: recent }, { converters: 50 })
      .store();
  });

  it('is the conversion rate of the original in the busiest experiment of the last four weeks', async () => {
    const [goal] = busy.goals;
    const { body } = await post({ minimum_effect: 10, goal_id: goal.id, method: 'frequentist' }, project);
    expect(body.baseline).toEqual({
      conversion_rate: 5,
      mean: null,
      standard_deviation: null,
      experiment_id: busy.id,
      participants: 2_000,
    });
    // 4,000 participants in 15 days, or in 16 if midnight has passed since.
    expect([4_000 / 15, 4_000 / 16]).toContain(body.daily_visitors);
    const given = await post({ minimum_effect: 10, baseline_rate: 5, method: 'frequentist' }, project);
    expect(body.per_variation).toEqual(given.body.per_variation);
  });

  it('can be from any experiment in the project', async () => {
    const [goal] = busy.goals;
    const { body } = await post({ minimum_effect: 10, goal_id: goal.id, experiment_id: other.id }, project);
    expect(body.baseline).toMatchObject({ conversion_rate: 50, experiment_id: other.id, participants: 100 });
  });

  it('comes with the number of participants per running day', async () => {
    const own = await anotherProject(scene);
    const experiment = await own.ready();
    const [{ id: variation }] = experiment.variations as Made[];
    const [goal] = experiment.goals;
    const cells = new Cells(scene.api, experiment.id);
    // The experiment ran for two days, was paused for three, and ran for two more.
    const days = [20, 19, 15, 14].map(dayAgo);
    for (const day of days) {
      cells.entered({ variation, day }, 300).converted(goal.id, { variation, day }, { converters: 30 });
    }
    await cells.store();
    const startOf = (day: string): number => dayNumber(day) * DAY_MICROS;
    await ranBetween(scene.api, experiment.id, startOf(days[0]), startOf(days[1]) + DAY_MICROS);
    await ranBetween(scene.api, experiment.id, startOf(days[2]), startOf(days[3]) + DAY_MICROS);
    const { body } = await post({ minimum_effect: 10, goal_id: goal.id }, own.project);
    expect(body.baseline).toMatchObject({ conversion_rate: 10, experiment_id: experiment.id });
    expect(body.daily_visitors).toBe(300);
  });

  // The worker archives the experiment shortly after midnight, so 700 participants enter in seven days and two seconds.
  it('comes with participants per day of running time, not per calendar day', async () => {
    const own = await anotherProject(scene);
    const experiment = await own.ready();
    const [{ id: variation }] = experiment.variations as Made[];
    const [goal] = experiment.goals;
    const cells = new Cells(scene.api, experiment.id);
    const first = dayOf(nowMicros()) - 20;
    for (const day of Array.from({ length: 7 }, (_, index) => formatDay(first + index))) {
      cells.entered({ variation, day }, 100).converted(goal.id, { variation, day }, { converters: 10 });
    }
    await cells.store();
    await ranBetween(
      scene.api,
      experiment.id,
      first * DAY_MICROS,
      (first + 7) * DAY_MICROS + 2 * SECOND_MICROS,
    );
    const { body } = await post({ minimum_effect: 10, goal_id: goal.id }, own.project);
    expect(body.daily_visitors).toBeCloseTo(100, 2);
  });

  it('assumes at least one day of running time', async () => {
    const own = await anotherProject(scene);
    const experiment = await own.ready();
    const [{ id: variation }] = experiment.variations as Made[];
    const [goal] = experiment.goals;
    const day = dayOf(nowMicros()) - 20;
    await new Cells(scene.api, experiment.id)
      .entered({ variation, day: formatDay(day) }, 100)
      .converted(goal.id, { variation, day: formatDay(day) }, { converters: 10 })
      .store();
    await ranBetween(scene.api, experiment.id, day * DAY_MICROS, day * DAY_MICROS + 2 * SECOND_MICROS);
    const { body } = await post({ minimum_effect: 10, goal_id: goal.id }, own.project);
    expect(body.daily_visitors).toBe(100);
  });

  it('is the mean value if the goal has values', async () => {
    const { body } = await post({ minimum_effect: 10, goal_id: bought.id }, project);
    expect(body.baseline).toMatchObject({ conversion_rate: null, mean: 10, participants: 2_000 });
    expect(body.baseline.standard_deviation).toBeCloseTo(Math.sqrt((500 * 1_600 - 2_000 * 100) / 1_999), 9);
  });

  it('must exist, otherwise the plan is rejected', async () => {
    const nothing = await scene.client.post(`${project}/goals`, { name: 'Nothing' });
    const foreign = busy.goals[0].id;
    const cases: [object, string[], string][] = [
      [{ goal_id: nothing.body.id }, ['goal_id'], project],
      [{ goal_id: foreign }, ['goal_id'], scene.project],
      [{ goal_id: foreign, experiment_id: 999_999 }, ['experiment_id'], project],
    ];
    for (const [fields, paths, where] of cases) {
      expect(refusedPaths(await post({ minimum_effect: 10, ...fields }, where))).toEqual(paths);
    }
  });
});

describe('a plan for a number of variations', () => {
  it('assumes equal shares', async () => {
    const { body } = await post({ ...GIVEN, variations: 4 });
    const shared = await post({ ...GIVEN, shares: [1, 1, 1, 1] });
    expect([body.per_variation.length, body]).toEqual([4, shared.body]);
  });

  it('assumes two variations by default', async () => {
    const [none, given] = [await post(GIVEN), await post({ ...GIVEN, variations: 2 })];
    expect(given.body.per_variation).toEqual(none.body.per_variation);
  });
});

describe('a plan is rejected', () => {
  it.each([
    [{ baseline_rate: 4 }, ['minimum_effect']],
    [{ baseline_rate: 4, minimum_effect: 0 }, ['minimum_effect']],
    [{ baseline_rate: 60, minimum_effect: 100 }, ['minimum_effect']],
    [{ minimum_effect: -101, baseline_rate: 4 }, ['minimum_effect']],
    [{ minimum_effect: 5 }, ['goal_id']],
    [{ minimum_effect: 5, baseline_rate: 0 }, ['baseline_rate']],
    [{ minimum_effect: 5, baseline_rate: 100 }, ['baseline_rate']],
    [{ minimum_effect: 5, baseline_rate: '4' }, ['baseline_rate']],
    [{ minimum_effect: 5, baseline_mean: 5 }, ['baseline_sd']],
    [{ minimum_effect: 5, baseline_sd: 5 }, ['baseline_mean']],
    [{ minimum_effect: 5, baseline_mean: 0, baseline_sd: 5 }, ['baseline_mean']],
    [{ minimum_effect: 5, baseline_mean: 5, baseline_sd: 0 }, ['baseline_sd']],
    [{ minimum_effect: 5, baseline_mean: 5, baseline_sd: 1, baseline_rate: 4 }, ['baseline_mean']],
    [{ minimum_effect: 5, baseline_rate: 4, goal_id: 1 }, ['baseline_rate']],
    [{ minimum_effect: 5, baseline_rate: 4, experiment_id: 1 }, ['experiment_id']],
    [{ minimum_effect: 5, baseline_rate: 4, shares: [] }, ['shares']],
    [{ minimum_effect: 5, baseline_rate: 4, shares: [100] }, ['shares']],
    [{ minimum_effect: 5, baseline_rate: 4, shares: [100, 0] }, ['shares.1']],
    [{ minimum_effect: 5, baseline_rate: 4, shares: [-1, '50', 50] }, ['shares.0', 'shares.1']],
    [{ minimum_effect: 5, baseline_rate: 4, shares: 50 }, ['shares']],
    [{ minimum_effect: 5, baseline_rate: 4, variations: 1 }, ['variations']],
    [{ minimum_effect: 5, baseline_rate: 4, variations: 2.5 }, ['variations']],
    [{ minimum_effect: 5, baseline_rate: 4, variations: 101 }, ['variations']],
    [{ minimum_effect: 5, baseline_rate: 4, variations: 2, shares: [50, 50] }, ['variations']],
    [{ minimum_effect: 5, baseline_rate: 4, daily_visitors: 0 }, ['daily_visitors']],
    [{ minimum_effect: 5, baseline_rate: 4, power: 100 }, ['power']],
    [{ minimum_effect: 5, baseline_rate: 4, significance: 0.95 }, ['significance']],
    [{ minimum_effect: 5, baseline_rate: 4, method: 'best' }, ['method']],
    [{ minimum_effect: 5, baseline_rate: 4, efect: 1 }, ['efect']],
    [{ minimum_effect: 0.01, baseline_mean: 1e-300, baseline_sd: 1e9 }, ['minimum_effect']],
    [{ goal_id: 'x', shares: [1], minimum_effect: '5' }, ['goal_id', 'minimum_effect', 'shares']],
  ])('for %j', async (body, paths) => {
    expect(refusedPaths(await post(body))).toEqual(paths);
  });

  it('with an explanation for an impossible effect', async () => {
    expect(errorsOf(await post({ baseline_rate: 60, minimum_effect: 100 }))).toEqual({
      minimum_effect: [
        'A conversion rate of 60 % that changes by 100 % would be 120 %, which is not between 0 and 100 %.',
      ],
    });
  });
});
