import { errorsOf, Made, refusedPaths, useScene } from '../support/scene';

const USED = ['audiences', 'pages', 'goals'] as const;

describe.each(USED)('%s that experiments use', (kind) => {
  const scene = useScene();
  let item: Made;

  beforeEach(async () => {
    item = await scene.make.of(kind, { name: 'Used' });
  });

  const using = (status: string, name: string): Promise<Made> =>
    scene.make.withStatus(status, { name, [kind]: [item.id] });

  it.each(['running', 'preview'])(
    'cannot be deleted while such an experiment is %s, and the error names the experiment',
    async (status) => {
      const active = await using(status, 'The active one');
      await using('draft', 'The draft');
      const { experiments } = errorsOf(await scene.client.delete(item.path));
      expect(experiments[0]).toContain('The active one');
      expect(experiments[0]).not.toContain('The draft');
      expect((await scene.client.get(item.path)).status).toBe(200);
      expect((await scene.client.get(active.path)).body[kind]).toHaveLength(1);
    },
  );

  it('cannot be deleted even if the experiment also uses others', async () => {
    const other = await scene.make.of(kind, { name: 'Other' });
    await scene.make.withStatus('running', { [kind]: [other.id, item.id] });
    expect(refusedPaths(await scene.client.delete(item.path))).toEqual(['experiments']);
  });

  it('cannot be deleted, and the error names every experiment that needs them', async () => {
    await using('running', 'First live');
    await using('preview', 'Second live');
    const { experiments } = errorsOf(await scene.client.delete(item.path));
    expect(experiments.join()).toContain('First live');
    expect(experiments.join()).toContain('Second live');
  });

  it.each(['draft', 'pause', 'archive'])(
    'are detached from experiments in the status %s when they are deleted',
    async (status) => {
      const other = await scene.make.of(kind, { name: 'Other' });
      const made = await scene.make.withStatus(status, { [kind]: [item.id, other.id] });
      const before = await scene.client.get(made.path);
      expect((await scene.client.delete(item.path)).status).toBe(204);
      const after = await scene.client.get(made.path);
      expect(after.body[kind].map(({ id }: Made) => id)).toEqual([other.id]);
      expect(after.headers.etag).not.toBe(before.headers.etag);
      const [listed] = (await scene.client.get(`${scene.project}/experiments?sort=-id`)).body;
      expect(listed).toEqual(after.body);
    },
  );

  it('can be deleted as soon as the experiment stops, or is in the trash', async () => {
    const stopped = await using('running', 'Stopped');
    const deleted = await using('running', 'Deleted');
    await scene.make.move(stopped, 'pause');
    expect((await scene.client.delete(item.path)).status).toBe(422);
    await scene.client.delete(deleted.path);
    expect((await scene.client.delete(item.path)).status).toBe(204);
    expect((await scene.client.get(stopped.path)).body[kind]).toEqual([]);
  });

  it('appear in the experiments with their new name', async () => {
    const made = await using('running', 'Live');
    const before = await scene.client.get(made.path);
    await scene.client.patch(item.path, { name: 'Renamed' });
    const after = await scene.client.get(made.path);
    expect(after.body[kind][0].name).toBe('Renamed');
    expect(after.headers.etag).not.toBe(before.headers.etag);
  });
});

describe('a page of a pageview goal', () => {
  const scene = useScene();

  it('cannot be deleted before the goal, and the error names the goal', async () => {
    const page = await scene.make.page({ name: 'Counted' });
    const goal = await scene.make.goal({ name: 'Views', type: 'pageview', page_id: page.id });
    const refused = await scene.client.delete(page.path);
    expect(errorsOf(refused)).toEqual({ goals: [`Pageview goals use this page: Views (${goal.id}).`] });
    expect(refused.body.code).toBe('IN_USE');
    await scene.client.delete(goal.path);
    expect((await scene.client.delete(page.path)).status).toBe(204);
  });
});
