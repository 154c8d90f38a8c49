import { errorsOf, Made, refusedPaths, TIMESTAMP, useScene } from '../support/scene';

describe('variations', () => {
  const scene = useScene();
  let experiment: Made;
  const collection = (): string => `${experiment.path}/variations`;
  const listed = async (): Promise<Made[]> => (await scene.client.get(collection())).body;
  const originals = async (): Promise<string[]> =>
    (await listed()).filter(({ is_original }) => is_original).map(({ name }) => name);

  beforeEach(async () => {
    experiment = await scene.make.experiment();
  });

  it('have every field of the API contract, with default values when new', async () => {
    const answer = await scene.client.post(collection(), { name: 'Green button' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(Number),
      experiment_id: experiment.id,
      name: 'Green button',
      api_name: 'green-button',
      description: null,
      is_original: true,
      traffic_allocation: null,
      js: null,
      css: null,
      preview_url: null,
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: answer.body.created_at,
    });
    expect(answer.headers.location).toBe(`https://ab.example.com/api${collection()}/${answer.body.id}`);
    const shown = await scene.client.get(`${collection()}/${answer.body.id}`);
    expect([shown.status, shown.body]).toEqual([200, answer.body]);
    const list = await scene.client.get(collection());
    expect([list.body, list.headers['x-total-count']]).toEqual([[answer.body], '1']);
    expect((await scene.client.get(experiment.path)).body.variations).toEqual([answer.body]);
  });

  it.each(['put', 'patch'] as const)(
    'are updated by %s, which changes only the fields sent',
    async (method) => {
      const made = await scene.make.variation(experiment, {
        description: 'Before',
        js: 'f()',
        traffic_allocation: 20,
      });
      const before = (await scene.client.get(made.path)).body;
      const answer = await scene.client[method](made.path, { js: null, css: 'a {}' });
      expect(answer.status).toBe(200);
      const expected = { ...before, js: null, css: 'a {}', updated_at: expect.stringMatching(TIMESTAMP) };
      expect(answer.body).toEqual(expected);
      expect(answer.body.updated_at > before.updated_at).toBe(true);
      expect((await scene.client.get(made.path)).body).toEqual(answer.body);
    },
  );

  it('have a preview URL as soon as the experiment has an example URL', async () => {
    const made = await scene.make.variation(experiment);
    const exampleUrl = 'https://shop.example.com/a?b=c#d';
    await scene.client.patch(experiment.path, { example_url: exampleUrl });
    const { preview_url: preview } = (await scene.client.get(made.path)).body;
    const url = new URL(preview);
    expect([url.origin, url.pathname, url.searchParams.get('b'), url.hash]).toEqual([
      'https://shop.example.com',
      '/a',
      'c',
      '#d',
    ]);
    await scene.client.patch(experiment.path, { example_url: null });
    expect((await scene.client.get(made.path)).body.preview_url).toBeNull();
  });

  it('update their experiment when they change', async () => {
    const made = await scene.make.variation(experiment);
    const before = (await scene.client.get(experiment.path)).body;
    await scene.client.patch(made.path, { name: 'Other' });
    const after = (await scene.client.get(experiment.path)).body;
    expect(after.variations[0].name).toBe('Other');
    expect(after.updated_at > before.updated_at).toBe(true);
    await scene.client.patch(made.path, { name: 'Other' });
    expect((await scene.client.get(experiment.path)).body).toEqual(after);
  });

  it('of another experiment return 404 in the path of this experiment', async () => {
    const made = await scene.make.variation(experiment);
    const other = await scene.make.experiment();
    const theirs = await scene.other.make.experiment({ variations: [{ name: 'Theirs' }] });
    for (const path of [
      `${other.path}/variations/${made.id}`,
      `${other.path}/variations/${theirs.variations[0].id}`,
      `${theirs.path}/variations/${theirs.variations[0].id}`,
      `${scene.project}/experiments/${theirs.id}/variations/${theirs.variations[0].id}`,
    ]) {
      expect((await scene.client.get(path)).status).toBe(404);
      expect((await scene.client.patch(path, { name: '' })).status).toBe(404);
      expect((await scene.client.delete(path)).status).toBe(404);
    }
    expect((await scene.client.get(`${theirs.path}/variations`)).status).toBe(404);
    expect((await scene.client.post(`${theirs.path}/variations`, { name: 'Spy' })).status).toBe(404);
  });

  describe('the original', () => {
    it('is the first variation created, until it is replaced', async () => {
      const first = await scene.make.variation(experiment, { name: 'First' });
      const second = await scene.make.variation(experiment, { name: 'Second' });
      expect([first.is_original, second.is_original]).toEqual([true, false]);
      const moved = await scene.client.patch(second.path, { is_original: true });
      expect([moved.status, moved.body.is_original]).toEqual([200, true]);
      expect(await originals()).toEqual(['Second']);
      const third = await scene.make.variation(experiment, { name: 'Third', is_original: true });
      expect(third.is_original).toBe(true);
      expect(await originals()).toEqual(['Third']);
    });

    it('cannot be replaced after the first start, not even by a new variation', async () => {
      const running = await scene.make.withStatus('running');
      const [first, second] = running.variations as Made[];
      const message = 'The original cannot change once the experiment has been started.';
      const refusals = [
        await scene.client.patch(`${running.path}/variations/${second.id}`, { is_original: true }),
        await scene.client.post(`${running.path}/variations`, { name: 'New', is_original: true }),
      ];
      for (const { status, body } of refusals) {
        expect([status, body.errors]).toEqual([422, { is_original: [message] }]);
      }
      const same = await scene.client.patch(`${running.path}/variations/${first.id}`, { is_original: true });
      expect(same.status).toBe(200);
    });

    it('is marked as updated when it is replaced', async () => {
      const first = await scene.make.variation(experiment, { name: 'First' });
      const second = await scene.make.variation(experiment, { name: 'Second' });
      await scene.client.patch(second.path, { is_original: true });
      const after = (await scene.client.get(first.path)).body;
      expect(after).toMatchObject({ is_original: false });
      expect(after.updated_at > first.updated_at).toBe(true);
    });

    it('cannot be unset', async () => {
      const first = await scene.make.variation(experiment, { name: 'First' });
      expect(refusedPaths(await scene.client.patch(first.path, { is_original: false }))).toEqual([
        'is_original',
      ]);
      expect((await scene.client.patch(first.path, { is_original: true })).status).toBe(200);
      expect(await originals()).toEqual(['First']);
    });

    it('cannot be deleted while others exist', async () => {
      const first = await scene.make.variation(experiment, { name: 'First' });
      const second = await scene.make.variation(experiment, { name: 'Second' });
      expect((await scene.client.delete(first.path)).status).toBe(422);
      const answer = await scene.client.delete(second.path);
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect((await scene.client.delete(first.path)).status).toBe(204);
      expect(await listed()).toEqual([]);
      await scene.make.variation(experiment, { name: 'New start' });
      expect(await originals()).toEqual(['New start']);
    });

    it.each([
      ['the first if none is marked', [{ name: 'A' }, { name: 'B' }], ['A']],
      [
        'the variation that is marked',
        [{ name: 'A' }, { name: 'B', is_original: true }, { name: 'C' }],
        ['B'],
      ],
      [
        'the variation that is marked, if another is explicitly unmarked',
        [
          { name: 'A', is_original: false },
          { name: 'B', is_original: true },
        ],
        ['B'],
      ],
    ])('of an experiment created with variations is %s', async (_, variations, expected) => {
      experiment = await scene.make.experiment({ variations });
      expect(await originals()).toEqual(expected);
    });

    it('is unique: a second original is rejected', async () => {
      const answer = await scene.client.post(`${scene.project}/experiments`, {
        name: 'Two',
        variations: [{ name: 'A', is_original: true }, { name: 'B' }, { name: 'C', is_original: true }],
      });
      expect(refusedPaths(answer)).toEqual(['variations.2.is_original']);
    });
  });

  describe('traffic shares', () => {
    it.each([0, 0.01, 33.33, 99.99, 100, null])('can be %j', async (share) => {
      const made = await scene.make.variation(experiment, { traffic_allocation: share });
      expect(made.traffic_allocation).toBe(share);
      expect((await scene.client.get(made.path)).body.traffic_allocation).toBe(share);
    });

    it.each([-0.01, 100.01, 33.333, '50', true, []])('cannot be %j', async (share) => {
      const answer = await scene.client.post(collection(), { name: 'Refused', traffic_allocation: share });
      expect(refusedPaths(answer)).toEqual(['traffic_allocation']);
    });

    it('can sum to exactly 100, with decimals, but not to more', async () => {
      for (const share of [33.33, 33.33, 33.34]) {
        await scene.make.variation(experiment, { traffic_allocation: share });
      }
      const [first] = await listed();
      const more = await scene.client.post(collection(), { name: 'Too much', traffic_allocation: 0.01 });
      expect(refusedPaths(more)).toEqual(['traffic_allocation']);
      const path = `${collection()}/${first.id}`;
      expect(refusedPaths(await scene.client.patch(path, { traffic_allocation: 33.34 }))).toEqual([
        'traffic_allocation',
      ]);
      expect((await scene.client.patch(path, { traffic_allocation: 33.32 })).status).toBe(200);
      expect(
        (await scene.client.post(collection(), { name: 'The rest', traffic_allocation: 0.01 })).status,
      ).toBe(201);
      expect((await scene.client.post(collection(), { name: 'An equal part of nothing' })).status).toBe(201);
    });

    it.each([[[60, 40.01]], [[100, 0.01, null]], [[33.34, 33.33, 33.34]]])(
      'of variations created together cannot sum to more than 100: %j',
      async (shares) => {
        const variations = shares.map((share, index) => ({ name: `V${index}`, traffic_allocation: share }));
        const answer = await scene.client.post(`${scene.project}/experiments`, {
          name: 'Too much',
          variations,
        });
        expect(refusedPaths(answer)).toEqual(['variations']);
      },
    );
  });

  it.each([
    ['experiment_id', 1],
    ['id', 999],
    ['preview_url', 'https://evil.example.com/'],
    ['created_at', null],
    ['updated_at', '2020-01-01T00:00:00.000000Z'],
  ])('reject a change of %s, which is read-only', async (field, value) => {
    const made = await scene.make.variation(experiment);
    const errors = errorsOf(await scene.client.put(made.path, { [field]: value, name: 'Changed' }));
    expect(Object.keys(errors)).toEqual([field]);
    expect(errors[field][0]).toContain('read-only');
    expect((await scene.client.get(made.path)).body.name).toBe('Variation');
  });

  it.each([
    ['js', 'let a = 1;\nlet b = ;', 2, 9],
    ['css', 'a { color: red }\nb { color: }}', 2, 13],
  ])('reject %s that does not parse, and report line and column', async (field, code, line, column) => {
    const errors = errorsOf(await scene.client.post(collection(), { name: 'Broken', [field]: code }));
    expect(errors[field][0]).toMatch(new RegExp(`line ${line}, column ${column}\\b`));
  });

  it('are limited to 100, so a definition that contains them can be applied again', async () => {
    const names = Array.from({ length: 99 }, (_, index) => ({ name: `V${index}` }));
    const full = await scene.make.experiment({ variations: names });
    const deleted = await scene.make.variation(full);
    await scene.client.delete(deleted.path);
    await scene.make.variation(full, { name: 'Another' });
    const refused = await scene.client.post(`${full.path}/variations`, { name: 'One more' });
    expect(errorsOf(refused)).toEqual({ variations: ['An experiment can have at most 100 variations.'] });
    const deletion = `${scene.project}/audit?item_type=variation&item_id=${deleted.id}&action=delete`;
    const [entry] = (await scene.client.get(deletion)).body;
    expect(refusedPaths(await scene.client.post(`${scene.project}/audit/${entry.id}/revert`))).toEqual([
      'variations',
    ]);
    const { body } = await scene.client.get(`${scene.project}/definition`);
    expect((await scene.client.put(`${scene.project}/definition`, body)).body).toEqual({ changes: [] });
  });

  it('created with an experiment are rejected with all their errors, by index and field', async () => {
    const answer = await scene.client.post(`${scene.project}/experiments`, {
      name: 'Wrong',
      variations: [
        { name: '', traffic_allocation: 60, js: '((' },
        { name: 'B', traffic_allocation: 60, nmae: 'x', id: 5 },
        { name: 'C', api_name: 'same', is_original: 'yes' },
        { name: 'D', api_name: 'same' },
        7,
      ],
    });
    expect(refusedPaths(answer)).toEqual([
      'variations',
      'variations.0.js',
      'variations.0.name',
      'variations.1.id',
      'variations.1.nmae',
      'variations.2.is_original',
      'variations.3.api_name',
      'variations.4',
    ]);
    expect(answer.body.errors['variations.1.nmae'][0]).toContain('name');
  });
});
