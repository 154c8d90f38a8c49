import { Cells, ranFrom } from '../support/cells';
import { Made, useScene } from '../support/scene';
import {
  Daily,
  daysOfMay,
  fillDays,
  JSON_ONLY,
  plain,
  SharedExperiment,
  sharedExperiment,
  visit,
} from '../support/shared-experiment';

/* The share page before a verdict, and its warnings about untrustworthy results. */

const scene = useScene();

/** The text of the page. */
async function wordsOf({ address }: SharedExperiment, query = ''): Promise<string> {
  const { status, text } = await visit(scene, address + query);
  expect(status).toBe(200);
  return plain(text);
}

/** The verdict of the compared variation, with its warnings, in the JSON of the page. */
async function verdictOf({ address, variations }: SharedExperiment, query = ''): Promise<Made> {
  const { body } = await visit(scene, address + query, JSON_ONLY);
  const figures = (body as Made[])[0].variationStatistics[(variations as Made[])[1].id] as Made;
  return { isConfident: figures.isConfident, ...figures.statistics };
}

/** Makes an experiment that ran for `days` days in May with the daily counts `counts`, and has ended. */
async function ran(days: number, counts: readonly [Daily, Daily]): Promise<SharedExperiment> {
  const experiment = await sharedExperiment(scene);
  await fillDays(scene, experiment, daysOfMay(days), counts);
  // The run lasts from noon to noon.
  await ranFrom(scene.api, experiment.id, '2026-05-01', `2026-05-${String(days + 1).padStart(2, '0')}`);
  return experiment;
}

describe('before the minimums are reached', () => {
  it('the page shows how much is missing, but not which variation is ahead', async () => {
    const experiment = await sharedExperiment(scene);
    await scene.make.move(experiment, 'running');
    await fillDays(scene, experiment, daysOfMay(1), [
      { participants: 40, converters: 1 },
      { participants: 41, converters: 2 },
    ]);
    const words = await wordsOf(experiment);
    expect(words).toContain('Too early to say: 3 of 50 conversions, day 1 of 7');
    expect(words).toMatch(/Change.*Too early/);
    expect(words).not.toMatch(/is ahead|higher than|Not certain/);
  });

  it.each<[string, number, [Daily, Daily]]>([
    [
      'Too early to say: 49 of 50 conversions',
      7,
      [
        { participants: 100, converters: 3 },
        { participants: 100, converters: 4 },
      ],
    ],
    [
      'Too early to say: day 6 of 7',
      6,
      [
        { participants: 100, converters: 4 },
        { participants: 100, converters: 5 },
      ],
    ],
    [
      'Variation is ahead, but this is not yet certain',
      7,
      [
        { participants: 100, converters: 4 },
        { participants: 100, converters: 5 },
      ],
    ],
  ])('the page contains: %s', async (words, days, counts) => {
    expect(await wordsOf(await ran(days, counts))).toContain(words);
  });

  it('the page says that an interval without zero is not enough for a verdict', async () => {
    // For 30 vs. 120 converters of 2,000 participants each, z is 7.5, too large to be caused by repeated looks.
    const found = await ran(2, [
      { participants: 1000, converters: 15 },
      { participants: 1000, converters: 60 },
    ]);
    const words = await wordsOf(found);
    expect(words).toContain('Too early to say: day 2 of 7');
    expect(words).toContain(
      'The range of the difference excludes zero, but a verdict also requires the minimum runtime.',
    );
    expect((await verdictOf(found)).verdict).toBe('inconclusive');
  });
});

describe('a filter', () => {
  it('gives only untrustworthy results if the experiment has a sample ratio mismatch', async () => {
    // For 14,000 vs. 12,000 participants, chi-square is 153.8. The 400 participants on tablets have no mismatch.
    const experiment = await ran(10, [
      { participants: 1400, converters: 100 },
      { participants: 1200, converters: 100 },
    ]);
    const cells = new Cells(scene.api, experiment.id);
    for (const [index, { id }] of (experiment.variations as Made[]).entries()) {
      const place = { variation: id, day: '2026-05-02', device: 'tablet' as const };
      cells.entered(place, 200);
      cells.converted(experiment.goals[0].id, place, { converters: index === 0 ? 20 : 120 });
    }
    await cells.store();
    const untrustworthy = { isConfident: false, verdict: 'untrustworthy' };
    for (const query of ['', '?deviceTypes=tablet', '?deviceTypes=tablet&startDate=2026-05-02']) {
      const found = await verdictOf(experiment, query);
      expect(found).toMatchObject(untrustworthy);
      expect(found.warnings).toContain('SAMPLE_RATIO_MISMATCH');
      const results = await scene.client.get(`${experiment.path}/results${query}`);
      const [{ variationStatistics }] = results.body as Made[];
      expect(variationStatistics[experiment.variations[1].id].statistics.verdict).toBe('untrustworthy');
      const words = await wordsOf(experiment, query);
      expect(words).toContain('This result cannot be trusted');
      expect(words).toContain('The check fails for all participants.');
      expect(words).not.toMatch(/Variation is (better|ahead)|Too early/);
    }
  });

  it('leaves results trustworthy if there is no mismatch', async () => {
    const experiment = await ran(10, [
      { participants: 200, converters: 20 },
      { participants: 200, converters: 60 },
    ]);
    expect(await verdictOf(experiment, '?startDate=2026-05-02')).toMatchObject({ verdict: 'winner' });
    expect(await wordsOf(experiment, '?startDate=2026-05-02')).toContain('Variation is better');
  });
});

describe('crossovers', () => {
  const counts: [Daily, Daily] = [
    { participants: 100, converters: 10 },
    { participants: 100, converters: 10 },
  ];

  it.each([
    [20, false],
    [21, true],
  ])('of %d of 2,000 participants cause a warning: %s', async (crossovers, isSaid) => {
    const experiment = await ran(10, counts);
    const { id } = (experiment.variations as Made[])[1];
    await new Cells(scene.api, experiment.id)
      .crossed({ variation: id, day: '2026-05-01' }, crossovers)
      .store();
    const words = await wordsOf(experiment);
    expect(words.includes('Check that visitors keep their id')).toBe(isSaid);
    const told = '21 participants of 2 000 (1.1 %) were later shown another variation.';
    expect(words.includes(told)).toBe(isSaid);
    // The page counts the crossovers of all participants, whatever the filter.
    expect((await wordsOf(experiment, '?startDate=2026-05-02')).includes(told)).toBe(isSaid);
  });
});
