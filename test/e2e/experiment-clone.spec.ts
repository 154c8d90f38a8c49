import { Made, refusedPaths, TIMESTAMP, useScene } from '../support/scene';

describe('an experiment clone', () => {
  const scene = useScene();
  let original: Made;

  beforeAll(async () => {
    const audience = await scene.make.audience();
    const [first, second] = [
      await scene.make.goal({ name: 'First' }),
      await scene.make.goal({ name: 'Second' }),
    ];
    original = await scene.make.withStatus('pause', {
      name: 'Buy button',
      description: 'All of it',
      example_url: 'https://shop.example.com/',
      traffic_allocation: 12.34,
      audiences_match_type: 'all',
      tags: ['b', 'A'],
      js: 'f()',
      reset_js: 'g()',
      css: 'a {}',
      minimum_effect: -12.5,
      planned_participants: 20_000,
      planned_end: '2096-02-29',
      audiences: [audience.id],
      goals: [second.id, first.id],
      variations: [
        { name: 'A', api_name: 'own', traffic_allocation: 40, description: 'a' },
        { name: 'B', is_original: true, js: 'b()', css: 'b {}', traffic_allocation: 60 },
      ],
    });
  });

  const clone = (body?: unknown, path = original.path) => scene.client.post(`${path}/clone`, body);

  it('is a draft with copies of all fields except ids, names, status, history and the planned end', async () => {
    const answer = await clone({ name: 'Second try' });
    expect(answer.status).toBe(201);
    const { path: _path, ...copied } = original;
    expect(answer.body).toEqual({
      ...copied,
      id: expect.any(Number),
      name: 'Second try',
      api_name: 'second-try',
      status: 'draft',
      planned_end: null,
      started_at: null,
      paused_at: null,
      archived_at: null,
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: answer.body.created_at,
      variations: original.variations.map((variation: Made) => ({
        ...variation,
        id: expect.any(Number),
        experiment_id: answer.body.id,
        preview_url: expect.stringContaining('https://shop.example.com/?'),
        created_at: answer.body.created_at,
        updated_at: answer.body.created_at,
      })),
    });
    expect(answer.body.id).toBeGreaterThan(original.id);
    const location = `/projects/${scene.world.projectId}/experiments/${answer.body.id}`;
    expect(answer.headers.location).toBe(`https://ab.example.com/api${location}`);
    expect((await scene.client.get(location)).body).toEqual(answer.body);
    const ids = [...original.variations, ...answer.body.variations].map(({ id }: Made) => id);
    expect(new Set(ids).size).toBe(4);
    const previews = [...original.variations, ...answer.body.variations].map(
      ({ preview_url }: Made) => preview_url,
    );
    expect(new Set(previews).size).toBe(4);
  });

  it('does not change the original', async () => {
    await clone();
    const { path: _path, ...before } = original;
    expect((await scene.client.get(original.path)).body).toEqual(before);
  });

  it('is named (Copy), then (Copy 2) and so on if no name is sent', async () => {
    const source = await scene.make.experiment({ name: 'Source' });
    const names: string[] = [];
    for (const body of [undefined, {}, {}]) {
      names.push((await clone(body, source.path)).body.name);
    }
    expect(names).toEqual(['Source (Copy)', 'Source (Copy 2)', 'Source (Copy 3)']);
    const copies = (await scene.client.get(`${scene.project}/experiments?search=Source`)).body;
    expect(copies.map(({ api_name }: Made) => api_name)).toEqual([
      'source',
      'source-copy',
      'source-copy-2',
      'source-copy-3',
    ]);
  });

  it('has a name of at most 255 characters, even if the original name has this length', async () => {
    const source = await scene.make.experiment({ name: '😀'.repeat(255) });
    const { name } = (await clone({}, source.path)).body;
    expect([...name]).toHaveLength(255);
    expect(name.endsWith(' (Copy)')).toBe(true);
  });

  it('can have the name of the original, with another api_name', async () => {
    const source = await scene.make.experiment({ name: 'Namesake' });
    const { body } = await clone({ name: 'Namesake' }, source.path);
    expect([body.name, body.api_name]).toEqual(['Namesake', 'namesake-2']);
  });

  it.each([
    [{ name: '' }, ['name']],
    [{ name: null }, ['name']],
    [{ name: 'x'.repeat(256) }, ['name']],
    [{ nam: 'x' }, ['nam']],
    [{ name: 'x', status: 'running' }, ['status']],
  ])('is rejected for %j', async (body, paths) => {
    expect(refusedPaths(await clone(body))).toEqual(paths);
  });

  it.each(['draft', 'preview', 'running', 'archive'])(
    'can be made from an experiment in the status %s',
    async (status) => {
      const source = await scene.make.withStatus(status);
      const { status: code, body } = await clone({}, source.path);
      expect([code, body.status, body.started_at, body.archived_at]).toEqual([201, 'draft', null, null]);
      await scene.make.move({ path: `${scene.project}/experiments/${body.id}` }, 'running');
    },
  );

  it("of another team's experiment returns 404", async () => {
    const theirs = await scene.other.make.experiment();
    expect((await clone({}, theirs.path)).status).toBe(404);
    expect((await clone({}, `${scene.project}/experiments/${theirs.id}`)).status).toBe(404);
  });
});
