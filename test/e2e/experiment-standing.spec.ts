import { errorsOf, Made, refusedPaths, useScene } from '../support/scene';

describe('a running experiment', () => {
  const scene = useScene();
  let made: Made;

  beforeEach(async () => {
    made = await scene.make.withStatus('running');
  });

  it.each(['pages', 'goals'])('cannot lose all its %s', async (kind) => {
    for (const nothing of [[], null]) {
      const answer = await scene.client.put(made.path, { [kind]: nothing });
      expect(refusedPaths(answer)).toEqual([kind]);
    }
    expect((await scene.client.get(made.path)).body[kind]).toHaveLength(1);
  });

  it('cannot lose its last page and last goal, both reported in one response', async () => {
    expect(refusedPaths(await scene.client.put(made.path, { pages: [], goals: [] }))).toEqual([
      'goals',
      'pages',
    ]);
  });

  it('can replace its page and its goal', async () => {
    const [page, goal] = [await scene.make.page(), await scene.make.goal()];
    const answer = await scene.client.put(made.path, { pages: [page.id], goals: [goal.id], audiences: [] });
    expect([answer.status, answer.body.pages[0].id, answer.body.goals[0].id]).toEqual([
      200,
      page.id,
      goal.id,
    ]);
  });

  it('cannot lose its last variation', async () => {
    const [original, other] = made.variations;
    expect((await scene.client.delete(`${made.path}/variations/${other.id}`)).status).toBe(204);
    const answer = await scene.client.delete(`${made.path}/variations/${original.id}`);
    expect(refusedPaths(answer)).toEqual(['variations']);
    expect((await scene.client.get(`${made.path}/variations`)).body).toHaveLength(1);
  });

  it('allows other edits, and stays running', async () => {
    const answer = await scene.client.put(made.path, {
      name: 'Live edit',
      traffic_allocation: 10,
      css: 'a {}',
    });
    expect([answer.status, answer.body.status, answer.body.traffic_allocation]).toEqual([200, 'running', 10]);
  });
});

describe.each(['draft', 'preview', 'pause'])('an experiment in the status %s', (status) => {
  const scene = useScene();

  it('can lose its last page, goal and variation', async () => {
    const made = await scene.make.withStatus(status);
    const answer = await scene.client.put(made.path, { pages: [], goals: [] });
    expect([answer.status, answer.body.pages, answer.body.goals]).toEqual([200, [], []]);
    for (const { id } of [...made.variations].reverse()) {
      expect((await scene.client.delete(`${made.path}/variations/${id}`)).status).toBe(204);
    }
    expect((await scene.client.get(made.path)).body.variations).toEqual([]);
  });
});

describe('an archived experiment', () => {
  const scene = useScene();
  let made: Made;
  let before: Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- response bodies are untyped

  beforeEach(async () => {
    made = await scene.make.withStatus('archive');
    before = (await scene.client.get(made.path)).body;
  });

  afterEach(async () => {
    expect((await scene.client.get(made.path)).body).toEqual(before);
  });

  it.each(['put', 'patch'] as const)('cannot be updated by %s', async (method) => {
    const errors = errorsOf(await scene.client[method](made.path, { name: 'Back to life' }));
    expect(Object.keys(errors)).toEqual(['status']);
    expect(errors.status[0]).toContain('archived');
  });

  it('cannot change its attachments', async () => {
    expect(refusedPaths(await scene.client.put(made.path, { pages: [] }))).toEqual(['status']);
  });

  it('rejects an update, and reports all other errors in the request as well', async () => {
    const answer = await scene.client.put(made.path, { name: '', pages: [0], nmae: 'x' });
    expect(refusedPaths(answer)).toEqual(['name', 'nmae', 'pages.0', 'status']);
  });

  it('cannot get another variation', async () => {
    const answer = await scene.client.post(`${made.path}/variations`, { name: 'Late' });
    expect(refusedPaths(answer)).toEqual(['status']);
  });

  it('cannot have a variation changed', async () => {
    const [{ id }] = before.variations;
    const answer = await scene.client.patch(`${made.path}/variations/${id}`, { name: 'Late' });
    expect(refusedPaths(answer)).toEqual(['status']);
  });

  it('cannot have a variation deleted', async () => {
    const { id } = before.variations[1];
    expect(refusedPaths(await scene.client.delete(`${made.path}/variations/${id}`))).toEqual(['status']);
  });

  it('can be read and cloned', async () => {
    const clone = await scene.client.post(`${made.path}/clone`);
    expect([clone.status, clone.body.status]).toEqual([201, 'draft']);
  });

  it('loses pages, goals and audiences that are deleted', async () => {
    expect((await scene.client.delete(`${scene.project}/pages/${made.pages[0].id}`)).status).toBe(204);
    expect((await scene.client.get(made.path)).body.pages).toEqual([]);
    before = (await scene.client.get(made.path)).body;
  });
});
