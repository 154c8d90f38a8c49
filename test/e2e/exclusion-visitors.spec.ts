import { GrowthBookClient } from '@growthbook/growthbook';
import { assign, subjectOf } from '../../src/publishing/evaluation';
import type { Published } from '../../src/publishing/published';
import { PublishedProjects } from '../../src/publishing/published-projects';
import { newSite, running, Site } from '../support/delivery';
import { Made, useScene } from '../support/scene';

/* The visitors of experiments in an exclusion group, while other experiments start and end. */

const scene = useScene();

const VISITORS = Array.from({ length: 100_000 }, (_, index) => `visitor-${index}`);

/**
 * The maximum deviation of a range's share from its expected value. Hoeffding's inequality (Journal of the American
 * Statistical Association 58, 1963, theorem 1) for k of n visitors, each with probability p:
 * P(|k/n - p| >= t) <= 2 exp(-2nt^2). With this t, a test of a correct implementation fails once in a million runs.
 */
const NOISE = Math.sqrt(Math.log(2e6) / (2 * VISITORS.length));

let site: Site;
let exclusion_group_id: number;

beforeEach(async () => {
  site = await newSite(scene);
  exclusion_group_id = (await site.make.of('exclusion-groups')).id;
});

const member = (exclusion_share: number, fields: object = {}): Promise<Made> =>
  running(site, 2, { exclusion_group_id, exclusion_share, ...fields });

const published = async (): Promise<Published> =>
  (await scene.api.app.get(PublishedProjects, { strict: false }).find(site.key))!;

/** The variation of each visitor; null for none. */
type Shown = (number | null)[];

/** The variations of all visitors in each of the experiments `members`. */
async function shownOf(...members: Made[]): Promise<Shown[]> {
  const { experiments } = await published();
  return members.map(({ id }) => {
    const live = experiments.find((each) => each.id === id);
    return VISITORS.map((visitor) =>
      live === undefined ? null : assign(live.rule, subjectOf(visitor, {})).variation,
    );
  });
}

const share = (shown: Shown): number => shown.filter((each) => each !== null).length / shown.length;

const inSeveral = (all: Shown[]): number =>
  VISITORS.filter((_, index) => all.filter((shown) => shown[index] !== null).length > 1).length;

it('no visitor is in two experiments of the group, and each experiment has its share', async () => {
  const gone = await member(20);
  const [second, third] = [await member(25), await member(33.33)];
  await site.make.move(gone, 'archive');
  const last = await member(41.67);
  const all = await shownOf(second, third, last);
  expect(inSeveral(all)).toBe(0);
  [0.25, 0.3333, 0.4167].forEach((wanted, index) => {
    expect(Math.abs(share(all[index]) - wanted)).toBeLessThan(NOISE);
  });
  // Together, the experiments have all visitors.
  expect(all.reduce((sum, shown) => sum + share(shown), 0)).toBeCloseTo(1, 10);
});

it('within its share, an experiment has the expected traffic and variations', async () => {
  const made = await member(40, { traffic_allocation: 50 });
  const [shown] = await shownOf(made);
  expect(Math.abs(share(shown) - 0.2)).toBeLessThan(NOISE);
  for (const { id } of made.variations as Made[]) {
    const own = shown.map((variation) => (variation === id ? variation : null));
    expect(Math.abs(share(own) - 0.1)).toBeLessThan(NOISE);
  }
});

it('visitors keep their experiment while others start, pause, resume, change and end', async () => {
  const [first, stays, third] = [await member(20), await member(30), await member(10)];
  const [before] = await shownOf(stays);
  const moves: (() => Promise<unknown>)[] = [
    () => site.make.move(first, 'archive'),
    () => member(35),
    () => site.make.move(third, 'pause'),
    () => scene.client.patch(third.path, { exclusion_share: 25 }),
    () => site.make.move(third, 'running'),
    () => site.make.move(stays, 'pause'),
    () => site.make.move(stays, 'running'),
    () => scene.client.patch(`${site.make.project}/publish`),
  ];
  for (const move of moves) {
    await move();
    const [now] = await shownOf(stays);
    expect(share(now) === 0 || now.every((variation, index) => variation === before[index])).toBe(true);
  }
  expect((await shownOf(stays))[0]).toEqual(before);
});

it('an experiment that got a larger share during a pause keeps its visitors', async () => {
  const [made] = [await member(20), await member(30)];
  const [before] = await shownOf(made);
  await site.make.move(made, 'pause');
  await scene.client.patch(made.path, { exclusion_share: 60 });
  await site.make.move(made, 'running');
  const [after] = await shownOf(made);
  expect(before.filter((variation, index) => variation !== null && variation !== after[index])).toEqual([]);
  expect(Math.abs(share(after) - 0.6)).toBeLessThan(NOISE);
});

it('a rollback does not restore earlier ranges', async () => {
  const [first, second] = [await member(50), await member(50)];
  const { revision } = await published();
  await site.make.move(first, 'pause');
  await scene.client.patch(first.path, { exclusion_share: 20 });
  const third = await member(30);
  await site.make.move(first, 'running');
  const rolledBack = await scene.client.post(`${site.make.project}/publications/${revision}/rollback`);
  expect(rolledBack.status).toBe(200);
  await site.make.move(third, 'pause');
  await site.make.move(third, 'running');
  const all = await shownOf(first, second, third);
  expect(inSeveral(all)).toBe(0);
  expect(all.map((shown) => Math.round(share(shown) * 100))).toEqual([20, 50, 30]);
});

it('SDKs that store assignments show no feature of an experiment that lost the visitor', async () => {
  const first = await member(60);
  const read = async (visitor: string): Promise<unknown> => {
    const payload = (await scene.api.as(null).get(`//api/features/${site.key}`)).body;
    const client = new GrowthBookClient().initSync({ payload });
    const document = {
      attributeName: 'id',
      attributeValue: visitor,
      assignments: { [`exp-${first.id}__0`]: String(first.variations[0].id) },
    };
    return client.getFeatureValue<string | null>(first.api_name as string, null, {
      attributes: { id: visitor },
      stickyBucketAssignmentDocs: { [`id||${visitor}`]: document },
      saveStickyBucketAssignmentDoc: () => Promise.resolve(),
    });
  };
  const [shown] = await shownOf(first);
  const [inside, outside] = [true, false].map(
    (wanted) => VISITORS[shown.findIndex((variation) => (variation !== null) === wanted)],
  );
  expect([await read(inside), await read(outside)]).toEqual([first.variations[0].api_name, null]);
});

it('OFREP gives the exclusion group as the reason for a missing value', async () => {
  const experiment = await member(0.01);
  const path = `/ofrep/v1/evaluate/flags/${experiment.api_name}`;
  const { body } = await site.post(path, { context: { targetingKey: 'v' } });
  expect(body).toMatchObject({
    reason: 'UNKNOWN',
    metadata: { experiment_id: experiment.id, excluded_by: 'exclusion_group' },
  });
});
