import { RebuildService } from '../../src/events/rebuild.service';
import { newSite, running, Site } from '../support/delivery';
import { attributeAll, exposure, send, shownCells } from '../support/events';
import { Made, useScene } from '../support/scene';
import { sharesIn } from '../support/shares';

/*
 * Exposures of variations that visitors keep after a change of shares. They belong to the phase in which the variation
 * was assigned; tested against the new shares, they would look like a sample ratio mismatch.
 */

const scene = useScene();
const { edit, publish } = sharesIn(scene);
const IDS = [...Array(60).keys()].map((index) => `visitor-${index}`);

interface User {
  id: string;
  bucketing: Record<string, number>;
  phases?: Record<string, number>;
}

let site: Site;
let experiment: Made;

beforeEach(async () => {
  site = await newSite(scene);
  experiment = await running(site);
});

const changeShares = async (): Promise<void> => {
  await edit(experiment, [90, 10]);
  await publish(experiment);
};

/** The users in the responses. */
const decide = (users: readonly object[], record: boolean): Promise<User[]> =>
  Promise.all(
    users.map(async (user) => {
      const { status, body } = await site.post('/v1/decide', { user, record });
      expect([status, body.recorded]).toEqual([200, record]);
      return body.user as User;
    }),
  );

/** The users whose exposures have not been recorded yet. */
const unrecorded = (): Promise<User[]> =>
  decide(
    IDS.map((id) => ({ id })),
    false,
  );

async function counted() {
  await attributeAll(scene.api);
  const { body: info } = await scene.client.get(`${experiment.path}/results/info`);
  return {
    participants: info.participants as number,
    page: info.share_url as string,
    phases: (info.phases as Made[]).map(({ participants }) => participants as number),
    ratio: info.sample_ratio_mismatch as Made,
  };
}

const NOT_TESTED = { chiSquare: 0, degreesOfFreedom: 0, pValue: 1, isMismatch: false };

it('belong to the phase that the user of the earlier response contains', async () => {
  const users = await unrecorded();
  await changeShares();
  expect(await decide(users, true)).toEqual(users);
  expect(users[0].phases).toEqual({ [experiment.id]: 1 });
  const { participants, phases, ratio } = await counted();
  expect([participants, phases, ratio.isMismatch]).toEqual([IDS.length, [IDS.length, 0], false]);
});

it('count as participants without a phase, but are not tested, if the request has no phase', async () => {
  const users = await unrecorded();
  await changeShares();
  const sent = users.map(({ id, bucketing }) => ({ id, bucketing }));
  expect((await decide(sent, true)).map(({ phases }) => phases)).toEqual(IDS.map(() => ({})));
  const { page, ...figures } = await counted();
  expect(figures).toEqual({ participants: IDS.length, phases: [0, 0], ratio: NOT_TESTED });
  const { body: visitor } = await scene.client.get(`${site.make.project}/visitors/${IDS[0]}`);
  expect(visitor.experiments).toMatchObject([{ is_counted: true, phase: null }]);
  const { text } = await scene.api.as(null).get(`/${new URL(page).pathname}`, { accept: 'text/html' });
  expect(text).toContain('60 participants cannot be tested');
  const cells = await shownCells(scene.api);
  await scene.api.app.get(RebuildService, { strict: false }).rebuild({});
  expect(await shownCells(scene.api)).toEqual(cells);
});

it('belong to the first phase while there is no other', async () => {
  const [{ id, bucketing, phases }] = await unrecorded();
  expect(await decide([{ id, bucketing }], true)).toEqual([{ id, bucketing, phases }]);
  expect(await counted()).toMatchObject({ phases: [1] });
});

it('can be reported without a decision', async () => {
  await changeShares();
  const properties = {
    experiment_id: experiment.id,
    variation_id: experiment.variations[1].id,
    phase: 'unknown',
  };
  const message = exposure('sdk', experiment.id, experiment.variations[1].id as number, { properties });
  expect((await send(scene.api, site.key, [message])).body.accepted).toBe(1);
  expect(await counted()).toMatchObject({ participants: 1, phases: [0, 0] });
});

it('have a phase only as long as the assignment and the phase exist', async () => {
  const [user] = await unrecorded();
  await changeShares();
  const elsewhere = { bucketing: { 999_999: 5 }, phases: { 999_999: 3, 999_998: 1 } };
  const both = { ...elsewhere.bucketing, ...user.bucketing };
  const [kept] = await decide([{ ...user, bucketing: both, phases: elsewhere.phases }], false);
  expect(kept).toEqual({ ...user, bucketing: both, phases: { 999_999: 3 } });
  const [restored] = await decide([{ ...user, phases: { [experiment.id]: 3 } }], false);
  expect(restored.phases).toEqual({});
  const lost = { ...user, bucketing: { [experiment.id]: 999_999 } };
  expect((await decide([lost], false))[0].phases).toEqual({ [experiment.id]: 2 });
});
