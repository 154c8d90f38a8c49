import { errorsOf, Made, TIMESTAMP, useScene } from '../support/scene';

describe('goals', () => {
  const scene = useScene();
  const collection = (): string => `${scene.project}/goals`;
  let page: Made;

  beforeAll(async () => {
    page = await scene.make.page();
  });

  it('have every field of the API contract, with default values when new', async () => {
    const answer = await scene.client.post(collection(), { name: 'Order placed' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(Number),
      project_id: scene.world.projectId,
      name: 'Order placed',
      api_name: 'order-placed',
      description: null,
      type: 'custom',
      selector: null,
      page_id: null,
      value_type: 'none',
      direction: 'increase',
      counting: 'unique',
      trusted_only: false,
      conversion_window_days: null,
      value_cap: null,
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: answer.body.created_at,
    });
    expect(answer.headers.location).toBe(`https://ab.example.com/api${collection()}/${answer.body.id}`);
    const shown = await scene.client.get(`${collection()}/${answer.body.id}`);
    expect([shown.status, shown.body]).toEqual([200, answer.body]);
    expect((await scene.client.get(collection())).body).toEqual([answer.body]);
  });

  it.each(['put', 'patch'] as const)(
    'are updated by %s, which changes only the fields sent',
    async (method) => {
      const made = await scene.make.goal({ description: 'Before', value_type: 'revenue' });
      const before = (await scene.client.get(made.path)).body;
      const answer = await scene.client[method](made.path, { direction: 'decrease' });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        ...before,
        direction: 'decrease',
        updated_at: expect.stringMatching(TIMESTAMP),
      });
      expect(answer.body.updated_at > before.updated_at).toBe(true);
      expect((await scene.client.get(made.path)).body).toEqual(answer.body);
    },
  );

  it('are deleted once, with 204 and no body', async () => {
    const made = await scene.make.goal();
    const answer = await scene.client.delete(made.path);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await scene.client.get(made.path)).status).toBe(404);
    expect((await scene.client.delete(made.path)).status).toBe(404);
  });

  it.each([
    ['custom, without values', () => ({ type: 'custom', value_type: 'none' })],
    ['custom, with numbers', () => ({ type: 'custom', value_type: 'number' })],
    ['custom, with revenue', () => ({ value_type: 'revenue' })],
    ['page views', () => ({ type: 'pageview', page_id: page.id })],
    ['clicks', () => ({ type: 'click', selector: '#buy > .button:not([disabled]), a' })],
    ['better when they decrease', () => ({ direction: 'decrease' })],
  ])('can be %s', async (_, fields) => {
    const sent = fields();
    const made = await scene.make.goal(sent);
    expect(made).toMatchObject(sent);
    expect((await scene.client.get(made.path)).body).toMatchObject(sent);
  });

  it.each([
    ['an unknown type', { type: 'scroll' }, ['type']],
    [
      'an unknown type with fields of other types',
      { type: 'scroll', selector: 'a', value_type: 'revenue' },
      ['type'],
    ],
    ['a null type', { type: null }, ['type']],
    ['an unknown value type', { value_type: 'money' }, ['value_type']],
    ['an unknown counting method', { counting: 'all' }, ['counting']],
    ['a null counting method', { counting: null }, ['counting']],
    ['an unknown direction', { direction: 'up' }, ['direction']],
    ['page views without a page', { type: 'pageview' }, ['page_id']],
    ['page views with a null page', { type: 'pageview', page_id: null }, ['page_id']],
    ['page views of a page that does not exist', { type: 'pageview', page_id: 987654 }, ['page_id']],
    ['a page id that is a string', { type: 'pageview', page_id: '1' }, ['page_id']],
    ['a page id out of range', { type: 'pageview', page_id: 2_147_483_648 }, ['page_id']],
    ['clicks without a selector', { type: 'click' }, ['selector']],
    ['clicks with an empty selector', { type: 'click', selector: '' }, ['selector']],
    ['clicks with an invalid selector', { type: 'click', selector: 'a[' }, ['selector']],
    ['a selector that is not a string', { type: 'click', selector: ['a'] }, ['selector']],
    ['a value cap without values', { value_cap: 5 }, ['value_cap']],
    ['a value cap for clicks', { type: 'click', selector: 'a', value_cap: 5 }, ['value_cap']],
    ['clicks with revenue', { type: 'click', selector: 'a', value_type: 'revenue' }, ['value_type']],
    [
      'several errors, reported together, including errors found only in the database',
      { name: '', type: 'pageview', page_id: 987654, value_type: 'x', direction: 'y', api_name: 'A' },
      ['api_name', 'direction', 'name', 'page_id', 'value_type'],
    ],
  ])('are rejected with %s', async (_, fields, paths) => {
    const answer = await scene.client.post(collection(), { name: 'Refused', ...fields });
    expect(Object.keys(errorsOf(answer)).sort()).toEqual(paths);
  });

  it("cannot count views of another project's page", async () => {
    const theirs = await scene.other.make.page();
    const answer = await scene.client.post(collection(), {
      name: 'Spy',
      type: 'pageview',
      page_id: theirs.id,
    });
    const errors = { page_id: [`The project has no page ${theirs.id}.`] };
    expect(errorsOf(answer)).toEqual(errors);
    const made = await scene.make.goal({ type: 'pageview', page_id: page.id });
    const updated = await scene.client.patch(made.path, { page_id: theirs.id });
    expect(errorsOf(updated)).toEqual(errors);
  });

  it('are validated as a whole on update, not only in the fields sent', async () => {
    const made = await scene.make.goal({ type: 'click', selector: 'a' });
    expect(Object.keys(errorsOf(await scene.client.patch(made.path, { selector: null })))).toEqual([
      'selector',
    ]);
    const asPageview = await scene.client.patch(made.path, { type: 'pageview', selector: null });
    expect(Object.keys(errorsOf(asPageview))).toEqual(['page_id']);
    const moved = await scene.client.patch(made.path, { type: 'pageview', selector: null, page_id: page.id });
    expect([moved.status, moved.body.type, moved.body.page_id]).toEqual([200, 'pageview', page.id]);
  });
});
