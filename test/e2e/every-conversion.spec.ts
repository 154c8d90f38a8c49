import { attributeAll, conversion, exposure, send } from '../support/events';
import { Made, useScene } from '../support/scene';

/* Goals that count every conversion of a participant, not only the first. */

const scene = useScene();
const LATE = 73 * 3_600_000_000;

let clientKey: string;
beforeAll(async () => {
  clientKey = (await scene.client.get(scene.project)).body.client_key as string;
});

interface Counted extends Made {
  a: number;
  b: number;
  goal: Made;
}

let visitors = 0;

/** Four participants of each variation, with the values of their conversions in order. */
const SPENT = {
  a: [[10, 20, 30], [], [5], []],
  b: [[7, 8], [9], [], []],
};

async function counted(fields: object): Promise<Counted> {
  const goal = await scene.make.goal({ value_type: 'revenue', ...fields });
  const experiment = await scene.make.withStatus('running', { goals: [goal.id] });
  const [a, b] = experiment.variations.map(({ id }: Made) => id) as number[];
  const messages = (['a', 'b'] as const).flatMap((name) =>
    SPENT[name].flatMap((values) => {
      const visitor = `visitor-${(visitors += 1)}`;
      // The exposure is created first, so that its time is not after the time of a conversion.
      const shown = exposure(visitor, experiment.id, { a, b }[name]);
      return [shown, ...values.map((value) => conversion(visitor, goal.api_name, value))];
    }),
  );
  expect((await send(scene.api, clientKey, messages)).body.accepted).toBe(messages.length);
  await attributeAll(scene.api);
  return { ...experiment, a, b, goal };
}

async function figures({ path, a, b }: Counted): Promise<Made[]> {
  const { body } = await scene.client.get(`${path}/results`);
  return [a, b].map((id) => body[0].variationStatistics[id]);
}

const infoOf = async ({ path }: Made): Promise<Made> => (await scene.client.get(`${path}/results/info`)).body;

const change = async ({ goal }: Counted, fields: object): Promise<void> =>
  expect((await scene.client.patch(goal.path, fields)).body).toMatchObject(fields);

function expectEvery([original, variation]: readonly Made[]): void {
  expect([original, variation]).toMatchObject([
    { conversions: 2, totalConversions: 4, conversionRate: 0.5, conversionsPerParticipant: 1 },
    { conversions: 2, totalConversions: 3, conversionRate: 0.5, conversionsPerParticipant: 0.75 },
  ]);
  const { metric, count, conversion: rate } = variation.statistics;
  expect([metric, variation.uplift, rate.uplift]).toEqual(['count', -0.25, 0]);
  // SciPy: ttest_ind([2, 1, 0, 0], [3, 0, 1, 0], equal_var=False)
  expect(count.t).toBeCloseTo(-0.29277002188455997, 12);
  expect(count.degreesOfFreedom).toBeCloseTo(5.272596843615494, 12);
  expect(count.pValue).toBeCloseTo(0.7808722528642478, 12);
  expect(variation.confidence).toBeCloseTo(1 - 0.7808722528642478, 12);
}

function expectRatio([original, variation]: readonly Made[]): void {
  const [first, second] = [original.statistics.ratio, variation.statistics.ratio];
  // The estimate is the value per conversion r = S/C. Its standard error, interval and p-value were computed in NumPy
  // by linearisation, with the value y and the conversions c of each participant: e = y - r c, variance
  // e'e / (n - 1) / (n mean(c)^2), normal quantiles.
  expect([first.estimate, second.estimate]).toEqual([16.25, 8]);
  expect(first.standardError).toBeCloseTo(4.592793267718459, 12);
  expect(first.interval[0]).toBeCloseTo(7.248290606833793, 9);
  expect(first.interval[1]).toBeCloseTo(25.25170939316621, 9);
  expect(second.standardError).toBeCloseTo(0.5443310539518174, 12);
  expect(second.difference).toBeCloseTo(-8.25, 12);
  expect(second.pValue).toBeCloseTo(0.0744548832363172, 12);
  expect([first.difference, first.pValue]).toEqual([null, null]);
}

describe('a goal that counts every conversion', () => {
  it('compares conversions per participant', async () => {
    const found = await figures(await counted({ counting: 'every' }));
    expectEvery(found);
    expectRatio(found);
  });

  it('has the same standard error of the value per conversion as a goal that counts participants', async () => {
    const found = await figures(await counted({}));
    expect(found[1].statistics).toMatchObject({ metric: 'value', count: null });
    expectRatio(found);
  });

  it('caps the value per conversion if the goal has a cap', async () => {
    const [original] = await figures(await counted({ counting: 'every', value_cap: 15 }));
    expect(original).toMatchObject({ totalValue: 65, valuePerConversion: 5, conversionsPerParticipant: 1 });
    expect(original.statistics.ratio.estimate).toBe(5);
  });

  it('can change its counting at any time, with immediate effect', async () => {
    const experiment = await counted({ value_type: 'none' });
    for (const [counting, metric] of [
      ['every', 'count'],
      ['unique', 'conversion'],
      ['every', 'count'],
    ]) {
      const { etag } = (await scene.client.get(`${experiment.path}/results`)).headers;
      await change(experiment, { counting });
      expect((await scene.client.get(`${experiment.path}/results`)).headers.etag).not.toBe(etag);
      expect(await infoOf(experiment)).toMatchObject({ recomputing: false });
      expect((await figures(experiment))[1].statistics).toMatchObject({ metric, value: null, ratio: null });
    }
    expectEvery(await figures(experiment));
  });

  it('counts conversions within its window', async () => {
    const experiment = await counted({ counting: 'every', conversion_window_days: 1 });
    expectEvery(await figures(experiment));
    const { body: rows } = await scene.client.get(`${experiment.path}/results/goal/${experiment.goal.id}`);
    const last = (rows as Made[]).findLast(({ variation_id }) => variation_id === experiment.a);
    expect(last).toMatchObject({ cumulative_conversions: 2, cumulative_total_conversions: 4 });
  });

  it('is labelled on the share page', async () => {
    const experiment = await counted({ counting: 'every' });
    const address = `/${new URL((await infoOf(experiment)).share_url).pathname}`;
    const { text } = await scene.api.as(null).get(address, { accept: 'text/html' });
    expect(text).toContain('Conversions per participant</th>');
    expect(text).toContain('Number of conversions per participant over time');
    expect(text).toContain('For goals with conversions per participant, every conversion counts.');
    await change(experiment, { counting: 'unique' });
    const { text: unique } = await scene.api.as(null).get(address, { accept: 'text/html' });
    expect(unique).not.toMatch(/conversions per participant/i);
    expect(unique).toContain('Value per participant over time');
  });

  it('revises final results when its counting changes', async () => {
    const experiment = await counted({});
    await scene.make.move(experiment, 'archive');
    await scene.api.database.transaction((tx) =>
      tx.query('UPDATE experiments SET archived_at = archived_at - ?, version = version + 1 WHERE id = ?', [
        LATE,
        experiment.id,
      ]),
    );
    await change(experiment, { counting: 'every' });
    const { updated_at } = (await scene.client.get(experiment.goal.path)).body;
    expect(await infoOf(experiment)).toMatchObject({ is_final: true, revised_at: updated_at });
  });
});

describe('cells of an earlier release', () => {
  /** Removes the sums of squares and their rules, which an earlier release did not store. */
  async function forgetSquares({ id }: Counted): Promise<void> {
    await scene.api.database.transaction(async (tx) => {
      for (const table of ['result_cells', 'entry_cells']) {
        await tx.query(
          `UPDATE ${table} SET conversions_squared = 0, value_by_conversions = 0 WHERE experiment_id = ?`,
          [id],
        );
      }
      const [{ rules }]: { rules: string }[] = await tx.query(
        'SELECT rules FROM experiment_results WHERE experiment_id = ?',
        [id],
      );
      const { hasSquares: _, caps: __, ...earlier } = JSON.parse(rules) as Record<string, unknown>;
      await tx.query(
        'UPDATE experiment_results SET rules = ?, rules_version = rules_version + 1, version = version + 1 WHERE experiment_id = ?',
        [JSON.stringify(earlier), id],
      );
    });
  }

  it('have no test of conversions per participant until they are rebuilt', async () => {
    const experiment = await counted({});
    await forgetSquares(experiment);
    await change(experiment, { counting: 'every' });
    expect(await infoOf(experiment)).toMatchObject({ recomputing: true });
    const [, variation] = await figures(experiment);
    expect(variation).toMatchObject({ conversionsPerParticipant: 0.75, confidence: null, uplift: null });
    expect(variation.statistics).toMatchObject({ ratio: null, count: { pValue: null } });
    expect(variation.statistics.warnings).not.toContain('INVALID_COUNTS');
    const late = [
      exposure('late', experiment.id, experiment.a),
      conversion('late', experiment.goal.api_name, 1),
      conversion('late', experiment.goal.api_name, 2),
    ];
    expect((await send(scene.api, clientKey, late)).body.accepted).toBe(3);
    await attributeAll(scene.api);
    expect(await infoOf(experiment)).toMatchObject({ recomputing: false });
    const [original] = await figures(experiment);
    expect(original).toMatchObject({ participants: 5, conversionsPerParticipant: 1.2 });
    // The counts are 3, 0, 1, 0 and 2, so the variance is 1.7.
    const { count } = (await figures(experiment))[1].statistics;
    expect(count.standardError).toBeCloseTo(Math.sqrt(1.7 / 5 + 0.9166666666666666 / 4), 12);
  });
});
