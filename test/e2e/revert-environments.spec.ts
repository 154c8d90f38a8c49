import { revertsIn } from '../support/reverts';
import { anotherProject, errorsOf, type Made, useScene } from '../support/scene';

/* Reverting the changes of environments. */

const scene = useScene();
const { last, revert, revertLast, shown } = revertsIn(scene);

describe('a change to an environment', () => {
  it('can be reverted by administrators only, and a revert restores a deleted environment with its id', async () => {
    const make = await anotherProject(scene, 'Environments');
    const staging = await make.environment({ name: 'Staging', code: 'return 1;' });
    const path = `${make.project}/environments/${staging.id}`;
    const before = await shown({ path });
    const write = `${make.project}/settings/environments/${staging.id}`;
    await scene.client.patch(write, { name: 'Test', code: 'return 2;' });
    const refused = await revert(
      make.project,
      await last(make.project),
      '',
      scene.world.people.publisher.client,
    );
    expect([refused.status, refused.body.permission]).toEqual([403, 'environments:manage']);
    await revertLast(make.project);
    expect(await shown({ path })).toEqual(before);
    const { etag } = (await scene.client.get(path)).headers;
    await scene.client.delete(write);
    expect(await revertLast(make.project)).toMatchObject({
      action: 'revert',
      item_id: staging.id,
      before: null,
    });
    expect(await shown({ path })).toEqual(before);
    expect((await scene.client.get(path)).headers.etag).not.toBe(etag);
    // Reverting the revert deletes the environment again.
    await revertLast(make.project);
    expect((await scene.client.get(path)).status).toBe(404);
  });

  it('cannot be reverted if the project would lose its default environment', async () => {
    const make = await anotherProject(scene, 'Default');
    const created = await last(make.project, '&item_type=environment');
    expect(Object.keys(errorsOf(await revert(make.project, created)))).toEqual(['environment']);
    const other = await make.environment({ name: 'Other' });
    await scene.client.patch(`${make.project}/settings/environments/${other.id}`, { is_default: true });
    expect(Object.keys(errorsOf(await revert(make.project, await last(make.project))))).toEqual([
      'is_default',
    ]);
  });

  it('can also be reverted if it came from an applied definition', async () => {
    const make = await anotherProject(scene, 'Applied');
    const apply = (environments: object[]) =>
      scene.client.put(`${make.project}/definition?prune=1`, { environments });
    await apply([
      { api_name: 'production', is_default: true },
      { api_name: 'staging', name: 'Staging' },
    ]);
    await apply([{ api_name: 'production' }]);
    await revertLast(make.project);
    const { body } = await scene.client.get(`${make.project}/environments`);
    expect((body as Made[]).map(({ api_name }) => api_name).sort()).toEqual(['production', 'staging']);
  });
});
