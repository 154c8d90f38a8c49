import { parseHTML } from 'linkedom';
import { Cells, ranFrom } from '../support/cells';
import { Made, useScene } from '../support/scene';
import { SharedExperiment, sharedExperiment, visit } from '../support/shared-experiment';

/* The share page of one goal does not contradict the decision on the share page of the experiment. */

const scene = useScene();

const DAY = '2026-05-01';
const REST = 'Decide whether the gain is worth the loss: Variation is worse on the guardrail Errors.';

let experiment: SharedExperiment;
beforeAll(async () => {
  const [orders, visits, errors] = [
    await scene.make.goal({ name: 'Orders' }),
    await scene.make.goal({ name: 'Visits' }),
    await scene.make.goal({ name: 'Errors', direction: 'decrease' }),
  ];
  experiment = await sharedExperiment(scene, { goals: [orders.id, visits.id], guardrails: [errors.id] });
  const [original, variation] = (experiment.variations as Made[]).map(({ id }) => id);
  const cells = new Cells(scene.api, experiment.id);
  for (const [place, more] of [
    [{ variation: original, day: DAY }, 0],
    [{ variation, day: DAY }, 300],
  ] as const) {
    cells.entered(place, 5_000);
    for (const { id } of [orders, visits, errors]) {
      cells.converted(id, place, { converters: 500 + more });
    }
  }
  await cells.store();
  await ranFrom(scene.api, experiment.id, DAY, '2026-05-31');
});

async function shown(path: string): Promise<Record<'head' | 'decision' | 'headlines' | 'summary', string>> {
  const { status, text } = await visit(scene, `${experiment.address}${path}`);
  expect(status).toBe(200);
  const { document } = parseHTML(text);
  const textOf = (selector: string): string =>
    [...document.querySelectorAll(selector)]
      .map(({ textContent }) => (textContent ?? '').replace(/[\u2068\u2069]/g, ''))
      .join(' | ');
  return {
    head: textOf('.headline .eyebrow'),
    decision: textOf('.decision'),
    headlines: textOf('.verdict-headline, .goal-headline'),
    summary: document.querySelector('meta[name="description"]')?.getAttribute('content') ?? '',
  };
}

const goalPath = (index: number): string => {
  const all = [...(experiment.goals as Made[]), ...(experiment.guardrails as Made[])];
  return `/goals/${all[index].id}`;
};

it('the experiment page names the loss on a guardrail', async () => {
  expect(await shown('')).toMatchObject({ head: 'Primary goal: Orders', decision: REST });
});

it('the page of the primary goal also names the loss', async () => {
  expect(await shown(goalPath(0))).toMatchObject({ head: 'Primary goal: Orders', decision: REST });
});

it('the page of another goal has its verdict, but no decision', async () => {
  const { summary, ...page } = await shown(goalPath(1));
  expect(page).toEqual({ head: '', decision: '', headlines: 'Variation is better' });
  expect(summary).toMatch(/^Variation is better\. The conversion rate of Variation is 16\.0/);
});

it('the page of a guardrail has its verdict, but no decision', async () => {
  const { summary, ...page } = await shown(goalPath(2));
  expect(page).toEqual({ head: '', decision: '', headlines: 'Original stays: Variation is worse' });
  expect(summary).toMatch(/^Original stays: Variation is worse\. /);
});
