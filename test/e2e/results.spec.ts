import { Cells, Place } from '../support/cells';
import { Made, useScene } from '../support/scene';

/* Results computed from cells. */

const scene = useScene();

const DAY = '2026-05-01';
const NEXT = '2026-05-02';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- response bodies are untyped
type Figures = Record<string, any>;

async function figuresOf(experiment: Made, goal = 0): Promise<Figures[]> {
  const { status, body } = await scene.client.get(`${experiment.path}/results`);
  expect(status).toBe(200);
  return Object.values(body[goal].variationStatistics as object) as Figures[];
}

const placesOf = (experiment: Made): Place[] =>
  experiment.variations.map(({ id }: Made) => ({ variation: id, day: DAY }));

const cellsOf = (experiment: Made): Cells => new Cells(scene.api, experiment.id);

describe('an experiment', () => {
  const NO_RESULT = { message: 'No result found for this experiment', code: 'NO_RESULT' };

  it('without participants has no results, with any filter', async () => {
    const [goal] = [await scene.make.goal()];
    const experiment = await scene.make.ready({ goals: [goal.id] });
    const paths = ['', '?startDate=2026-05-01', `/goal/${goal.id}`, `/goal/${goal.id}/download`];
    for (const path of paths) {
      const { status, body, headers } = await scene.client.get(`${experiment.path}/results${path}`);
      expect([path, status, body]).toEqual([path, 404, NO_RESULT]);
      expect(headers.etag).toBeUndefined();
    }
    await scene.make.move(experiment, 'running');
    expect((await scene.client.get(`${experiment.path}/results`)).body).toEqual(NO_RESULT);
  });

  it('has zeros if a filter excludes all participants', async () => {
    const experiment = await scene.make.ready();
    const [a] = experiment.variations;
    await cellsOf(experiment).entered({ variation: a.id, day: DAY }, 5).store();
    const { status, body } = await scene.client.get(`${experiment.path}/results?startDate=${NEXT}`);
    expect(status).toBe(200);
    for (const figures of Object.values(body[0].variationStatistics as object) as Figures[]) {
      expect(figures).toMatchObject({
        participants: 0,
        conversions: 0,
        totalConversions: 0,
        totalValue: 0,
        conversionRate: null,
        confidence: null,
        isConfident: false,
      });
    }
  });

  it('has an empty list of results if it has participants but no goals', async () => {
    const experiment = await scene.make.ready();
    await cellsOf(experiment).entered({ variation: experiment.variations[0].id, day: DAY }, 5).store();
    expect((await scene.client.patch(experiment.path, { goals: [] })).status).toBe(200);
    const { status, body } = await scene.client.get(`${experiment.path}/results`);
    expect([status, body]).toEqual([200, []]);
  });

  it('lists its goals in the order in which they were attached, each with all variations by id', async () => {
    const goals = [await scene.make.goal(), await scene.make.goal(), await scene.make.goal()];
    const order = [goals[2], goals[0], goals[1]];
    const experiment = await scene.make.ready({
      goals: order.map(({ id }) => id),
      variations: [{ name: 'A' }, { name: 'B' }, { name: 'C' }],
    });
    const ids = experiment.variations.map(({ id }: Made) => String(id)) as string[];
    await cellsOf(experiment)
      .entered({ variation: Number(ids[0]), day: DAY }, 5)
      .store();
    const { body } = await scene.client.get(`${experiment.path}/results`);
    expect(body.map(({ variationStatistics: _, ...goal }: Made) => goal)).toEqual(
      order.map(({ id, type, name, api_name }, index) => {
        const role = index === 0 ? 'primary' : 'secondary';
        return { id, role, type, name, api_name };
      }),
    );
    for (const { variationStatistics } of body) {
      expect(Object.keys(variationStatistics as object)).toEqual(ids);
      expect(Object.values(variationStatistics as object).map(({ id }: Made) => String(id))).toEqual(ids);
    }
  });

  it('shows the whole history of a goal that was attached later', async () => {
    const experiment = await scene.make.ready();
    const later = await scene.make.goal();
    const [a] = experiment.variations;
    await cellsOf(experiment)
      .entered({ variation: a.id, day: DAY }, 5)
      .converted(later.id, { variation: a.id, day: DAY }, { converters: 3, conversions: 4 })
      .store();
    const goals = [...experiment.goals, later].map(({ id }: Made) => id);
    await scene.client.patch(experiment.path, { goals });
    const [original] = await figuresOf(experiment, 1);
    expect(original).toMatchObject({ participants: 5, conversions: 3, totalConversions: 4 });
  });
});

describe('during a rebuild', () => {
  it('the old results are shown until the rebuild ends, and only the new ones afterwards', async () => {
    const experiment = await scene.make.ready();
    const [place] = placesOf(experiment);
    const [{ id: goal }] = experiment.goals;
    const paths = ['', '/info', `/goal/${goal}`, `/goal/${goal}/download`];
    const look = async (): Promise<string[]> => {
      // The URL differs each time, so no response comes from a cache.
      const query = `?look=${Math.random()}`;
      const answers = paths.map((path) => scene.client.get(`${experiment.path}/results${path}${query}`));
      return (await Promise.all(answers)).map(({ text }) => text);
    };
    await cellsOf(experiment).entered(place, 100).converted(goal, place, { converters: 10 }).store();
    const before = await look();
    await cellsOf(experiment)
      .entered(place, 100)
      .converted(goal, place, { converters: 10 })
      .entered({ ...place, device: 'mobile' }, 20)
      .store({ generation: 2, shown: false });
    expect(await look()).toEqual(before);
    await cellsOf(experiment).crossed(place, 1).store({ generation: 2 });
    const [results, info, series] = (await look()).map((text) =>
      text.startsWith('date') ? null : JSON.parse(text),
    );
    expect(results[0].variationStatistics[place.variation]).toMatchObject({
      participants: 120,
      conversions: 10,
    });
    expect(info).toMatchObject({ participants: 120, crossovers: 1 });
    expect(series[0]).toMatchObject({ participants: 120, conversions: 10 });
  });

  it('a rebuild without participants has no results', async () => {
    const experiment = await scene.make.ready();
    const [place] = placesOf(experiment);
    await cellsOf(experiment).entered(place, 100).store();
    await cellsOf(experiment).crossed(place, 1).store({ generation: 2 });
    expect((await scene.client.get(`${experiment.path}/results`)).status).toBe(404);
    expect((await scene.client.get(`${experiment.path}/results/info`)).body.has_results).toBe(false);
  });
});

describe('conversions', () => {
  async function compared(original: [number, number], variation: [number, number]): Promise<Figures[]> {
    const experiment = await scene.make.ready();
    const cells = cellsOf(experiment);
    for (const [index, [converters, participants]] of [original, variation].entries()) {
      const place = { variation: experiment.variations[index].id as number, day: DAY };
      cells.entered(place, participants).converted(experiment.goals[0].id, place, { converters });
    }
    await cells.store();
    return figuresOf(experiment);
  }

  it('are summed over days and devices', async () => {
    const experiment = await scene.make.ready();
    const [{ id: variation }] = experiment.variations;
    const [{ id: goal }] = experiment.goals;
    await cellsOf(experiment)
      .entered({ variation, day: DAY }, 100)
      .entered({ variation, day: DAY, device: 'mobile' }, 20)
      .entered({ variation, day: NEXT, device: 'tablet' }, 3)
      .converted(goal, { variation, day: DAY }, { converters: 10, conversions: 11 })
      .converted(goal, { variation, day: NEXT, entered: DAY }, { converters: 4, conversions: 9 })
      .converted(goal, { variation, day: NEXT, entered: DAY, device: 'mobile' }, { converters: 2 })
      .store();
    const [original] = await figuresOf(experiment);
    expect(original).toMatchObject({
      participants: 123,
      conversions: 16,
      totalConversions: 22,
      conversionRate: 16 / 123,
      totalValue: 0,
    });
  });

  it('are compared as in the statsmodels example for proportions_ztest: 5 of 83 and 12 of 99', async () => {
    const [original, variation] = await compared([5, 83], [12, 99]);
    expect(variation.statistics.conversion.test).toBe('z-pooled');
    expect(variation.statistics.conversion.pValue.toFixed(3)).toBe('0.159');
    expect(variation.confidence).toBe(1 - variation.statistics.conversion.pValue);
    expect([original.confidence, original.uplift]).toEqual([null, null]);
  });

  it('determine the uplift: 15 % vs. 10 % is an uplift of 50 %', async () => {
    const [original, variation] = await compared([100, 1000], [150, 1000]);
    expect([original.conversionRate, variation.conversionRate]).toEqual([0.1, 0.15]);
    expect(variation.uplift).toBeCloseTo(0.5, 12);
    // The interval is 0.05 ± 1.96 √(0.1·0.9/1000 + 0.15·0.85/1000).
    expect(variation.statistics.conversion.interval[0]).toBeCloseTo(0.0210947, 7);
    expect(variation.statistics.conversion.interval[1]).toBeCloseTo(0.0789053, 7);
  });
});

describe('values', () => {
  const UNIT = 10_000n;
  const SQUARE = UNIT * UNIT;

  async function withRevenue(): Promise<Made> {
    const goal = await scene.make.goal({ value_type: 'revenue' });
    return scene.make.ready({ goals: [goal.id] });
  }

  it('of 0, 0, 10, 20 and 0, 10, 20, 30 differ by 7.5 per participant on average', async () => {
    const experiment = await withRevenue();
    const [a, b] = placesOf(experiment);
    const [{ id: goal }] = experiment.goals;
    const later = { ...a, day: NEXT, entered: DAY };
    // A participant spends 10 on the first day and 10 more on the next, so the squared total grows from 100 to 400.
    await cellsOf(experiment)
      .entered(a, 4)
      .converted(goal, a, { converters: 2, value: 20n * UNIT, valueSquared: 200n * SQUARE })
      .converted(goal, later, { conversions: 1, value: 10n * UNIT, valueSquared: 300n * SQUARE })
      .entered(b, 4)
      .converted(goal, b, { converters: 3, value: 60n * UNIT, valueSquared: 1400n * SQUARE })
      .store();
    const [original, variation] = await figuresOf(experiment);
    expect(original).toMatchObject({ totalValue: 30, valuePerParticipant: 7.5, valuePerConversion: 10 });
    expect(variation).toMatchObject({ totalValue: 60, valuePerParticipant: 15, uplift: 1 });
    const { value, metric } = variation.statistics;
    expect([metric, value.difference]).toEqual(['value', 7.5]);
    // The variances are 275/3 and 500/3, with four participants in each variation.
    expect(value.standardError).toBeCloseTo(Math.sqrt(275 / 12 + 500 / 12), 12);
  });

  it('of goals without values are ignored', async () => {
    const experiment = await scene.make.ready();
    const place = { variation: experiment.variations[0].id as number, day: DAY };
    await cellsOf(experiment)
      .entered(place, 1)
      .converted(experiment.goals[0].id, place, { converters: 1, value: UNIT, valueSquared: SQUARE })
      .store();
    const [original] = await figuresOf(experiment);
    expect(original).toMatchObject({ totalValue: 0, valuePerParticipant: 0 });
    expect(original.statistics).toMatchObject({ metric: 'conversion', value: null });
  });

  it('are summed exactly, for any size and sign', async () => {
    const experiment = await withRevenue();
    const [{ id: goal }] = experiment.goals;
    const [a, b] = placesOf(experiment);
    const huge = 10n ** 40n;
    await cellsOf(experiment)
      .entered(a, 3)
      .converted(goal, a, { converters: 1, value: huge + 12_345n })
      .converted(goal, { ...a, device: 'mobile' }, { converters: 1, value: -huge })
      .entered(b, 3)
      .converted(goal, b, { converters: 1, value: -(2n ** 63n), valueSquared: 2n ** 126n })
      .converted(goal, { ...b, device: 'other' }, { converters: 1, value: -(2n ** 63n) })
      .store();
    const [original, variation] = await figuresOf(experiment);
    expect(original).toMatchObject({ totalValue: 1.2345, valuePerConversion: 0.61725 });
    expect(variation.totalValue).toBe(-(2 ** 64) / 10_000);
  });

  it('keep the variance of 1e8 and 1e8 + 1, which doubles would lose', async () => {
    const experiment = await withRevenue();
    const [{ id: goal }] = experiment.goals;
    const large = 100_000_000n * UNIT;
    const cells = cellsOf(experiment);
    for (const [index, shift] of [0n, 1n].entries()) {
      const place = { variation: experiment.variations[index].id as number, day: DAY };
      const [low, high] = [large + shift * UNIT, large + (shift + 1n) * UNIT];
      cells.entered(place, 2).converted(goal, place, {
        converters: 2,
        value: low + high,
        valueSquared: low * low + high * high,
      });
    }
    await cells.store();
    const [, variation] = await figuresOf(experiment);
    // Each variation has the variance 1/2, so each mean has the variance 1/4.
    expect(variation.statistics.value).toMatchObject({ difference: 1, standardError: Math.SQRT1_2 });
  });
});
