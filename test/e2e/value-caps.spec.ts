import { RebuildService } from '../../src/events/rebuild.service';
import { attributeAll, conversion, exposure, send, shownCells } from '../support/events';
import { revertsIn } from '../support/reverts';
import { errorsOf, Made, useScene } from '../support/scene';

/* Value caps, which limit the total value of a participant. */

const scene = useScene();
const { revertLast } = revertsIn(scene);
const LATE = 73 * 3_600_000_000;

let clientKey: string;
beforeAll(async () => {
  clientKey = (await scene.client.get(scene.project)).body.client_key as string;
});

interface Running extends Made {
  a: number;
  b: number;
  goal: Made;
}

async function running(fields: object = {}): Promise<Running> {
  const goal = await scene.make.goal({ value_type: 'revenue', ...fields });
  const experiment = await scene.make.withStatus('running', { goals: [goal.id] });
  const [a, b] = experiment.variations.map(({ id }: Made) => id);
  return { ...experiment, a, b, goal };
}

let visitors = 0;

/** Adds participants to a variation, each with a list of values. */
async function buy({ id, goal }: Running, variation: number, ...spent: number[][]): Promise<void> {
  const messages = spent.flatMap((values) => {
    const visitor = `visitor-${(visitors += 1)}`;
    return [
      exposure(visitor, id, variation),
      ...values.map((value) => conversion(visitor, goal.api_name, value)),
    ];
  });
  const { body } = await send(scene.api, clientKey, messages);
  expect(body.accepted).toBe(messages.length);
}

async function collect(experiment: Running): Promise<void> {
  await buy(experiment, experiment.a, [30, 50], [20], []);
  await buy(experiment, experiment.b, [10], [2, 3], []);
  await attributeAll(scene.api);
}

const infoOf = async ({ path }: Made): Promise<Made> => (await scene.client.get(`${path}/results/info`)).body;

async function figures({ path, a, b }: Running): Promise<Made[]> {
  const { body } = await scene.client.get(`${path}/results`);
  return [a, b].map((id) => body[0].variationStatistics[id]);
}

async function generationOf({ id }: Made): Promise<number> {
  const [{ generation }]: { generation: number }[] = await scene.api.database.read.query(
    'SELECT generation FROM experiment_results WHERE experiment_id = ?',
    [id],
  );
  return generation;
}

const setCap = async ({ goal }: Running, value_cap: number | null): Promise<void> => {
  const answer = await scene.client.patch(goal.path, { value_cap });
  expect([answer.status, answer.body.value_cap]).toEqual([200, value_cap]);
};

describe('a value cap', () => {
  it('limits each total in the statistics, but the total value is shown without the cap', async () => {
    const experiment = await running({ value_cap: 50 });
    await collect(experiment);
    const [original, variation] = await figures(experiment);
    expect(original).toMatchObject({ totalValue: 100, totalConversions: 3, conversions: 2 });
    expect(original.valuePerParticipant).toBeCloseTo(70 / 3, 12);
    expect(variation).toMatchObject({ totalValue: 15, valuePerParticipant: 5 });
    const { difference, t, pValue, degreesOfFreedom } = variation.statistics.value;
    // SciPy: ttest_ind([10, 5, 0], [50, 20, 0], equal_var=False)
    expect(difference).toBeCloseTo(-55 / 3, 12);
    expect(t).toBeCloseTo(-1.2375966910186262, 12);
    expect(pValue).toBeCloseTo(0.33356291483524897, 12);
    expect(degreesOfFreedom).toBeCloseTo(2.157649092480553, 12);
    for (const { statistics } of [original, variation]) {
      expect(statistics.warnings).toContain('VALUE_CAPPED');
    }
    const { body: rows } = await scene.client.get(`${experiment.path}/results/goal/${experiment.goal.id}`);
    const ends = [experiment.a, experiment.b].map(
      (id) => (rows as Made[]).findLast(({ variation_id }) => variation_id === id)?.cumulative_value,
    );
    expect(ends).toEqual([100, 15]);
  });

  it('causes a warning only if it took effect', async () => {
    const experiment = await running({ value_cap: 80 });
    await collect(experiment);
    const [original, variation] = await figures(experiment);
    expect([original.valuePerParticipant, original.totalValue]).toEqual([100 / 3, 100]);
    expect(variation.statistics.warnings).not.toContain('VALUE_CAPPED');
  });

  it('recomputes results when it changes, and the previous figures are shown until the new ones are complete', async () => {
    const experiment = await running();
    await collect(experiment);
    const results = `${experiment.path}/results/info`;
    const caps: [cap: number | null, before: number, after: number][] = [
      [50, 100 / 3, 70 / 3],
      [0.0001, 70 / 3, 0.0002 / 3],
      [null, 0.0002 / 3, 100 / 3],
    ];
    for (const [cap, before, after] of caps) {
      const { etag } = (await scene.client.get(results)).headers;
      await setCap(experiment, cap);
      expect((await scene.client.get(results)).headers.etag).not.toBe(etag);
      expect(await infoOf(experiment)).toMatchObject({ recomputing: true, revised_at: null });
      expect((await figures(experiment))[0].valuePerParticipant).toBeCloseTo(before, 12);
      await attributeAll(scene.api);
      expect(await infoOf(experiment)).toMatchObject({ recomputing: false });
      expect((await figures(experiment))[0].valuePerParticipant).toBeCloseTo(after, 12);
      expect((await figures(experiment))[0].totalValue).toBe(100);
    }
  });

  it('still subtracts earlier totals with its old value while results are recomputed', async () => {
    const experiment = await running({ value_cap: 50 });
    await collect(experiment);
    await setCap(experiment, 25);
    await buy(experiment, experiment.a, [40, 40]);
    await attributeAll(scene.api);
    expect((await figures(experiment))[0].valuePerParticipant).toBeCloseTo((25 + 20 + 25) / 4, 12);
    const cells = await shownCells(scene.api);
    await scene.api.app.get(RebuildService, { strict: false }).rebuild({});
    expect(await shownCells(scene.api)).toEqual(cells);
  });

  it('causes no rebuild for goals without conversions, including new goals', async () => {
    const experiment = await running({ value_cap: 1_000 });
    await buy(experiment, experiment.a, []);
    await attributeAll(scene.api);
    const generation = await generationOf(experiment);
    await setCap(experiment, 50);
    expect(await infoOf(experiment)).toMatchObject({ recomputing: false });
    // The rules of the results must be up to date before the goal is created.
    await attributeAll(scene.api);
    const later = await scene.make.goal({ value_type: 'number', value_cap: 3 });
    expect((await scene.client.patch(experiment.path, { goals: [later.id] })).status).toBe(200);
    await buy({ ...experiment, goal: later }, experiment.a, [2, 2]);
    await attributeAll(scene.api);
    expect((await figures(experiment))[0]).toMatchObject({ totalValue: 4, valuePerParticipant: 1.5 });
    expect(await infoOf(experiment)).toMatchObject({ recomputing: false });
    expect(await generationOf(experiment)).toBe(generation);
  });

  it('applies again after the goal was deleted and restored, including to results recounted in between', async () => {
    const experiment = await running();
    const goal = await scene.make.goal({ value_type: 'revenue', value_cap: 50 });
    await collect({ ...experiment, goal });
    const cells = await shownCells(scene.api);
    await scene.client.delete(goal.path);
    await scene.api.app.get(RebuildService, { strict: false }).rebuild({});
    expect(await shownCells(scene.api)).not.toEqual(cells);
    await revertLast(scene.project);
    expect((await scene.client.patch(experiment.path, { goals: [goal.id] })).status).toBe(200);
    await attributeAll(scene.api);
    expect(await shownCells(scene.api)).toEqual(cells);
    expect(await infoOf(experiment)).toMatchObject({ recomputing: false });
    expect((await figures(experiment))[0].valuePerParticipant).toBeCloseTo(70 / 3, 12);
  });

  it('revises a final result only when the cap changes', async () => {
    const experiment = await running();
    await collect(experiment);
    await scene.make.move(experiment, 'archive');
    await scene.api.database.transaction((tx) =>
      tx.query('UPDATE experiments SET archived_at = archived_at - ?, version = version + 1 WHERE id = ?', [
        LATE,
        experiment.id,
      ]),
    );
    expect(await infoOf(experiment)).toMatchObject({ is_final: true, revised_at: null });
    await setCap(experiment, 50);
    const { updated_at } = (await scene.client.get(experiment.goal.path)).body;
    await attributeAll(scene.api);
    expect(await infoOf(experiment)).toMatchObject({ is_final: true, revised_at: updated_at });
    expect((await figures(experiment))[0].valuePerParticipant).toBeCloseTo(70 / 3, 12);
  });
});

describe('an invalid value cap', () => {
  const RANGE = 'The value cap must be a number above 0 and at most 1000000000.';
  const DECIMALS = 'The value cap may have at most four decimal places.';

  it.each<[value: unknown, message: string]>([
    [0, RANGE],
    [-1, RANGE],
    [1_000_000_000.0001, RANGE],
    [1e300, RANGE],
    ['5', RANGE],
    [true, RANGE],
    [[5], RANGE],
    [{}, RANGE],
    [0.00001, DECIMALS],
    [12.34567, DECIMALS],
  ])('%j is rejected', async (value_cap, message) => {
    const fields = { name: 'Wrong', value_type: 'revenue', value_cap };
    expect(errorsOf(await scene.client.post(`${scene.project}/goals`, fields))).toEqual({
      value_cap: [message],
    });
    const goal = await scene.make.goal({ value_type: 'number', value_cap: 1_000_000_000 });
    expect(errorsOf(await scene.client.patch(goal.path, { value_cap }))).toEqual({ value_cap: [message] });
    expect((await scene.client.get(goal.path)).body.value_cap).toBe(1_000_000_000);
  });

  it('is any value cap for a goal without values', async () => {
    const message = 'The value cap must be null for goals without values.';
    const [plain, capped] = [
      await scene.make.goal(),
      await scene.make.goal({ value_type: 'number', value_cap: 0.0001 }),
    ];
    const refused = [
      await scene.client.post(`${scene.project}/goals`, { name: 'None', value_cap: 5 }),
      await scene.client.patch(plain.path, { value_cap: 5 }),
      await scene.client.patch(capped.path, { value_type: 'none' }),
    ];
    for (const answer of refused) {
      expect(errorsOf(answer)).toEqual({ value_cap: [message] });
    }
    const both = await scene.client.patch(capped.path, { value_type: 'none', value_cap: null });
    expect([both.status, both.body.value_cap]).toEqual([200, null]);
  });
});
