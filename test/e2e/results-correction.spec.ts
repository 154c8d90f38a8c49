import { Cells } from '../support/cells';
import { anotherProject, type Made, useScene } from '../support/scene';

const scene = useScene();

const DAY = '2026-05-01';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- response bodies are untyped
type Figures = Record<string, any>;

// In R, prop.test(c(130, 100), c(1000, 1000), correct = FALSE)$p.value is 0.03548845. p.adjust with the method holm
// gives 0.1419538 if the three other p-values in the family are 1.
describe('the correction for multiple testing', () => {
  it('keeps goals and guardrails with equal counts in separate families', async () => {
    const make = await anotherProject(scene);
    await scene.client.patch(make.project, { min_runtime_days: 0, min_conversions: 1 });
    const method = { statistics_method: 'frequentist', correction: 'holm' };
    expect((await scene.client.patch(`${make.project}/settings`, method)).status).toBe(200);
    const goals: Made[] = [await make.goal(), await make.goal(), await make.goal(), await make.goal()];
    const guardrail = await make.goal();
    const experiment = await make.ready({ goals: goals.map(({ id }) => id), guardrails: [guardrail.id] });
    const cells = new Cells(scene.api, experiment.id);
    for (const [index, converters] of [100, 130].entries()) {
      const place = { variation: experiment.variations[index].id as number, day: DAY };
      cells.entered(place, 1_000);
      goals.slice(1).forEach(({ id }) => cells.converted(id, place, { converters: 50 }));
      [goals[0], guardrail].forEach(({ id }) => cells.converted(id, place, { converters }));
    }
    await cells.store();
    const { body } = await scene.client.get(`${experiment.path}/results`);
    const statistics = (body as Figures[]).map(
      ({ variationStatistics }) => Object.values(variationStatistics as Figures)[1].statistics as Figures,
    );
    const adjusted = statistics.map(({ conversion }) => conversion.pValueAdjusted as number);
    expect(adjusted).toEqual([0.1419538, 1, 1, 1, 0.03548845].map((p) => expect.closeTo(p, 7) as number));
    expect(statistics[0].verdict).toBe('inconclusive');
  });
});
