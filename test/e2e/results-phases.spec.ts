import { Cells } from '../support/cells';
import { Made, useScene } from '../support/scene';
import { sharesIn } from '../support/shares';
import { PAGE } from '../support/shared-experiment';

/* Results of experiments whose shares changed. Participants are compared only with others who entered under the same shares. */

const scene = useScene();

const { edit, publish } = sharesIn(scene);

describe('results over two phases', () => {
  it("are not affected by Simpson's paradox", async () => {
    const goal = await scene.make.goal();
    const experiment = await scene.make.withStatus('running', {
      goals: [goal.id],
      variations: [
        { name: 'A', traffic_allocation: 90 },
        { name: 'B', traffic_allocation: 10 },
      ],
    });
    const [a, b] = (experiment.variations as Made[]).map(({ id }) => id);
    await edit(experiment, [50, 50]);
    await publish(experiment);
    // 5 % convert at shares of 90/10, then 8 % at 50/50. Neither phase has an effect. The pooled rates are 6.1 % vs.
    // 7.5 %.
    const [first, second] = ['2026-05-01', '2026-05-02'];
    await new Cells(scene.api, experiment.id)
      .entered({ variation: a, day: first }, 9_000)
      .entered({ variation: b, day: first }, 1_000)
      .converted(goal.id, { variation: a, day: first }, { converters: 450 })
      .converted(goal.id, { variation: b, day: first }, { converters: 50 })
      .entered({ variation: a, day: second, phase: 2 }, 5_000)
      .entered({ variation: b, day: second, phase: 2 }, 5_000)
      .converted(goal.id, { variation: a, day: second, phase: 2 }, { converters: 400 })
      .converted(goal.id, { variation: b, day: second, phase: 2 }, { converters: 400 })
      .store();
    const { body } = await scene.client.get(`${experiment.path}/results`);
    const { conversion: figures } = body[0].variationStatistics[b].statistics;
    expect(figures.difference).toBeCloseTo(0, 12);
    expect(figures.uplift).toBeCloseTo(0, 12);
    expect(figures).toMatchObject({ test: 'mantel-haenszel' });
    expect(figures.pValue).toBeCloseTo(1, 12);
  });
});

describe('results of a stopped variation', () => {
  it('include only the time when it was shown', async () => {
    const goal = await scene.make.goal();
    const shares = { A: 40, B: 40, C: 20 };
    const experiment = await scene.make.withStatus('running', {
      goals: [goal.id],
      variations: Object.entries(shares).map(([name, share]) => ({ name, traffic_allocation: share })),
    });
    const [a, b, c] = (experiment.variations as Made[]).map(({ id }) => id);
    await edit(experiment, [50, 50, 0]);
    await publish(experiment);
    // 20 % convert in the first phase and 10 % in the second. In B, both rates are half a percentage point lower.
    const cells = new Cells(scene.api, experiment.id);
    const [first, second] = ['2026-05-01', '2026-05-02'];
    for (const [variation, fewer] of [
      [a, 0],
      [b, 20],
    ]) {
      cells
        .entered({ variation, day: first }, 4_000)
        .entered({ variation, day: second, phase: 2 }, 4_000)
        .converted(goal.id, { variation, day: first }, { converters: 800 - fewer })
        .converted(goal.id, { variation, day: second, phase: 2 }, { converters: 400 - fewer });
    }
    await cells
      .entered({ variation: c, day: first }, 2_000)
      .converted(goal.id, { variation: c, day: first }, { converters: 400 })
      .store();
    const { body } = await scene.client.get(`${experiment.path}/results`);
    const figures = [a, b, c].map((id) => body[0].variationStatistics[id].statistics.conversion);
    expect(figures[2]).toMatchObject({ difference: 0, uplift: 0 });
    // The chances come from SciPy 1.17 (integrate.quad, as in strata.spec.ts).
    const chances = figures.map(({ bayesian }) => bayesian.chanceToBeBest as number);
    [0.434683913, 0.085981771, 0.479334317].forEach((chance, index) => {
      expect(chances[index]).toBeCloseTo(chance, 7);
    });
    const { body: info } = await scene.client.get(`${experiment.path}/results/info`);
    const { text } = await scene.api.as(null).get(`//share/${info.share_token}`, PAGE);
    const told = ['within the same shares', 'Traffic stopped before there was a verdict on \u2068C\u2069.'];
    expect(told.map((sentence) => text.includes(sentence))).toEqual([true, true]);
    expect(body[0].variationStatistics[c].duration.daysLeft).toBeNull();
    await edit(experiment, [40, 40, 20]);
    await publish(experiment);
    const { text: resumed } = await scene.api.as(null).get(`//share/${info.share_token}`, PAGE);
    expect(resumed).not.toContain('Traffic stopped');
  });
});
