import { errorsOf, Made, TIMESTAMP, useScene } from '../support/scene';

const FIELDS = [
  'id',
  'project_id',
  'name',
  'api_name',
  'status',
  'description',
  'hypothesis',
  'example_url',
  'traffic_allocation',
  'exclusion_group_id',
  'exclusion_share',
  'audiences_match_type',
  'tags',
  'js',
  'reset_js',
  'css',
  'variations',
  'audiences',
  'pages',
  'goals',
  'guardrails',
  'guardrail_action',
  'environments',
  'minimum_effect',
  'planned_participants',
  'planned_end',
  'decision',
  'shared',
  'starts_at',
  'ends_at',
  'schedule_error',
  'started_at',
  'paused_at',
  'paused_reason',
  'archived_at',
  'created_at',
  'updated_at',
];

describe('experiments', () => {
  const scene = useScene();
  const collection = (): string => `${scene.project}/experiments`;

  it('have every field of the API contract, with defaults after creation', async () => {
    const answer = await scene.client.post(collection(), { name: 'Buy button' });
    expect(answer.status).toBe(201);
    expect(Object.keys(answer.body)).toEqual(FIELDS);
    expect(answer.body).toEqual({
      id: expect.any(Number),
      project_id: scene.world.projectId,
      name: 'Buy button',
      api_name: 'buy-button',
      status: 'draft',
      description: null,
      hypothesis: null,
      example_url: null,
      traffic_allocation: 100,
      exclusion_group_id: null,
      exclusion_share: 100,
      audiences_match_type: 'any',
      tags: [],
      js: null,
      reset_js: null,
      css: null,
      variations: [],
      audiences: [],
      pages: [],
      goals: [],
      guardrails: [],
      guardrail_action: 'none',
      environments: [{ id: expect.any(Number), name: 'Production' }],
      minimum_effect: null,
      planned_participants: null,
      planned_end: null,
      decision: null,
      shared: true,
      starts_at: null,
      ends_at: null,
      schedule_error: null,
      started_at: null,
      paused_at: null,
      paused_reason: null,
      archived_at: null,
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: answer.body.created_at,
    });
    expect(answer.headers.location).toBe(`https://ab.example.com/api${collection()}/${answer.body.id}`);
    const shown = await scene.client.get(`${collection()}/${answer.body.id}`);
    expect([shown.status, shown.body]).toEqual([200, answer.body]);
    expect((await scene.client.get(collection())).body).toEqual([answer.body]);
  });

  it('keep all fields with which they are created', async () => {
    const audience = await scene.make.audience();
    const page = await scene.make.page();
    const goal = await scene.make.goal();
    const own = {
      name: 'Everything',
      api_name: 'everything_1',
      description: 'All of it',
      example_url: 'https://shop.example.com/a?b=c#d',
      traffic_allocation: 33.33,
      audiences_match_type: 'all',
      tags: ['Checkout', 'checkout', 'q4'],
      js: '  console.log(1);\n',
      reset_js: '/* nothing */',
      css: '\na { color: red }',
    };
    const variations = [
      { name: 'A', traffic_allocation: 50 },
      { name: 'B', api_name: 'bee', description: 'b', traffic_allocation: 50, js: 'b()', css: 'b {}' },
    ];
    const attached = { audiences: [audience.id], pages: [page.id], goals: [goal.id] };
    const { body } = await scene.client.post(collection(), { ...own, variations, ...attached });
    expect(body).toMatchObject({
      ...own,
      audiences: [{ id: audience.id, name: 'Audience' }],
      pages: [{ id: page.id, name: 'Page' }],
      goals: [{ id: goal.id, name: 'Goal', api_name: goal.api_name, type: 'custom' }],
    });
    expect(body.variations).toHaveLength(2);
    expect(body.variations[0]).toMatchObject({
      name: 'A',
      api_name: 'a',
      is_original: true,
      js: null,
      css: null,
    });
    expect(body.variations[1]).toMatchObject({
      ...variations[1],
      is_original: false,
      experiment_id: body.id,
    });
    const { body: shown } = await scene.client.get(`${collection()}/${body.id}`);
    expect(shown).toEqual(body);
    const { body: listed } = await scene.client.get(`${collection()}/${body.id}/variations`);
    expect(listed).toEqual(body.variations);
  });

  it.each(['put', 'patch'] as const)(
    'are updated by %s, which changes only the fields sent',
    async (method) => {
      const made = await scene.make.ready({
        description: 'Before',
        tags: ['a'],
        example_url: 'https://a.example.com/',
      });
      const before = (await scene.client.get(made.path)).body;
      const changes = { description: null, tags: ['b', 'a'], traffic_allocation: 12.5 };
      const answer = await scene.client[method](made.path, changes);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ ...before, ...changes, updated_at: expect.stringMatching(TIMESTAMP) });
      expect(answer.body.updated_at > before.updated_at).toBe(true);
      expect((await scene.client.get(made.path)).body).toEqual(answer.body);
    },
  );

  it.each(['description', 'example_url', 'js', 'reset_js', 'css'])(
    'can clear %s with null',
    async (field) => {
      const value = field === 'example_url' ? 'https://a.example.com/' : '';
      const made = await scene.make.experiment({ [field]: value });
      expect(made[field]).toBe(value);
      const answer = await scene.client.patch(made.path, { [field]: null });
      expect([answer.status, answer.body[field]]).toEqual([200, null]);
    },
  );

  it.each(['tags', 'audiences', 'pages', 'goals', 'environments'])(
    'can empty %s with null',
    async (field) => {
      const made = await scene.make.ready({ tags: ['a'], audiences: [(await scene.make.audience()).id] });
      expect(made[field]).toHaveLength(1);
      const answer = await scene.client.patch(made.path, { [field]: null });
      expect([answer.status, answer.body[field]]).toEqual([200, []]);
      const created = await scene.make.experiment({ [field]: null, variations: null });
      expect([created[field], created.variations]).toEqual([[], []]);
    },
  );

  it.each(['name', 'api_name', 'traffic_allocation', 'audiences_match_type'])(
    'reject null for %s, which is never empty',
    async (field) => {
      const made = await scene.make.experiment();
      expect(Object.keys(errorsOf(await scene.client.patch(made.path, { [field]: null })))).toEqual([field]);
    },
  );

  describe('read-only fields', () => {
    let made: Made;
    beforeAll(async () => {
      made = await scene.make.ready();
    });

    it.each([
      ['id', 999_999],
      ['project_id', 999_999],
      ['status', 'running'],
      ['started_at', '2026-05-01T09:30:00.123000Z'],
      ['paused_at', '2026-05-01T09:30:00.123000Z'],
      ['archived_at', 'yesterday'],
      ['created_at', '2020-01-01T00:00:00.000000Z'],
      ['updated_at', null],
      ['variations', []],
      ['variations', [{ name: 'New' }]],
    ])('%s is rejected as %j and keeps its value', async (field, value) => {
      const before = (await scene.client.get(made.path)).body;
      const errors = errorsOf(await scene.client.put(made.path, { description: 'changed', [field]: value }));
      expect(Object.keys(errors)).toEqual([field]);
      expect(errors[field][0]).toContain('read-only');
      expect((await scene.client.get(made.path)).body).toEqual(before);
    });

    it('are accepted with their current values', async () => {
      const { body } = await scene.client.get(made.path);
      const { id, project_id, status, created_at, updated_at, variations, started_at } = body;
      const answer = await scene.client.put(made.path, {
        ...{ id, project_id, status, created_at, updated_at, variations, started_at },
        description: 'changed along',
      });
      expect([answer.status, answer.body.description]).toEqual([200, 'changed along']);
    });

    it.each([
      ['id', 1],
      ['status', 'running'],
      ['created_at', '2020-01-01T00:00:00.000000Z'],
      ['project_id', 99],
    ])('%s is rejected when an experiment is created', async (field, value) => {
      const answer = await scene.client.post(collection(), { name: 'New', [field]: value });
      expect(Object.keys(errorsOf(answer))).toEqual([field]);
    });
  });

  it('keep the ids of their variations in any update', async () => {
    const made = await scene.make.ready();
    const ids = made.variations.map(({ id }: { id: number }) => id);
    const { body } = await scene.client.put(made.path, {
      name: 'Renamed',
      traffic_allocation: 5,
      tags: ['x'],
    });
    expect(body.variations.map(({ id }: { id: number }) => id)).toEqual(ids);
  });

  describe('when deleted', () => {
    it('return 204 without a body and are gone with their variations', async () => {
      const made = await scene.make.ready({ name: 'Short-lived' });
      const answer = await scene.client.delete(made.path);
      expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([204, '', undefined]);
      expect((await scene.client.get(made.path)).status).toBe(404);
      expect((await scene.client.get(`${made.path}/variations`)).status).toBe(404);
      expect((await scene.client.put(made.path, { name: 'Back' })).status).toBe(404);
      expect((await scene.client.post(`${made.path}/clone`)).status).toBe(404);
      expect((await scene.client.delete(made.path)).status).toBe(404);
      const { body, headers } = await scene.client.get(`${collection()}?search=short-lived`);
      expect([body, headers['x-total-count']]).toEqual([[], '0']);
    });

    it.each(['draft', 'preview', 'running', 'pause', 'archive'])(
      'can be in the status %s',
      async (status) => {
        const made = await scene.make.withStatus(status);
        expect((await scene.client.delete(made.path)).status).toBe(204);
      },
    );

    it('free their api_name', async () => {
      const made = await scene.make.experiment({ name: 'Free me', api_name: 'free-me' });
      await scene.client.delete(made.path);
      expect((await scene.make.experiment({ name: 'Other', api_name: 'free-me' })).api_name).toBe('free-me');
    });

    it('release pages, audiences and goals, which can then be deleted', async () => {
      const made = await scene.make.withStatus('running');
      await scene.client.delete(made.path);
      expect((await scene.client.delete(`${scene.project}/pages/${made.pages[0].id}`)).status).toBe(204);
      expect((await scene.client.delete(`${scene.project}/goals/${made.goals[0].id}`)).status).toBe(204);
    });
  });
});
