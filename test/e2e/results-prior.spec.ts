import { Cells } from '../support/cells';
import { anotherProject, useScene } from '../support/scene';

const scene = useScene();

const DAY = '2026-05-01';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- response bodies are untyped
type Figures = Record<string, any>;

// For 100 vs. 150 converted of 1,000 participants each, d = 0.05 and SE² = 0.1·0.9/1000 + 0.15·0.85/1000 = 0.0002175.
// With the prior N(0, (0.3·0.1)²) on the difference, the precision of the posterior is 1/SE² + 1/0.0009, and its mean
// is (d/SE²)/(1/SE² + 1/0.0009) = 0.0402685. GrowthBook (gbstats, bayesian/tests.py) computes the same.
describe('the prior on the uplift', () => {
  it('shrinks the uplift and changes only the Bayesian figures', async () => {
    const make = await anotherProject(scene);
    const experiment = await make.ready();
    const cells = new Cells(scene.api, experiment.id);
    for (const [index, converters] of [100, 150].entries()) {
      const place = { variation: experiment.variations[index].id as number, day: DAY };
      cells.entered(place, 1_000).converted(experiment.goals[0].id, place, { converters });
    }
    await cells.store();
    const look = async () => {
      const { body } = await scene.client.get(`${experiment.path}/results`);
      const [, figures] = Object.values(body[0].variationStatistics as Record<string, Figures>);
      const { bayesian, ...others } = figures.statistics.conversion;
      return { bayesian, others };
    };
    const flat = await look();
    expect(flat.bayesian).toMatchObject({ prior: [1, 1], upliftPrior: null, shrunkUplift: null });
    await scene.client.patch(`${make.project}/settings`, { uplift_prior: 30 });
    const { bayesian, others } = await look();
    expect(others).toEqual(flat.others);
    expect(bayesian).toMatchObject({ prior: null, upliftPrior: 0.3 });
    expect(bayesian.shrunkUplift).toBeCloseTo(0.402685, 6);
    // The posterior has a standard deviation of √(1/(1/0.0002175 + 1/0.0009)) = 0.0132351. The interval is the mean ±
    // 1.959964 standard deviations.
    expect(bayesian.differenceInterval[0]).toBeCloseTo(0.0402685 - 1.959964 * 0.0132351, 6);
    expect(bayesian.differenceInterval[1]).toBeCloseTo(0.0402685 + 1.959964 * 0.0132351, 6);
    await scene.client.patch(`${make.project}/settings`, { uplift_prior: null });
    expect(await look()).toEqual(flat);
  });
});
