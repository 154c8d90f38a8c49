import { newSite, running, Site } from '../support/delivery';
import { Made, useScene } from '../support/scene';

/* Edits that affect decisions on the server but not in the browser. */

const scene = useScene();
let site: Site;

beforeEach(async () => {
  site = await newSite(scene);
});

/** The reason for the decision about a visitor in the default environment. */
async function reasonFor({ id }: Made, view?: object): Promise<string> {
  const asked = { user: { id: 'v' }, selector: { experiments: [id] }, context: { view }, record: false };
  const { body } = await site.post('/v1/decide', asked);
  return (body.experiments as { reason: string }[])[0].reason;
}

const edit = async (path: string, fields: object): Promise<void> => {
  expect((await scene.client.patch(path, fields)).status).toBe(200);
};

/** @returns the revision */
const publish = async ({ path }: Made): Promise<number> =>
  (await scene.client.patch(`${path}/publish`)).body.snippet_revision as number;

const hasUnpublishedEdits = async (): Promise<boolean> => {
  const { body } = await scene.client.get(`${site.make.project}/publications/preview`);
  return (body.changes as object[]).length > 0;
};

it('a new default environment takes effect with a publication', async () => {
  const staging = await site.make.environment({ api_name: 'staging', code: 'return false;' });
  const experiment = await running(site, 2, { environments: [staging.id] });
  await edit(staging.path, { is_default: true });
  expect([await reasonFor(experiment), await hasUnpublishedEdits()]).toEqual(['not_running', true]);
  expect(await publish(experiment)).toBe(2);
  expect([await reasonFor(experiment), await hasUnpublishedEdits()]).toEqual(['assigned', false]);
  expect(await publish(experiment)).toBe(2);
});

it('a new primary goal does not need a publication', async () => {
  const goals = [(await site.make.goal()).id, (await site.make.goal()).id];
  const experiment = await running(site, 2, { goals });
  await edit(experiment.path, { goals: goals.toReversed() });
  expect(await hasUnpublishedEdits()).toBe(false);
  expect(await publish(experiment)).toBe(1);
});

it('a new page api_name takes effect with a publication', async () => {
  const page = await site.make.page({ api_name: 'home' });
  const experiment = await running(site, 2, { pages: [page.id] });
  await edit(page.path, { api_name: 'start' });
  expect([await reasonFor(experiment, { id: 'start' }), await hasUnpublishedEdits()]).toEqual(['page', true]);
  expect(await publish(experiment)).toBe(2);
  const reasons = [await reasonFor(experiment, { id: 'start' }), await reasonFor(experiment, { id: 'home' })];
  expect([reasons, await hasUnpublishedEdits()]).toEqual([['assigned', 'page'], false]);
});
