import { errorsOf, TIMESTAMP, useScene } from '../support/scene';

describe('teams', () => {
  const scene = useScene();

  it('are listed with the four fields of a team, and no others', async () => {
    const { status, body, headers } = await scene.client.get('/teams');
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        id: scene.world.teamId,
        name: 'Team',
        created_at: expect.stringMatching(TIMESTAMP),
        updated_at: expect.stringMatching(TIMESTAMP),
      },
    ]);
    expect(headers['x-total-count']).toBe('1');
  });

  it('of other users are not listed, and their projects return 404', async () => {
    const [theirs] = (await scene.other.client.get('/teams')).body;
    expect(theirs.name).toBe('Other team');
    const answer = await scene.client.get(`/teams/${theirs.id}/projects`);
    expect([answer.status, answer.body]).toEqual([404, { message: 'Not Found', code: 'NOT_FOUND' }]);
  });

  it('are an empty list for a user without memberships', async () => {
    const { client } = await scene.api.person();
    const answer = await client.get('/teams');
    expect([answer.status, answer.body, answer.headers['x-total-count']]).toEqual([200, [], '0']);
  });

  it('include every team of the user, in the order of their ids', async () => {
    const person = await scene.api.person();
    const ids = [await scene.api.team('Zebra'), await scene.api.team('Apple')];
    for (const id of [...ids].reverse()) {
      await scene.api.join(id, person, 'viewer');
    }
    expect((await person.client.get('/teams')).body.map(({ id }: { id: number }) => id)).toEqual(ids);
    const byName = (await person.client.get('/teams?sort=name')).body;
    expect(byName.map(({ name }: { name: string }) => name)).toEqual(['Apple', 'Zebra']);
    expect((await person.client.get('/teams?search=EBR')).body).toHaveLength(1);
  });

  it.each([
    ['GET', '/teams/1', 404, undefined],
    ['DELETE', '/teams/1', 404, undefined],
    ['POST', '/teams', 405, 'GET, HEAD'],
    ['PUT', '/teams/1/projects', 405, 'GET, HEAD, POST'],
    ['POST', '/projects', 404, undefined],
  ] as const)('have no other operations: %s %s returns %i', async (method, path, status, allow) => {
    const answer = await scene.client.send(method, path);
    expect([answer.status, answer.headers.allow]).toEqual([status, allow]);
  });
});

describe('projects', () => {
  const scene = useScene();

  it('have every field of the API contract, with default values when new', async () => {
    const { body } = await scene.client.get(scene.project);
    expect(body).toEqual({
      id: scene.world.projectId,
      team_id: scene.world.teamId,
      name: 'Shop',
      storage: 'localStorage',
      snippet_revision: 0,
      snippet_version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      snippet_url: expect.stringMatching(/^https:\/\/ab\.example\.com\//),
      client_key: expect.stringMatching(/^\S{20,}$/),
      description: null,
      significance: 95,
      min_conversions: 25,
      min_runtime_days: 7,
      statistics_method: expect.any(String),
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: expect.stringMatching(TIMESTAMP),
    });
    expect((await scene.client.get(`/teams/${scene.world.teamId}/projects`)).body).toEqual([body]);
  });

  it.each(['put', 'patch'] as const)(
    'are updated by %s, which changes only the fields sent',
    async (method) => {
      const before = (await scene.client.get(scene.project)).body;
      const changes = { name: `Shop ${method}`, min_runtime_days: method === 'put' ? 14 : 15 };
      const answer = await scene.client[method](scene.project, changes);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ ...before, ...changes, updated_at: expect.stringMatching(TIMESTAMP) });
      expect(answer.body.updated_at > before.updated_at).toBe(true);
      expect((await scene.client.get(scene.project)).body).toEqual(answer.body);
    },
  );

  it.each([
    ['significance', 50],
    ['significance', 50.01],
    ['significance', 99.99],
    ['min_conversions', 0],
    ['min_conversions', 1_000_000],
    ['min_runtime_days', 0],
    ['min_runtime_days', 365],
    ['description', ''],
    ['description', 'Für alle'],
    ['description', null],
  ])('accept %s = %j', async (field, value) => {
    const answer = await scene.client.patch(scene.project, { [field]: value });
    expect([answer.status, answer.body[field]]).toEqual([200, value]);
  });

  it.each([
    ['significance', 49.99],
    ['significance', 100],
    ['significance', 99.991],
    ['significance', 95.005],
    ['significance', 1],
    ['significance', 0],
    ['significance', '95'],
    ['significance', null],
    ['min_conversions', -1],
    ['min_conversions', 1_000_001],
    ['min_conversions', 2.5],
    ['min_conversions', '25'],
    ['min_conversions', null],
    ['min_runtime_days', -1],
    ['min_runtime_days', 366],
    ['min_runtime_days', 0.5],
    ['min_runtime_days', true],
    ['name', null],
    ['name', ''],
    ['name', ' \t\n '],
    ['name', 7],
    ['description', 7],
    ['description', ['a']],
  ])('reject %s = %j and keep the old value', async (field, value) => {
    const before = (await scene.client.get(scene.project)).body;
    const answer = await scene.client.patch(scene.project, { [field]: value });
    expect(Object.keys(errorsOf(answer))).toEqual([field]);
    expect((await scene.client.get(scene.project)).body).toEqual(before);
  });

  it.each([
    [0.95, '95'],
    [0.999, '99.9'],
    [0.5, '50'],
  ])('reject a significance of %d, and explain that it is a percentage', async (value, meant) => {
    const { significance } = errorsOf(await scene.client.patch(scene.project, { significance: value }));
    expect(significance).toHaveLength(1);
    expect(significance[0]).toMatch(/percent/i);
    expect(significance[0]).toContain(meant);
  });

  it.each([
    ['id', 999],
    ['team_id', 999],
    ['storage', 'cookie'],
    ['snippet_revision', 5],
    ['snippet_version', '9.9.9'],
    ['snippet_url', 'https://evil.example.com/s.js'],
    ['client_key', 'pk_other'],
    ['statistics_method', 'none'],
    ['created_at', '2020-01-01T00:00:00.000000Z'],
    ['updated_at', null],
  ])('reject a change of %s, which is read-only', async (field, value) => {
    const errors = errorsOf(await scene.client.put(scene.project, { [field]: value }));
    expect(Object.keys(errors)).toEqual([field]);
    expect(errors[field][0]).toContain('read-only');
  });

  it('of other teams return 404, whatever the method', async () => {
    const { project } = scene.other;
    for (const answer of [
      await scene.client.get(project),
      await scene.client.put(project, { name: 'Mine' }),
      await scene.client.patch(project, { name: '' }),
      await scene.client.delete(project),
      await scene.client.get(`${project}/goals`),
    ]) {
      expect([answer.status, answer.body]).toEqual([404, { message: 'Not Found', code: 'NOT_FOUND' }]);
    }
  });

  describe('when deleted', () => {
    it('return 204 without a body, and disappear with their contents', async () => {
      const { client, api, world } = scene;
      const project = `/projects/${await api.project(world.teamId, 'Short-lived')}`;
      const goal = (await client.post(`${project}/goals`, { name: 'Goal' })).body;
      const answer = await client.delete(project);
      expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([204, '', undefined]);
      for (const path of ['', '/experiments', '/goals', `/goals/${goal.id}`, '/environments']) {
        expect([path, (await client.get(project + path)).status]).toEqual([path, 404]);
      }
      expect((await client.post(`${project}/goals`, { name: 'Late' })).status).toBe(404);
      expect((await client.delete(project)).status).toBe(404);
      const listed = (await client.get(`/teams/${world.teamId}/projects`)).body;
      expect(listed.map(({ name }: { name: string }) => name)).not.toContain('Short-lived');
    });

    it('are kept while an experiment is running, which the error names, but not while it is paused', async () => {
      const { client, make, project } = scene;
      const experiment = await make.withStatus('running', { name: 'Live one' });
      const { experiments } = errorsOf(await client.delete(project));
      expect(experiments[0]).toContain('Live one');
      expect((await client.get(project)).status).toBe(200);
      await make.move(experiment, 'pause');
      expect((await client.delete(project)).status).toBe(204);
    });
  });
});
