import r from '../../src/statistics/fixtures/r.json';
import { anotherProject, errorsOf, refusedPaths, useScene } from '../support/scene';

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
  ])('for the method %s includes the cost of repeated looks', async (method, least, most) => {
    const { body } = await post({ ...GIVEN, method, daily_visitors: 2_188 / 28 });
    const inflation = body.per_variation[0] / 1_094;
    expect(inflation).toBeGreaterThanOrEqual(least);
    expect(inflation).toBeLessThanOrEqual(most);
  });

  // R: uniroot on d/SE - qnorm(0.95)*sqrt(1 + SE^2/(0.1*0.2)^2) - qnorm(0.8) gives n = 1,239.90; without a prior, n =
  // 0.3475*(qnorm(0.95) + qnorm(0.8))^2/0.05^2 = 859.3755.
  it("for the method bayesian follows its one-sided rule and the project's prior", async () => {
    const make = await anotherProject(scene);
    const request = { ...GIVEN, method: 'bayesian' };
    expect((await post(request, make.project)).body.per_variation).toEqual([860, 860]);
    await scene.client.patch(`${make.project}/settings`, { uplift_prior: 10 });
    expect((await post(request, make.project)).body.per_variation).toEqual([1_240, 1_240]);
    expect((await post(GIVEN, make.project)).body.per_variation).toEqual([1_094, 1_094]);
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
    [{ minimum_effect: 10, baseline_rate: 4, shares: [1e-9, 1e9] }, ['shares']],
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
