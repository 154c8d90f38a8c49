import { newSite, running, Site } from '../support/delivery';
import { Made, useScene } from '../support/scene';

/* Environments that were added after the revision of a rollback. Servers with SDKs for these environments keep running. */

const scene = useScene();
let site: Site;
let experiment: Made;
let staging: Made;

/** Adds the environment after the first publication, and rolls back to that publication. */
beforeEach(async () => {
  site = await newSite(scene);
  experiment = await running(site);
  staging = await site.make.environment({ api_name: 'staging' });
  const environments = [...(experiment.environments as Made[]).map(({ id }) => id), staging.id];
  await change(experiment.path, { environments });
});

async function change(path: string, fields: object): Promise<void> {
  expect((await scene.client.patch(path, fields)).status).toBe(200);
  expect((await scene.client.patch(`${experiment.path}/publish`)).status).toBe(200);
}

async function rollBack(): Promise<void> {
  expect((await scene.client.post(`${site.make.project}/publications/1/rollback`)).status).toBe(200);
}

const selector = (): object => ({ experiments: [experiment.id] });
const reasonIn = async (query = ''): Promise<unknown> => {
  const { status, body } = await site.post(`/v1/decide${query}`, { selector: selector(), record: false });
  return status === 200 ? body.experiments[0].reason : status;
};

it('stay live, without the experiments of the revision', async () => {
  expect(await reasonIn('?environment=staging')).toBe('assigned');
  await rollBack();
  expect([await reasonIn(), await reasonIn('?environment=staging')]).toEqual(['assigned', 'not_running']);
  const flags = '/ofrep/v1/evaluate/flags';
  const flag = await site.post(`${flags}/${experiment.api_name}?environment=staging`, {
    context: { targetingKey: 'v' },
  });
  expect([flag.status, flag.body.reason]).toEqual([200, 'DISABLED']);
  const payload = await scene.api.as(null).get(`//api/features/${site.key}?environment=staging`);
  expect([payload.status, payload.body.features]).toEqual([200, {}]);
});

it('are not listed as removed', async () => {
  await rollBack();
  const [{ changes }] = (await scene.client.get(`${site.make.project}/publications`)).body as Made[];
  expect(changes).toMatchObject([{ kind: 'experiment', field: 'environments' }]);
});

it('do not replace the default environment of the revision', async () => {
  await change(staging.path, { is_default: true });
  await change(experiment.path, { environments: [staging.id] });
  await rollBack();
  expect([await reasonIn(), await reasonIn('?environment=staging')]).toEqual(['assigned', 'not_running']);
  const [{ changes }] = (await scene.client.get(`${site.make.project}/publications`)).body as Made[];
  expect(changes).toContainEqual(
    expect.objectContaining({ field: 'is_default', before: true, after: false }),
  );
});

it('are omitted while an environment of the revision has their name', async () => {
  await change(staging.path, { name: 'Old', api_name: 'old' });
  const before = (await scene.client.get(site.make.project)).body.snippet_revision as number;
  expect((await scene.client.delete(`${site.make.project}/settings/environments/${staging.id}`)).status).toBe(
    204,
  );
  const renewed = await site.make.environment({ api_name: 'old' });
  await change(experiment.path, { environments: [renewed.id] });
  expect((await scene.client.post(`${site.make.project}/publications/${before}/rollback`)).status).toBe(200);
  expect(await reasonIn('?environment=old')).toBe('assigned');
});
