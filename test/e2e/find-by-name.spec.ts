import { KINDS, Made, refusedPaths, useScene } from '../support/scene';

describe.each(KINDS)('find-by-name of %s', (kind) => {
  const scene = useScene();
  const find = (name: unknown, project = scene.project) =>
    scene.client.post(`${project}/${kind}/find-by-name`, { name });
  const idOf = async (name: string): Promise<number | null> => {
    const answer = await find(name);
    expect([200, 404]).toContain(answer.status);
    return answer.status === 200 ? answer.body.id : null;
  };

  it('returns 200 with the same record as GET', async () => {
    const made = await scene.make.of(kind, { name: 'Green button' });
    const found = await find('Green button');
    const shown = await scene.client.get(made.path);
    expect([found.status, found.body]).toEqual([200, shown.body]);
    expect(found.headers.etag).toBe(shown.headers.etag);
  });

  it('returns 404 if no record has the name', async () => {
    const answer = await find('Nobody is called like this');
    expect([answer.status, answer.body]).toEqual([404, { message: 'Not Found', code: 'NOT_FOUND' }]);
  });

  it('distinguishes names that differ in case, accents, or whitespace', async () => {
    const names = [
      'Cafe',
      'cafe',
      'CAFE',
      'Café',
      'Ca fe',
      'Ca  fe',
      'Ca\u00a0fe',
      'Straße',
      'Strasse',
      'ı',
      'i',
      '½',
      '1/2',
    ];
    const ids = new Map<string, number>();
    for (const name of names) {
      ids.set(name, (await scene.make.of(kind, { name })).id);
    }
    for (const name of names) {
      expect([name, await idOf(name)]).toEqual([name, ids.get(name)]);
    }
  });

  it('finds nothing if the name has surrounding whitespace, because it is not trimmed', async () => {
    const made = await scene.make.of(kind, { name: ' Trimmed ' });
    expect(await idOf('Trimmed')).toBe(made.id);
    for (const name of ['Trimmed ', ' Trimmed', 'Trimmed\n', ' ']) {
      expect([name, await idOf(name)]).toEqual([name, null]);
    }
  });

  it('finds a name in either Unicode normalization form', async () => {
    const composed = await scene.make.of(kind, { name: 'r\u00e9sum\u00e9' });
    const decomposed = await scene.make.of(kind, { name: 'cha\u0302teau' });
    for (const form of ['NFC', 'NFD']) {
      expect(await idOf('r\u00e9sum\u00e9'.normalize(form))).toBe(composed.id);
      expect(await idOf('ch\u00e2teau'.normalize(form))).toBe(decomposed.id);
    }
    expect((await find('ch\u00e2teau')).body.name).toBe('cha\u0302teau');
  });

  it('finds the oldest when several match', async () => {
    const [first, second] = [
      await scene.make.of(kind, { name: 'Twin' }),
      await scene.make.of(kind, { name: 'Twin' }),
    ];
    await scene.client.patch(first.path, { name: 'Twin' });
    expect(await idOf('Twin')).toBe(first.id);
    await scene.client.delete(first.path);
    expect(await idOf('Twin')).toBe(second.id);
  });

  it('finds a renamed record by its new name', async () => {
    const made = await scene.make.of(kind, { name: 'Old name' });
    await scene.client.patch(made.path, { name: 'New name' });
    expect([await idOf('Old name'), await idOf('New name')]).toEqual([null, made.id]);
  });

  it('finds no records of other projects or types', async () => {
    const theirs = await scene.other.make.of(kind, { name: 'Theirs' });
    expect(await idOf('Theirs')).toBeNull();
    expect((await find('Theirs', scene.other.project)).status).toBe(404);
    expect(
      (await scene.other.client.post(`${scene.other.project}/${kind}/find-by-name`, { name: 'Theirs' })).body
        .id,
    ).toBe(theirs.id);
    const neighbour = kind === 'goals' ? 'pages' : 'goals';
    await scene.make.of(neighbour, { name: 'A neighbour' });
    expect(await idOf('A neighbour')).toBeNull();
  });

  it.each([
    [{}, ['name']],
    [undefined, ['name']],
    [{ name: null }, ['name']],
    [{ name: '' }, ['name']],
    [{ name: 5 }, ['name']],
    [{ name: ['a'] }, ['name']],
    [{ name: 'a\0' }, ['name']],
    [{ name: '\ud800' }, ['name']],
    [{ name: 'a', exact: true }, ['exact']],
    [{ Name: 'a' }, ['Name', 'name']],
  ])('rejects %j', async (body, paths) => {
    const answer = await scene.client.post(`${scene.project}/${kind}/find-by-name`, body);
    expect(refusedPaths(answer)).toEqual(paths);
  });

  it('requires only the read ability and the viewer role', async () => {
    const { viewer } = scene.world.people;
    await scene.make.of(kind, { name: 'For all' });
    const reader = scene.api.as(await scene.api.token(viewer.id, 'read'));
    expect((await reader.post(`${scene.project}/${kind}/find-by-name`, { name: 'For all' })).status).toBe(
      200,
    );
  });
});

describe('find-by-name', () => {
  const scene = useScene();

  it('can also find environments', async () => {
    const path = `${scene.project}/environments`;
    const [production] = (await scene.client.get(path)).body as Made[];
    const found = await scene.client.post(`${path}/find-by-name`, { name: 'Production' });
    expect([found.status, found.body]).toEqual([200, production]);
    expect((await scene.client.post(`${path}/find-by-name`, { name: 'production' })).status).toBe(404);
  });

  it.each(['variations', 'teams', 'projects', 'users', 'Goals', 'goal', 'x', '__proto__'])(
    'returns 404 for the unknown model %s',
    async (model) => {
      const answer = await scene.client.post(`${scene.project}/${model}/find-by-name`, { name: 'a' });
      expect([answer.status, answer.body]).toEqual([404, { message: 'Not Found', code: 'NOT_FOUND' }]);
    },
  );
});
