import { Cells } from '../support/cells';
import { Made, useScene } from '../support/scene';

/* Experiments from the first release use one hash for traffic and variations. Changed shares can then deplete the traffic. */

const scene = useScene();

async function request(method: 'patch' | 'put', path: string, body: object): Promise<Made> {
  const answer = await scene.client[method](path, body);
  expect([path, answer.status, answer.body.errors]).toEqual([path, 200, undefined]);
  return answer.body as Made;
}

/** Sets the shares, first to 0 and then to the new values, because their sum can never exceed 100. */
async function edit({ path, variations }: Made, shares: readonly number[]): Promise<void> {
  const ids = (variations as Made[]).map(({ id }) => id);
  for (const change of [shares.map(() => 0), shares]) {
    for (const [index, traffic_allocation] of change.entries()) {
      await request('patch', `${path}/variations/${ids[index]}`, { traffic_allocation });
    }
  }
}

const publish = ({ path }: Made): Promise<Made> => request('patch', `${path}/publish`, {});
const infoOf = async ({ path }: Made): Promise<Made> =>
  (await scene.client.get(`${path}/results/info`)).body as Made;

const setWay = (id: number, isOfFirstRelease: boolean): Promise<unknown> =>
  scene.api.database.transaction((tx) =>
    tx.query('UPDATE experiments SET traffic_in_ranges = ? WHERE id = ?', [Number(isOfFirstRelease), id]),
  );

describe('traffic below 100 % before a change of shares', () => {
  /** Makes an experiment with 10 % of the traffic at 90/10, then 100 % at 50/50. The participants fail a sample ratio test. */
  async function raised(isOfFirstRelease: boolean): Promise<Made> {
    const goal = await scene.make.goal();
    const shares = [90, 10].map((traffic_allocation, index) => ({ name: `V${index}`, traffic_allocation }));
    const draft = await scene.make.ready({ goals: [goal.id], traffic_allocation: 10, variations: shares });
    await setWay(draft.id, isOfFirstRelease);
    await request('patch', `${draft.path}/status`, { status: 'running' });
    await request('patch', draft.path, { traffic_allocation: 100 });
    await edit(draft, [50, 50]);
    await publish(draft);
    const [a, b] = (draft.variations as Made[]).map(({ id }) => id);
    await new Cells(scene.api, draft.id)
      .entered({ variation: a, day: '2026-05-01' }, 900)
      .entered({ variation: b, day: '2026-05-01' }, 100)
      .entered({ variation: a, day: '2026-05-02', phase: 2 }, 4_100)
      .entered({ variation: b, day: '2026-05-02', phase: 2 }, 4_900)
      .store();
    return draft;
  }

  const judged = async (experiment: Made, query = ''): Promise<Made> => {
    const { body } = await scene.client.get(`${experiment.path}/results${query}`);
    const [, { id }] = experiment.variations as Made[];
    return (body as Made[])[0].variationStatistics[id].statistics as Made;
  };

  it('excludes the later phase from the SRM test and adds a warning, in experiments from the first release', async () => {
    const experiment = await raised(true);
    expect((await infoOf(experiment)).sample_ratio_mismatch).toEqual({
      chiSquare: 0,
      degreesOfFreedom: 1,
      pValue: 1,
      isMismatch: false,
    });
    expect((await judged(experiment)).warnings).toContain('TRAFFIC_DEPLETED');
    expect((await judged(experiment, '?endDate=2026-05-01')).warnings).not.toContain('TRAFFIC_DEPLETED');
    // The third phase has the shares of the first, so all variations are depleted equally and the phase can be tested.
    await edit(experiment, [90, 10]);
    await publish(experiment);
    const [{ id }] = experiment.variations as Made[];
    await new Cells(scene.api, experiment.id)
      .entered({ variation: id, day: '2026-05-03', phase: 3 }, 300)
      .store();
    expect((await infoOf(experiment)).sample_ratio_mismatch).toMatchObject({
      degreesOfFreedom: 2,
      isMismatch: true,
    });
  });

  it('has no effect in other experiments', async () => {
    const experiment = await raised(false);
    expect((await infoOf(experiment)).sample_ratio_mismatch).toMatchObject({
      degreesOfFreedom: 2,
      isMismatch: true,
    });
    const { warnings, verdict } = await judged(experiment);
    expect([warnings.includes('TRAFFIC_DEPLETED'), verdict]).toEqual([false, 'untrustworthy']);
  });

  it('is also recorded if traffic is lowered within a phase', async () => {
    const experiment = await scene.make.withStatus('running');
    await setWay(experiment.id, true);
    const partial = (): Promise<Made[]> =>
      scene.api.database.read.query(
        'SELECT has_partial_traffic AS flag FROM experiment_phases WHERE experiment_id = ? ORDER BY number',
        [experiment.id],
      );
    const flags = async () => (await partial()).map(({ flag }) => Boolean(flag));
    expect(await flags()).toEqual([false]);
    await request('patch', experiment.path, { traffic_allocation: 40 });
    expect(await flags()).toEqual([false]);
    await publish(experiment);
    expect(await flags()).toEqual([true]);
    await request('patch', experiment.path, { traffic_allocation: 100 });
    await edit(experiment, [80, 20]);
    await publish(experiment);
    expect(await flags()).toEqual([true, false]);
  });
});
