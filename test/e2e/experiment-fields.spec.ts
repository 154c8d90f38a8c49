import { errorsOf, Made, useScene } from '../support/scene';

const ALL = [
  ...[
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
  ],
  ...['audiences_match_type', 'tags', 'js', 'reset_js', 'css', 'variations', 'audiences', 'pages', 'goals'],
  ...[
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
  ],
];
const LITE = ['id', 'name', 'api_name', 'is_original', 'traffic_allocation'];

describe('the parameter fields', () => {
  const scene = useScene();
  let made: Made;
  let whole: Record<string, unknown>;
  let list: string;

  beforeAll(async () => {
    made = await scene.make.ready({ tags: ['a'], js: 'f()', example_url: 'https://a.example.com/' });
    whole = (await scene.client.get(made.path)).body;
    list = `${scene.project}/experiments`;
  });

  it.each(ALL)('selects %s alone, for a single record and in a list', async (field) => {
    const shown = await scene.client.get(`${made.path}?fields=${field}`);
    expect([shown.status, shown.body]).toEqual([200, { [field]: whole[field] }]);
    const listed = await scene.client.get(`${list}?fields=${field}`);
    expect([listed.status, listed.body]).toEqual([200, [{ [field]: whole[field] }]]);
  });

  it.each(['id,name,status', 'status,id,name', ' name , id,status', 'id,id,name,status,name'])(
    'accepts several fields in any order: %j',
    async (fields) => {
      const { id, name, status } = whole;
      const query = encodeURIComponent(fields);
      expect((await scene.client.get(`${made.path}?fields=${query}`)).body).toEqual({ id, name, status });
      expect((await scene.client.get(`${list}?fields=${query}`)).body).toEqual([{ id, name, status }]);
    },
  );

  it('accepts all fields', async () => {
    expect((await scene.client.get(`${made.path}?fields=${ALL.join(',')}`)).body).toEqual(whole);
  });

  it.each([
    'foo',
    'id,foo',
    'Id',
    'variations.name',
    'share_token',
    'version',
    '__proto__',
    'constructor',
    'name_key',
  ])('rejects %s, and lists the known fields', async (fields) => {
    for (const path of [made.path, list]) {
      const errors = errorsOf(await scene.client.get(`${path}?fields=${fields}`));
      expect(Object.keys(errors)).toEqual(['fields']);
      for (const field of ALL) {
        expect(errors.fields[0]).toContain(field);
      }
    }
  });

  it.each(['', '%20', ',', ',,'])('is rejected if it is empty: %j', async (fields) => {
    for (const path of [made.path, list]) {
      const errors = errorsOf(await scene.client.get(`${path}?fields=${fields}`));
      expect(Object.keys(errors)).toEqual(['fields']);
      expect(errors.fields[0]).toContain('audiences_match_type');
    }
  });

  it('is ignored on other routes, like any unknown parameter', async () => {
    const goal = await scene.make.goal();
    const { status, body } = await scene.client.get(`${goal.path}?fields=foo&foo=bar`);
    expect([status, body.name]).toEqual([200, 'Goal']);
  });

  describe('with variations=lite', () => {
    it('shows five fields of each variation', async () => {
      const { body } = await scene.client.get(`${list}?variations=lite`);
      const variations = made.variations.map((variation: Made) =>
        Object.fromEntries(LITE.map((field) => [field, variation[field]])),
      );
      expect(body).toEqual([{ ...whole, variations }]);
      expect(Object.keys(body[0].variations[0])).toEqual(LITE);
    });

    it('shows the five fields if variations is among the requested fields', async () => {
      const { body } = await scene.client.get(`${list}?variations=lite&fields=name,variations`);
      expect(Object.keys(body[0])).toEqual(['name', 'variations']);
      expect(Object.keys(body[0].variations[1])).toEqual(LITE);
    });

    it('shows no variations if other fields are requested', async () => {
      expect((await scene.client.get(`${list}?variations=lite&fields=name`)).body).toEqual([
        { name: whole.name },
      ]);
    });

    it.each(['full', '', 'LITE', '1', 'lite,lite'])('accepts no other value: %j', async (form) => {
      const answer = await scene.client.get(`${list}?variations=${form}`);
      expect(Object.keys(errorsOf(answer))).toEqual(['variations']);
    });

    it('is rejected if it occurs twice', async () => {
      const answer = await scene.client.get(`${list}?variations=lite&variations=lite`);
      expect(Object.keys(errorsOf(answer))).toEqual(['variations']);
    });
  });
});
