import { DAY_MICROS, formatDay } from '../../src/common/time/clock';
import { Cells, today } from '../support/cells';
import { anotherProject, Made, useScene } from '../support/scene';
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

describe('results of a variation that was added later', () => {
  const { move } = sharesIn(scene);

  /** Moves the start of the experiment and of its second phase back by days before the start of today. */
  const shift = ({ id }: Made, start: number, second: number): Promise<unknown> =>
    scene.api.database.transaction(async (tx) => {
      const at = (days: number): number => (today() - days) * DAY_MICROS;
      await tx.query('UPDATE experiment_runs SET started_at = ? WHERE experiment_id = ?', [at(start), id]);
      for (const [number, days] of [
        [1, start],
        [2, second],
      ]) {
        await tx.query('UPDATE experiment_phases SET began_at = ? WHERE experiment_id = ? AND number = ?', [
          at(days),
          id,
          number,
        ]);
      }
    });

  it.each([
    [1, 'inconclusive'],
    [7, 'winner'],
  ])('have a verdict only after its own minimum runtime: %d days', async (days, verdict) => {
    const make = await anotherProject(scene);
    await scene.client.patch(make.project, { min_runtime_days: 7 });
    await scene.client.patch(`${make.project}/settings`, { statistics_method: 'frequentist' });
    const experiment = await make.ready({
      variations: ['A', 'B', 'C'].map((name) => ({ name, traffic_allocation: name === 'C' ? 0 : 50 })),
    });
    await move(experiment, 'running');
    await edit(experiment, [40, 40, 20]);
    await publish(experiment);
    const [a, b, c] = (experiment.variations as Made[]).map(({ id }) => id);
    const [goal] = experiment.goals as Made[];
    const cells = new Cells(scene.api, experiment.id);
    const day = formatDay(today() - 1);
    for (const [variation, phase, participants, converters] of [
      [a, 1, 20_000, 2_000],
      [b, 1, 20_000, 2_080],
      [a, 2, 10_000, 1_000],
      [b, 2, 10_000, 1_040],
      [c, 2, 5_000, 1_000],
    ]) {
      const place = { variation, day, phase };
      cells.entered(place, participants).converted(goal.id, place, { converters });
    }
    await cells.store();
    await shift(experiment, 30, days);
    const { body } = await scene.client.get(`${experiment.path}/results`);
    const [, early, late] = Object.values(body[0].variationStatistics as object) as Made[];
    expect(early.duration).toMatchObject({ minRuntimeReached: true });
    expect(late.duration).toMatchObject({
      minRuntimeReached: verdict === 'winner',
      minConversionsReached: true,
    });
    const { daysRunning, daysLeft } = late.duration as Record<string, number>;
    expect(daysRunning - days).toBeGreaterThanOrEqual(0);
    expect(daysRunning - days).toBeLessThan(1.1);
    expect(daysLeft).toBeCloseTo(Math.max(0, 7 - daysRunning), 9);
    expect(late.statistics.verdict).toBe(verdict);
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
