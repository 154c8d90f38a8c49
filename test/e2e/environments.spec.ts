import type { ApiError } from '../../src/common/errors/api-errors';
import { EnvironmentsService } from '../../src/resources/environments/environments.service';
import { anotherProject, Maker, TIMESTAMP, useScene } from '../support/scene';

describe('environments', () => {
  const scene = useScene();
  const service = (): EnvironmentsService => scene.api.app.get(EnvironmentsService, { strict: false });
  const addTo = (make: Maker, name: string, isDefault = false) =>
    service().create(
      make.projectId,
      { name, code: 'return location.host === "test";', is_default: isDefault },
      'admin',
    );
  const listOf = async (make: Maker) => (await scene.client.get(`${make.project}/environments`)).body;

  it('initially consist of Production, the default, which is active everywhere', async () => {
    const { body, status, headers } = await scene.client.get(`${scene.project}/environments`);
    expect([status, headers['x-total-count']]).toEqual([200, '1']);
    expect(body).toEqual([
      {
        id: expect.any(Number),
        project_id: scene.world.projectId,
        name: 'Production',
        api_name: 'production',
        is_default: true,
        code: 'return true;',
        created_at: expect.stringMatching(TIMESTAMP),
        updated_at: expect.stringMatching(TIMESTAMP),
      },
    ]);
    const shown = await scene.client.get(`${scene.project}/environments/${body[0].id}`);
    expect([shown.status, shown.body]).toEqual([200, body[0]]);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('are read-only: %s returns 405', async (method) => {
    const collection = `${scene.project}/environments`;
    const [{ id }] = (await scene.client.get(collection)).body;
    const path = method === 'POST' ? collection : `${collection}/${id}`;
    const answer = await scene.client.send(method, path, method === 'DELETE' ? undefined : { name: 'New' });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
    expect(answer.body).toEqual({
      message: `The ${method} method is not supported here. Supported methods: GET, HEAD.`,
      code: 'METHOD_NOT_ALLOWED',
    });
  });

  it('of another project return 404', async () => {
    const [theirs] = (await scene.other.client.get(`${scene.other.project}/environments`)).body;
    expect((await scene.client.get(`${scene.project}/environments/${theirs.id}`)).status).toBe(404);
    expect((await scene.client.get(`${scene.other.project}/environments/${theirs.id}`)).status).toBe(404);
  });

  it('have one default: a new default replaces the previous one', async () => {
    const make = await anotherProject(scene);
    const staging = await addTo(make, 'Staging');
    expect(staging).toMatchObject({ is_default: false, api_name: 'staging' });
    const defaults = async () =>
      (await listOf(make)).filter((item: any) => item.is_default).map((item: any) => item.name); // eslint-disable-line @typescript-eslint/no-explicit-any -- response bodies are untyped
    expect(await defaults()).toEqual(['Production']);
    await service().update(make.projectId, 'Staging', { is_default: true }, 'admin');
    expect(await defaults()).toEqual(['Staging']);
    await addTo(make, 'Shop floor', true);
    expect(await defaults()).toEqual(['Shop floor']);
  });

  it('are attached to a new experiment if they are the default, but not otherwise', async () => {
    const make = await anotherProject(scene);
    await addTo(make, 'Staging', true);
    const { environments } = await make.experiment();
    expect(environments).toEqual([{ id: expect.any(Number), name: 'Staging' }]);
  });

  it('are not attached by default if the new experiment specifies its environments', async () => {
    const make = await anotherProject(scene);
    const staging = await addTo(make, 'Staging');
    const chosen = await make.experiment({ environments: [staging.id] });
    expect(chosen.environments).toEqual([{ id: staging.id, name: 'Staging' }]);
    expect((await make.experiment({ environments: [] })).environments).toEqual([]);
  });

  it('show changes made by the administrator', async () => {
    const make = await anotherProject(scene);
    const [before] = await listOf(make);
    await service().update(
      make.projectId,
      'Production',
      { code: 'return location.host === "shop";' },
      'admin',
    );
    const [after] = await listOf(make);
    expect(after).toEqual({
      ...before,
      code: 'return location.host === "shop";',
      updated_at: expect.stringMatching(TIMESTAMP),
    });
    expect(after.updated_at > before.updated_at).toBe(true);
  });

  describe('when deleted', () => {
    it('are detached from experiments', async () => {
      const make = await anotherProject(scene);
      const staging = await addTo(make, 'Staging');
      const [production] = await listOf(make);
      const running = await make.withStatus('running', { environments: [production.id, staging.id] });
      const draft = await make.experiment({ environments: [staging.id] });
      await service().remove(make.projectId, 'Staging', 'admin');
      expect((await scene.client.get(running.path)).body.environments).toEqual([
        { id: production.id, name: 'Production' },
      ]);
      expect((await scene.client.get(draft.path)).body.environments).toEqual([]);
      expect(await listOf(make)).toHaveLength(1);
    });

    it('cannot be the default, even if others exist', async () => {
      const make = await anotherProject(scene);
      await addTo(make, 'Staging');
      await expect(service().remove(make.projectId, 'Production', 'admin')).rejects.toMatchObject({
        status: 422,
      });
      expect(await listOf(make)).toHaveLength(2);
    });

    it.each([
      ['running', 422],
      ['preview', null],
      ['pause', null],
    ])(
      'cannot be the last one of a running experiment, but can be the last one of any other: %s, %p',
      async (status, refusal) => {
        const make = await anotherProject(scene);
        const staging = await addTo(make, 'Staging');
        const experiment = await make.withStatus(status, { name: 'Staged', environments: [staging.id] });
        const removal = service().remove(make.projectId, 'Staging', 'admin');
        const outcome = await removal.then(
          () => null,
          (error: unknown) => (error as ApiError).status,
        );
        expect(outcome).toBe(refusal);
        const { environments } = (await scene.client.get(experiment.path)).body;
        expect(environments).toHaveLength(refusal === null ? 0 : 1);
      },
    );
  });
});
