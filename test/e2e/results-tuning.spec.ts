import { Cells, ranFrom } from '../support/cells';
import { anotherProject, Made, Maker, useScene } from '../support/scene';
import { JSON_ONLY, visit } from '../support/shared-experiment';

/* The tuning of the sequential test. The test has the highest power at the sample size that the first days predict. */

const scene = useScene();

const DAYS = ['2026-05-01', '2026-05-02', '2026-05-03', '2026-05-04'];
/** Participants who enter the original and two variations on each of the days. */
const ENTRIES = [
  [100, 90, 50],
  [110, 80, 40],
  [120, 70, 30],
  [1_000, 1_000, 1_000],
];

let make: Maker;
let experiment: Made;

beforeAll(async () => {
  make = await anotherProject(scene);
  await scene.client.patch(make.project, { min_runtime_days: 3 });
  experiment = await make.ready({ variations: [{ name: 'A' }, { name: 'B' }, { name: 'C' }] });
  const cells = new Cells(scene.api, experiment.id);
  const [{ id: goal }] = experiment.goals;
  DAYS.forEach((day, index) => {
    experiment.variations.forEach(({ id: variation }: Made, arm: number) => {
      const place = { variation, day };
      const participants = ENTRIES[index][arm];
      // One in five participants has a phone, and the second day is in another phase.
      const phase = index === 1 ? 2 : 1;
      cells
        .entered({ ...place, phase }, participants * 0.8)
        .entered({ ...place, phase, device: 'mobile' }, participants * 0.2)
        .converted(goal, { ...place, phase }, { converters: 10 + arm })
        .converted(goal, { ...place, phase, device: 'mobile' }, { converters: 2 });
    });
  });
  await cells.store();
  await ranFrom(scene.api, experiment.id, DAYS[0], DAYS[3]);
});

type Figures = Record<string, { statistics: { conversion: { sequential: { tuning: number } | null } } }>;

const tuningsIn = (body: unknown): (number | undefined)[] => {
  const [{ variationStatistics }] = body as { variationStatistics: Figures }[];
  return Object.values(variationStatistics).map(({ statistics }) => statistics.conversion.sequential?.tuning);
};

const tuningsUnder = async (query = ''): Promise<(number | undefined)[]> =>
  tuningsIn((await scene.client.get(`${experiment.path}/results${query}`)).body);

// The tuning for the participants of the first three days: 4·(330 + 240) and 4·(330 + 120).
const BY_TRAFFIC = [undefined, 2_280, 1_800];

describe('the tuning', () => {
  it('is four times the participants of the compared pair during the minimum runtime', async () => {
    expect(await tuningsUnder()).toEqual(BY_TRAFFIC);
  });

  it.each(['?endDate=2026-05-02', '?startDate=2026-05-03', '?deviceTypes=mobile', '?deviceTypes=desktop'])(
    'is the same with the filter %s as without a filter',
    async (query) => {
      expect(await tuningsUnder(query)).toEqual(BY_TRAFFIC);
    },
  );

  it('does not depend on outcomes', async () => {
    const place = { variation: experiment.variations[1].id as number, day: DAYS[2] };
    const [{ id: goal }] = experiment.goals;
    await new Cells(scene.api, experiment.id).converted(goal, place, { converters: 25 }).store();
    expect(await tuningsUnder()).toEqual(BY_TRAFFIC);
  });

  it('is the same on the share page', async () => {
    const { body: info } = await scene.client.get(`${experiment.path}/results/info`);
    const shared = await visit(scene, `//share/${info.share_token}`, JSON_ONLY);
    expect(tuningsIn(shared.body)).toEqual(BY_TRAFFIC);
  });

  it('changes with the minimum runtime, and is 5,000 without one', async () => {
    await scene.client.patch(make.project, { min_runtime_days: 1 });
    // The tuning for the participants of the first day: 4·(100 + 90) and 4·(100 + 50).
    expect(await tuningsUnder()).toEqual([undefined, 760, 600]);
    await scene.client.patch(make.project, { min_runtime_days: 0 });
    expect(await tuningsUnder()).toEqual([undefined, 5_000, 5_000]);
    await scene.client.patch(make.project, { min_runtime_days: 3 });
  });

  it('is 5,000 until the days of the minimum runtime are over', async () => {
    const running = await make.ready();
    await make.move(running, 'running');
    const { started_at } = (await scene.client.get(running.path)).body;
    const day = String(started_at).slice(0, 10);
    const cells = new Cells(scene.api, running.id);
    for (const { id } of running.variations as Made[]) {
      const place = { variation: id, day };
      cells.entered(place, 100).converted(running.goals[0].id, place, { converters: 10 });
    }
    await cells.store();
    const { body } = await scene.client.get(`${running.path}/results`);
    expect(tuningsIn(body)).toEqual([undefined, 5_000]);
  });
});
