import { ImportWriter } from '../../src/events/import/import-writer';
import { RebuildService } from '../../src/events/rebuild.service';
import { Cells } from '../support/cells';
import { attributeAll, exposure, send, shownCells } from '../support/events';
import { Made, useScene } from '../support/scene';
import { sharesIn } from '../support/shares';

/* A phase begins when the published shares change. Draft changes do not affect results. */

const scene = useScene();

let clientKey: string;
beforeAll(async () => {
  clientKey = (await scene.client.get(scene.project)).body.client_key as string;
});

const running = (shares: (number | null)[] = [50, 50]): Promise<Made> =>
  scene.make.withStatus('running', {
    variations: shares.map((traffic_allocation, index) => ({ name: `V${index}`, traffic_allocation })),
  });

const { patch, edit, publish, move } = sharesIn(scene);
const infoOf = async ({ path }: Made): Promise<Made> =>
  (await scene.client.get(`${path}/results/info`)).body as Made;
const sharesOf = async (experiment: Made): Promise<number[][]> =>
  ((await infoOf(experiment)).phases as Made[]).map(({ shares }) => Object.values(shares as object));

async function collect(...messages: unknown[]): Promise<void> {
  const { body } = await send(scene.api, clientKey, messages);
  expect(body.accepted).toBe(messages.length);
  await attributeAll(scene.api);
}

describe('a phase', () => {
  it('begins with the first start of the experiment', async () => {
    const draft = await scene.make.ready();
    expect((await infoOf(draft)).phases).toEqual([]);
    const started = await move(draft, 'running');
    const [a, b] = started.variations as Made[];
    expect((await infoOf(draft)).phases).toEqual([
      {
        number: 1,
        began_at: started.started_at,
        ended_at: null,
        shares: { [a.id]: 50, [b.id]: 50 },
        participants: 0,
      },
    ]);
  });

  it('begins when new shares are published, which ends the previous phase', async () => {
    const experiment = await running();
    await edit(experiment, [90, 10]);
    expect(await sharesOf(experiment)).toEqual([[50, 50]]);
    await publish(experiment);
    expect(await sharesOf(experiment)).toEqual([
      [50, 50],
      [90, 10],
    ]);
    const { phases } = await infoOf(experiment);
    expect(phases[0].ended_at).toBe(phases[1].began_at);
    expect(phases[1].ended_at).toBeNull();
    const archived = await move(experiment, 'archive');
    expect((await infoOf(experiment)).phases[1].ended_at).toBe(archived.archived_at);
  });

  it('does not begin with a change of traffic or code, a pause, or an unchanged publication', async () => {
    const experiment = await running();
    await patch(experiment.path, { traffic_allocation: 40, css: 'a{}' });
    await publish(experiment);
    await publish(experiment);
    await move(experiment, 'pause');
    await move(experiment, 'running');
    expect(await sharesOf(experiment)).toEqual([[50, 50]]);
  });

  it('begins with a restart if the shares changed during the pause', async () => {
    const experiment = await running();
    await move(experiment, 'pause');
    await edit(experiment, [20, 80]);
    expect(await sharesOf(experiment)).toHaveLength(1);
    await move(experiment, 'running');
    expect(await sharesOf(experiment)).toEqual([
      [50, 50],
      [20, 80],
    ]);
  });

  it('has only live variations, and none whose share became 0', async () => {
    const experiment = await running([40, 30, 30]);
    await edit(experiment, [50, 50, 0]);
    await publish(experiment);
    expect(await sharesOf(experiment)).toEqual([
      [40, 30, 30],
      [50, 50],
    ]);
  });

  it('is included in the payload, the snippet and flags', async () => {
    const experiment = await running();
    await edit(experiment, [90, 10]);
    await publish(experiment);
    const { body } = await scene.api.as(null).get(`//api/features/${clientKey}?experiments=1`);
    const own = (body.experiments as Made[]).find(({ key }) => key === `exp-${experiment.id}`);
    expect(own?.phase).toBe('2');
    expect(body.features[experiment.api_name].rules[0].phase).toBe('2');
    const { text } = await scene.api.as(null).get(`//s/${clientKey}.js`);
    expect(text).toMatch(new RegExp(`id:${experiment.id},apiName:"[^"]*",phase:2`));
    const path = `//ofrep/v1/evaluate/flags/${experiment.api_name}`;
    const flag = await scene.api
      .as(null)
      .post(path, { context: { targetingKey: 'v' } }, { authorization: `Bearer ${clientKey}` });
    expect(flag.body.metadata.phase).toBe(2);
  });

  it('begins at the new start of the experiment if an import moves that start back', async () => {
    const experiment = await running();
    const [{ id }] = experiment.variations as Made[];
    await scene.api.app
      .get(ImportWriter, { strict: false })
      .store(scene.world.projectId, [
        exposure('old', experiment.id, id, { timestamp: '2026-01-01T00:00:00Z' }),
      ]);
    await attributeAll(scene.api);
    expect((await infoOf(experiment)).phases).toMatchObject([
      { number: 1, began_at: '2026-01-01T00:00:00.000000Z', participants: 1 },
    ]);
  });
});

describe('participants', () => {
  it('belong to the phase named in their exposure, or else to the phase at that time', async () => {
    const experiment = await running();
    const [a, b] = (experiment.variations as Made[]).map(({ id }) => id);
    const say = (visitor: string, variation: number, phase?: number) =>
      exposure(visitor, experiment.id, variation, {
        properties: { experiment_id: experiment.id, variation_id: variation, phase },
      });
    await collect(say('one', a), say('two', b, 1), say('not yet', b, 2));
    await edit(experiment, [90, 10]);
    await publish(experiment);
    await collect(say('three', a), say('cached', b, 1), say('four', a, 2), say('unknown', a, 99));
    // A later exposure in another phase does not move participants to that phase.
    await collect(say('one', a, 2));
    const counted = ((await infoOf(experiment)).phases as Made[]).map(({ participants }) => participants);
    expect(counted).toEqual([4, 3]);
    const cells = await shownCells(scene.api);
    await scene.api.app.get(RebuildService, { strict: false }).rebuild({});
    expect(await shownCells(scene.api)).toEqual(cells);
  });

  it('from server-side decisions belong to the live phase', async () => {
    const experiment = await running();
    await edit(experiment, [90, 10]);
    await publish(experiment);
    const decided = await scene.api
      .as(null)
      .post('//v1/decide', { user: { id: 'decided' } }, { authorization: `Bearer ${clientKey}` });
    expect(decided.status).toBe(200);
    const rows: Made[] = await scene.api.database.read.query(
      "SELECT phase FROM events WHERE visitor_id = 'decided' AND experiment_id = ?",
      [experiment.id],
    );
    expect(rows).toEqual([{ phase: 2 }]);
  });
});

describe('the sample ratio', () => {
  it('does not change when a script edits draft shares 100 times', async () => {
    const experiment = await running();
    const [a, b] = (experiment.variations as Made[]).map(({ id }) => id);
    await new Cells(scene.api, experiment.id)
      .entered({ variation: a, day: '2026-05-01' }, 200)
      .entered({ variation: b, day: '2026-05-01' }, 200)
      .store();
    const before = await infoOf(experiment);
    const { body: results } = await scene.client.get(`${experiment.path}/results`);
    expect(before.sample_ratio_mismatch).toEqual({
      chiSquare: 0,
      degreesOfFreedom: 1,
      pValue: 1,
      isMismatch: false,
    });
    for (let round = 0; round < 25; round += 1) {
      await edit(experiment, round % 2 === 0 ? [90, 10] : [5, 95]);
    }
    expect(await infoOf(experiment)).toEqual(before);
    const { body: after } = await scene.client.get(`${experiment.path}/results`);
    const figuresOf = (body: Made[]) =>
      body.map(({ variationStatistics }) => withoutDuration(variationStatistics));
    expect(figuresOf(after as Made[])).toEqual(figuresOf(results as Made[]));
  });

  it('is tested in each phase against its own shares', async () => {
    const experiment = await running();
    const [a, b] = (experiment.variations as Made[]).map(({ id }) => id);
    await edit(experiment, [90, 10]);
    await publish(experiment);
    const cells = new Cells(scene.api, experiment.id)
      .entered({ variation: a, day: '2026-05-01' }, 510)
      .entered({ variation: b, day: '2026-05-01' }, 490)
      .entered({ variation: a, day: '2026-05-02', phase: 2 }, 890)
      .entered({ variation: b, day: '2026-05-02', phase: 2 }, 110);
    await cells.store();
    // Pearson's statistics of the two phases, by hand, are 2 * 10²/500 = 0.4 and 10²/900 + 10²/100 = 1.111, with one
    // degree of freedom each. For their sum, the upper tail of chi-square with two degrees of freedom is exp(-x/2).
    const { sample_ratio_mismatch: ratio } = await infoOf(experiment);
    expect(ratio).toMatchObject({ degreesOfFreedom: 2, isMismatch: false });
    expect(ratio.chiSquare).toBeCloseTo(0.4 + 100 / 900 + 1, 10);
    expect(ratio.pValue).toBeCloseTo(Math.exp(-(0.4 + 100 / 900 + 1) / 2), 10);
    // A third phase with fewer than five expected participants is ignored.
    await edit(experiment, [98, 2]);
    await publish(experiment);
    await cells.entered({ variation: b, day: '2026-05-03', phase: 3 }, 30).store();
    expect((await infoOf(experiment)).sample_ratio_mismatch).toEqual(ratio);
    await cells.entered({ variation: b, day: '2026-05-04', phase: 2 }, 90).store();
    expect((await infoOf(experiment)).sample_ratio_mismatch.isMismatch).toBe(true);
  });
});

/** Removes durations, which grow while the experiment runs. */
function withoutDuration(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) => (key === 'duration' ? undefined : inner)),
  ) as unknown;
}
