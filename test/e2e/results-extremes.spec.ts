import { GuardrailsService } from '../../src/experiments/guardrails/guardrails.service';
import { Cells, ranFrom } from '../support/cells';
import { guardedIn } from '../support/guardrails';
import { Made, useScene } from '../support/scene';
import {
  daysOfMay,
  fillDays,
  JSON_ONLY,
  plain,
  SharedExperiment,
  sharedExperiment,
  visit,
} from '../support/shared-experiment';

/* Results in which no participant, or every participant, of one variation converted. */

const scene = useScene();

/**
 * Makes an experiment that ran for ten days in May, with ten participants a day in each variation, of whom `converters`
 * convert.
 */
async function ran(converters: readonly [number, number]): Promise<SharedExperiment> {
  const experiment = await sharedExperiment(scene);
  const [original, variation] = converters.map((count) => ({ participants: 10, converters: count }));
  await fillDays(scene, experiment, daysOfMay(10), [original, variation]);
  await ranFrom(scene.api, experiment.id, '2026-05-01', '2026-05-11');
  return experiment;
}

async function figuresOf({ address, variations }: SharedExperiment): Promise<Made> {
  const { body } = await visit(scene, address, JSON_ONLY);
  return (body as Made[])[0].variationStatistics[(variations as Made[])[1].id] as Made;
}

// The p-value was computed in Python with the mixture SPRT for z = 1/√(0.5·0.5·2/100): the rates of two variations with
// 100 participants each differ by 1, and the pooled rate is 0.5. The test is tuned to N* = 4 · 140, where 140 is the
// number of participants in the first week.
it.each([
  [[0, 10], 'winner', 'Variation is better', 1.544689773009435e-32],
  [[10, 0], 'loser', 'Original stays: Variation is worse', 1.544689773009435e-32],
] as const)(
  'results have a verdict with %j of ten converted a day, in JSON and on the page',
  async (counts, verdict, words, p) => {
    const experiment = await ran(counts);
    const figures = await figuresOf(experiment);
    expect([figures.isConfident, figures.statistics.verdict]).toEqual([true, verdict]);
    expect(figures.statistics.conversion.sequential.pValue / p).toBeCloseTo(1, 9);
    expect(figures.duration.daysLeft).toBe(0);
    expect(plain((await visit(scene, experiment.address)).text)).toContain(words);
  },
);

it('results have an uplift interval if the original always converts', async () => {
  const experiment = await ran([10, 0]);
  const { sequential } = (await figuresOf(experiment)).statistics.conversion;
  expect(sequential.upliftInterval).toEqual(sequential.interval);
  const page = plain((await visit(scene, experiment.address)).text);
  expect(page).not.toContain('figure may be zero');
});

it('results have an uplift interval in JSON, CSV and on the page if a variation never converts', async () => {
  const experiment = await ran([5, 0]);
  const { difference, interval, upliftInterval, sequential } = (await figuresOf(experiment)).statistics
    .conversion;
  expect(difference).toBe(-0.5);
  const relative = (ends: number[]): unknown[] => ends.map((end) => expect.closeTo(end / 0.5, 9) as unknown);
  expect(upliftInterval).toEqual(relative(interval));
  expect(sequential.upliftInterval).toEqual(relative(sequential.interval));
  const goal = `${experiment.path}/results/goal/${(experiment.goals as Made[])[0].id}`;
  const { text } = await scene.client.get(`${goal}/download?by=week`);
  const [, , changed] = text.trim().split('\r\n');
  expect(changed.split(',').slice(-3).map(Number)).toEqual([-1, expect.any(Number), expect.any(Number)]);
  expect(changed).not.toMatch(/,-1,-1,/);
  const page = plain((await visit(scene, experiment.address)).text);
  expect(page).not.toContain('figure may be zero');
});

it('a guardrail is tripped if every participant gets an error', async () => {
  const [experiment, guardrail] = await guardedIn(scene)({}, { name: 'Error met', direction: 'decrease' });
  const cells = new Cells(scene.api, experiment.id);
  const day = new Date().toISOString().slice(0, 10);
  for (const [index, { id: variation }] of (experiment.variations as Made[]).entries()) {
    cells
      .entered({ variation, day }, 500)
      .converted(guardrail.id, { variation, day }, { converters: index === 0 ? 0 : 500 });
  }
  await cells.store();
  await scene.api.app.get(GuardrailsService, { strict: false }).look();
  const { body } = await scene.client.get(experiment.path);
  expect([body.status, body.paused_reason]).toEqual(['pause', expect.stringContaining('Error met')]);
});
