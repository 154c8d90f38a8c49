import { errorsOf, Made, TIMESTAMP, useScene } from '../support/scene';

const MOBILE = { type: 'device', match: 'in', value: ['mobile', 'tablet'] };

describe('audiences', () => {
  const scene = useScene();
  const collection = (): string => `${scene.project}/audiences`;

  it('have every field of the contract, with defaults after creation', async () => {
    const answer = await scene.client.post(collection(), { name: 'Everyone' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(Number),
      project_id: scene.world.projectId,
      name: 'Everyone',
      api_name: 'everyone',
      description: null,
      conditions: null,
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: answer.body.created_at,
    });
    expect(answer.headers.location).toBe(`https://ab.example.com/api${collection()}/${answer.body.id}`);
    const shown = await scene.client.get(`${collection()}/${answer.body.id}`);
    expect([shown.status, shown.body]).toEqual([200, answer.body]);
    expect((await scene.client.get(collection())).body).toEqual([answer.body]);
  });

  it.each(['put', 'patch'] as const)(
    'are updated by %s, which changes only what was sent',
    async (method) => {
      const made = await scene.make.audience({ description: 'Before', conditions: MOBILE });
      const before = (await scene.client.get(made.path)).body;
      const answer = await scene.client[method](made.path, { description: 'After' });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        ...before,
        description: 'After',
        updated_at: expect.stringMatching(TIMESTAMP),
      });
      expect(answer.body.updated_at > before.updated_at).toBe(true);
      expect((await scene.client.get(made.path)).body).toEqual(answer.body);
    },
  );

  it('have an api_name that is unique in the project, either chosen or derived from the name', async () => {
    const sent = { name: 'Mobile visitors' };
    expect((await scene.make.audience(sent)).api_name).toBe('mobile-visitors');
    const second = await scene.make.audience(sent);
    expect(second.api_name).toBe('mobile-visitors-2');
    expect((await scene.make.audience({ api_name: 'phones' })).api_name).toBe('phones');
    const taken = { api_name: ['The api name has already been taken.'] };
    expect(errorsOf(await scene.client.post(collection(), { name: 'A', api_name: 'phones' }))).toEqual(taken);
    expect(errorsOf(await scene.client.patch(second.path, { api_name: 'phones' }))).toEqual(taken);
  });

  it('are deleted once, with 204 and no body', async () => {
    const made = await scene.make.audience();
    const answer = await scene.client.delete(made.path);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await scene.client.get(made.path)).status).toBe(404);
    expect((await scene.client.delete(made.path)).status).toBe(404);
  });

  describe('conditions', () => {
    let audience: Made;
    beforeAll(async () => {
      audience = await scene.make.audience({ name: 'Conditions' });
    });

    it.each([
      ['a single leaf as the root', MOBILE],
      ['a group', ['and', MOBILE, { type: 'visitor', match: 'exact', value: 'new' }]],
      [
        'groups in groups',
        ['or', ['not', MOBILE], ['and', { type: 'cookie', name: 'beta', match: 'exists' }]],
      ],
      ['a browser', { type: 'browser', match: 'exact', value: 'chrome' }],
      ['a language', { type: 'language', match: 'starts_with', value: 'de' }],
      ['a URL', { type: 'url', match: 'contains', value: '/sale' }],
      ['a number', { type: 'attribute', name: 'age', match: 'gte', value: 18 }],
      ['a boolean', { type: 'attribute', name: 'member', match: 'exact', value: true }],
      ['code', { type: 'javascript', value: 'window.vip === true' }],
      ['null for everyone', null],
    ])('can be %s, and are returned as sent', async (_, conditions) => {
      const answer = await scene.client.patch(audience.path, { conditions });
      expect([answer.status, answer.body.conditions]).toEqual([200, conditions]);
      expect((await scene.client.get(audience.path)).body.conditions).toEqual(conditions);
      const created = await scene.make.audience({ conditions });
      expect(created.conditions).toEqual(conditions);
    });

    it('keep functions that only an earlier release accepted until the conditions change', async () => {
      const { id, path } = await scene.make.audience();
      const conditions = { type: 'javascript', value: 'async () => true' };
      await scene.api.database.transaction((tx) =>
        tx.query('UPDATE audiences SET conditions = ? WHERE id = ?', [JSON.stringify(conditions), id]),
      );
      const renamed = await scene.client.patch(path, { name: 'Old', conditions });
      expect([renamed.status, renamed.body]).toMatchObject([200, { name: 'Old', conditions }]);
      const refused = await scene.client.patch(path, { conditions: ['not', conditions] });
      expect(errorsOf(refused)).toEqual({
        'conditions.1.value': [expect.stringContaining('The code cannot be an async function')],
      });
    });

    it('match everyone if the list is empty', async () => {
      const answer = await scene.client.patch(audience.path, { conditions: [] });
      expect(answer.status).toBe(200);
      expect([null, []]).toContainEqual(answer.body.conditions);
    });

    it('match exactly by default', async () => {
      const { conditions } = await scene.make.audience({ conditions: { type: 'device', value: 'mobile' } });
      expect(conditions.match ?? 'exact').toBe('exact');
    });

    it.each([
      [
        'an unknown match in a nested group',
        ['and', MOBILE, ['or', { ...MOBILE, match: 'near' }]],
        'conditions.2.1.match',
      ],
      ['an unknown type', ['and', { type: 'planet', value: 'mars' }], 'conditions.1.type'],
      ['an unknown device', { type: 'device', value: 'toaster' }, 'conditions.value'],
      ['a missing name', ['not', { type: 'cookie', match: 'exists' }], 'conditions.1.name'],
      ['one unknown device in a list', { ...MOBILE, value: ['mobile', 'toaster'] }, 'conditions.value.1'],
      ['an unknown operator', ['xor', MOBILE], 'conditions.0'],
      ['an unknown field', { ...MOBILE, negate: true }, 'conditions.negate'],
      ['a field named constructor', ['and', { ...MOBILE, constructor: 'x' }], 'conditions.1.constructor'],
      ['a field named toString', ['and', { ...MOBILE, toString: 'x' }], 'conditions.1.toString'],
      ['NUL', { type: 'url', match: 'contains', value: 'a\0' }, 'conditions.value'],
      ['a lone surrogate', { type: 'query', name: '\ud800', match: 'exists' }, 'conditions.name'],
      ['text', 'everyone', 'conditions'],
      ['a number', 5, 'conditions'],
      ['code that does not parse', ['and', { type: 'javascript', value: 'return ((' }], 'conditions.1.value'],
      ['an async function', ['not', { type: 'javascript', value: 'async () => true' }], 'conditions.1.value'],
      [
        'a pattern that only some engines support',
        { type: 'url', match: 'regex', value: '^(?=a)' },
        'conditions.value',
      ],
    ])('are rejected with %s', async (_, conditions, path) => {
      const before = (await scene.client.get(audience.path)).body;
      const updated = await scene.client.patch(audience.path, { conditions });
      expect(Object.keys(errorsOf(updated))).toEqual([path]);
      const created = await scene.client.post(collection(), { name: 'Refused', conditions });
      expect(Object.keys(errorsOf(created))).toEqual([path]);
      expect((await scene.client.get(audience.path)).body).toEqual(before);
    });

    const leaves = (count: number): unknown[] => ['or', ...Array.from({ length: count }, () => MOBILE)];
    const levels = (count: number): unknown =>
      Array.from({ length: count - 1 }).reduce((tree: unknown) => ['and', tree], MOBILE);

    it('can have 100 leaves and 10 levels', async () => {
      for (const conditions of [leaves(100), levels(10)]) {
        expect((await scene.client.patch(audience.path, { conditions })).body.conditions).toEqual(conditions);
      }
    });

    it.each([
      ['101 leaves', () => leaves(101)],
      ['11 levels', () => levels(11)],
      ['100 levels', () => levels(100)],
    ])('cannot have %s', async (_, conditions) => {
      const answer = await scene.client.patch(audience.path, { conditions: conditions() });
      expect(Object.keys(errorsOf(answer)).every((path) => path.startsWith('conditions'))).toBe(true);
    });
  });
});
