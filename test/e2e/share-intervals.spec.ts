import { parseHTML } from 'linkedom';
import { ProjectsService } from '../../src/projects/projects.service';
import { Cells } from '../support/cells';
import { Made, useScene } from '../support/scene';
import {
  daysOfMay,
  fillDays,
  JSON_ONLY,
  SharedExperiment,
  sharedExperiment,
  visit,
} from '../support/shared-experiment';

/* The displayed intervals match the test of the statistics method. */

const scene = useScene();

interface Part {
  textContent: string;
  querySelectorAll(selector: string): Iterable<Part>;
}

const plain = (text: string): string =>
  text
    .replace(/[\u2068\u2069]/g, '')
    .replace(/[\u202f\s]+/g, ' ')
    .trim();

/** The texts of the elements that match a selector. */
async function textsOf(experiment: SharedExperiment, selector: string): Promise<string[]> {
  const { status, text } = await visit(scene, experiment.address);
  expect(status).toBe(200);
  const { document } = parseHTML(text) as unknown as { document: Part };
  return [...document.querySelectorAll(selector)].map(({ textContent }) => plain(textContent));
}

/** The table cells with the figures of the compared variation. */
const cellsOf = async (experiment: SharedExperiment): Promise<string[]> =>
  (await textsOf(experiment, '.goal .table-cards tbody tr:nth-child(2) > *')).slice(2, 5);

/** The table cells of the last day in the uplift plot. */
const lastChange = async (experiment: SharedExperiment): Promise<string[]> =>
  textsOf(experiment, '.plots figure:nth-child(2) tbody tr:nth-child(1) > *');

async function setMethod(
  statistics_method: 'sequential' | 'frequentist' | 'bayesian',
  statistics_correction: 'none' | 'holm' = 'none',
): Promise<void> {
  const settings = { statistics_method, statistics_correction };
  await scene.api.app.get(ProjectsService).setMethod(scene.make.projectId, settings, 'admin');
}

afterEach(() => setMethod('sequential'));

/**
 * Makes an experiment in which 300 of 4,000 participants of the original convert, and 360 of 4,100 of the variation.
 */
async function buttons(): Promise<SharedExperiment> {
  const experiment = await sharedExperiment(scene);
  await scene.make.move(experiment, 'running');
  await fillDays(scene, experiment, daysOfMay(10));
  return experiment;
}

/*
 * Expected intervals come from a Python script with the formulas of the papers, not from this code. d is the difference
 * between the conversion rates, and c is the critical value. The tuning is 5,000:
 * L = -2 ln 0.05; rho2 = (L + ln(1 + L)) / 5000; i = N rho2; c = sqrt(2 (i + 1) / i (ln(1 + i) / 2 - ln 0.05))
 * (Waudby-Smith et al., arXiv 2103.06476); d -+ c max(SE pooled, SE unpooled); Fieller (1954, JRSS-B 16:175) with that c.
 */

describe('the intervals of the page', () => {
  it('are confidence sequences in both the table and the plot with the sequential method', async () => {
    const experiment = await buttons();
    // d is 0.012805 in [-0.005727, 0.031337], the uplift 0.170732 in [-0.068544, 0.479225]. For a single look, the
    // interval of d would be [0.000902, 0.024707], which excludes zero. The rate has Wilson limits with c for half the
    // tuning.
    const change = ['+17.1 %', '−7 % to +48 %'];
    expect(await cellsOf(experiment)).toEqual([
      '8.78 %7.5 % to 10.3 %',
      '+1.28 points−0.6 to +3.2 points',
      change.join(''),
    ]);
    expect((await lastChange(experiment)).slice(2)).toEqual(change);
  });

  it.each(['frequentist', 'bayesian'] as const)(
    'are valid for a single look with the method %s',
    async (method) => {
      const experiment = await buttons();
      await setMethod(method);
      // d -+ 1.959964 SE unpooled = [0.000902, 0.024707]. The delta method gives [-0.001243, 0.342707] for the uplift.
      expect((await cellsOf(experiment)).slice(1)).toEqual([
        '+1.28 points+0.09 to +2.5 points',
        '+17.1 %−0.2 % to +35 %',
      ]);
      expect((await lastChange(experiment)).at(-1)).toBe('−0.2 % to +35 %');
    },
  );

  it('are in the JSON next to those for a single look, under separate names', async () => {
    const experiment = await buttons();
    const { body } = await visit(scene, experiment.address, JSON_ONLY);
    const { conversion } = (body as Made[])[0].variationStatistics[experiment.variations[1].id].statistics;
    expect(conversion.interval[0]).toBeCloseTo(0.000902367, 8);
    expect(conversion.upliftInterval[0]).toBeCloseTo(-0.001243464, 8);
    expect(conversion.sequential.interval[0]).toBeCloseTo(-0.005726964, 8);
    expect(conversion.sequential.upliftInterval[0]).toBeCloseTo(-0.068543852, 8);
  });

  it('compare only participants who entered under the same shares, in both the table and the plot', async () => {
    const experiment = await twoPhases();
    // In the first phase, 450 of 9,000 vs. 60 of 1,000 convert, and in the second 80 of 1,000 vs. 760 of 9,000.
    // Weighted, d is 0.007222 in [-0.011746, 0.026190] and the uplift is 0.111111 in [-0.156617, 0.487673]. Pooled, the
    // uplift would be +54.7 %.
    const change = ['+11.1 %', '−16 % to +49 %'];
    expect((await cellsOf(experiment)).slice(1)).toEqual([
      '+0.72 points−1.2 to +2.7 points',
      change.join(''),
    ]);
    expect((await lastChange(experiment)).slice(2)).toEqual(change);
    expect(await textsOf(experiment, '.result-table .number .range')).toEqual(['within the same shares']);
    const [, detail] = await textsOf(experiment, '.verdict-text p');
    expect(detail).toBe(
      'The shares changed during the experiment. Only participants who entered under the same shares are compared.',
    );
  });

  it('omit the uplift interval, with the reason, if the original has too little data', async () => {
    const experiment = await sharedExperiment(scene);
    await fillDays(scene, experiment, daysOfMay(1), [
      { participants: 4000, converters: 3 },
      { participants: 4000, converters: 41 },
    ]);
    // d is 0.0095 in [0.004460, 0.014540]. Fieller's set is unbounded, because the original has only 3 converted
    // participants, less than c² = 9.29.
    expect((await cellsOf(experiment)).slice(1)).toEqual([
      '+0.95 points+0.4 to +1.5 points',
      '+1 267 %–range not known yet',
    ]);
    expect((await textsOf(experiment, '.caveats li')).join(' ')).toContain(
      'For Variation the change has no range yet, because the original has too little data',
    );
  });

  it('explain why the range of a small sample is missing or impossible', async () => {
    const experiment = await sharedExperiment(scene);
    await fillDays(scene, experiment, daysOfMay(1), [
      { participants: 32, converters: 17 },
      { participants: 28, converters: 7 },
    ]);
    // d is -0.28125 in [-1.35, 0.78]. The original's own range, [0.10, 0.93], does not contain zero.
    expect((await cellsOf(experiment)).slice(1)).toEqual([
      '−28.13 points−135 to +78 points',
      '−52.9 %–range not known yet',
    ]);
    const caveats = (await textsOf(experiment, '.caveats li')).join(' ');
    expect(caveats).toContain('the range of the difference extends beyond 100 points');
    expect(caveats).toContain('the original has too little data');
  });
});

describe('the texts of the page', () => {
  const notesOf = (experiment: SharedExperiment) => textsOf(experiment, '.notes');

  it('describe intervals correctly', async () => {
    const experiment = await buttons();
    const everyDay =
      'the ranges of a figure contain the true value with 95 % confidence, however often you look';
    const once = 'contains the true value with 95 % confidence if you look once, at the planned end';
    expect((await notesOf(experiment))[0]).toContain(everyDay);
    expect((await textsOf(experiment, '.plots figcaption'))[0]).toContain(
      'the shaded ranges of all days contain the true value',
    );
    await setMethod('frequentist');
    expect((await notesOf(experiment))[0]).toContain(once);
    expect((await textsOf(experiment, '.plots figcaption'))[0]).toContain('range of a single day');
  });

  it('also match the method in images', async () => {
    const experiment = await buttons();
    const image = async () =>
      plain((await visit(scene, `${experiment.address}/goals/${experiment.goals[0].id}.svg`)).text);
    expect(await image()).toContain('the shaded ranges of all days contain the true value');
    await setMethod('bayesian');
    expect(await image()).toContain('range of a single day');
  });

  it('explain that, with a correction, a verdict can require more than an interval without zero', async () => {
    const experiment = await buttons();
    expect((await notesOf(experiment))[0]).not.toContain('account for all comparisons');
    await setMethod('sequential', 'holm');
    expect((await notesOf(experiment))[0]).not.toContain('account for all comparisons');
    const [second, { body }] = [await scene.make.goal(), await scene.client.get(experiment.path)];
    const goals = [...(body.goals as Made[]), second].map(({ id }) => id);
    expect((await scene.client.patch(experiment.path, { goals })).status).toBe(200);
    expect((await notesOf(experiment))[0]).toContain('the verdicts account for all comparisons');
  });
});

/** Makes an experiment that starts with shares of 90 and 10 and changes to 10 and 90. Both phases have participants. */
async function twoPhases(): Promise<SharedExperiment> {
  const variations = [
    { name: 'Original', traffic_allocation: 90 },
    { name: 'Variation', traffic_allocation: 10 },
  ];
  const experiment = await sharedExperiment(scene, { variations });
  await scene.make.move(experiment, 'running');
  const [original, other] = (experiment.variations as Made[]).map(({ id }) => id);
  for (const [id, traffic_allocation] of [
    [original, 10],
    [other, 90],
  ]) {
    await scene.client.patch(`${experiment.path}/variations/${id}`, { traffic_allocation });
  }
  expect((await scene.client.patch(`${experiment.path}/publish`, {})).status).toBe(200);
  const goal = experiment.goals[0].id as number;
  const cells = new Cells(scene.api, experiment.id);
  const counts: [variation: number, phase: number, participants: number, converters: number][] = [
    [original, 1, 9_000, 450],
    [other, 1, 1_000, 60],
    [original, 2, 1_000, 80],
    [other, 2, 9_000, 760],
  ];
  for (const [variation, phase, participants, converters] of counts) {
    const place = { variation, phase, day: `2026-05-0${phase}` };
    cells.entered(place, participants).converted(goal, place, { converters });
  }
  await cells.store();
  return experiment;
}
