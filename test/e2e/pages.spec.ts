import { errorsOf, Made, TIMESTAMP, useScene } from '../support/scene';

const SALE = { match: 'contains', value: '/sale', negate: false };

describe('pages', () => {
  const scene = useScene();
  const collection = (): string => `${scene.project}/pages`;

  it('have every field of the API contract, with default values when new', async () => {
    const answer = await scene.client.post(collection(), { name: 'Every page' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(Number),
      project_id: scene.world.projectId,
      name: 'Every page',
      api_name: 'every-page',
      description: null,
      conditions: [],
      activation: 'immediate',
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
      const made = await scene.make.page({ description: 'Before', conditions: [SALE] });
      const before = (await scene.client.get(made.path)).body;
      const answer = await scene.client[method](made.path, { activation: 'manual' });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        ...before,
        activation: 'manual',
        updated_at: expect.stringMatching(TIMESTAMP),
      });
      expect(answer.body.updated_at > before.updated_at).toBe(true);
      expect((await scene.client.get(made.path)).body).toEqual(answer.body);
    },
  );

  it('are deleted once, with 204 and no body, and their api_name becomes available', async () => {
    const made = await scene.make.page({ name: 'Gone', api_name: 'gone' });
    const answer = await scene.client.delete(made.path);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await scene.client.get(made.path)).status).toBe(404);
    expect((await scene.client.delete(made.path)).status).toBe(404);
    expect((await scene.make.page({ name: 'Gone' })).api_name).toBe('gone');
  });

  it.each(['immediate', 'manual', 'dom_change', 'url_change'])(
    'can have the activation %s',
    async (activation) => {
      const made = await scene.make.page({ activation });
      expect(made.activation).toBe(activation);
      expect((await scene.client.get(made.path)).body.activation).toBe(activation);
    },
  );

  it.each(['scroll', '', 'Manual', null, 1])('cannot have the activation %j', async (activation) => {
    const answer = await scene.client.post(collection(), { name: 'Refused', activation });
    expect(Object.keys(errorsOf(answer))).toEqual(['activation']);
  });

  describe('conditions', () => {
    let page: Made;
    beforeAll(async () => {
      page = await scene.make.page({ name: 'Conditions' });
    });

    it.each(['simple', 'exact', 'contains', 'starts_with', 'ends_with', 'regex'])(
      'can have the match type %s',
      async (match) => {
        const conditions = [
          { match, value: '/sale', negate: false },
          { match, value: '/sale/old', negate: true },
        ];
        const answer = await scene.client.patch(page.path, { conditions });
        expect([answer.status, answer.body.conditions]).toEqual([200, conditions]);
        expect((await scene.client.get(page.path)).body.conditions).toEqual(conditions);
      },
    );

    it('are not negated by default', async () => {
      const { conditions } = await scene.make.page({ conditions: [{ match: 'exact', value: '/a' }] });
      expect(conditions).toEqual([{ match: 'exact', value: '/a', negate: false }]);
    });

    it('are cleared by null and by an empty list', async () => {
      for (const conditions of [null, []]) {
        await scene.client.patch(page.path, { conditions: [SALE] });
        const answer = await scene.client.patch(page.path, { conditions });
        expect([answer.status, answer.body.conditions]).toEqual([200, []]);
      }
    });

    it('are limited to 100', async () => {
      const hundred = Array.from({ length: 100 }, (_, index) => ({ ...SALE, value: `/sale/${index}` }));
      const answer = await scene.client.patch(page.path, { conditions: hundred });
      expect([answer.status, answer.body.conditions]).toEqual([200, hundred]);
      const refused = await scene.client.patch(page.path, { conditions: [...hundred, SALE] });
      expect(Object.keys(errorsOf(refused))).toEqual(['conditions']);
    });

    it.each([
      [
        'an unknown match type, and the error has its path',
        [SALE, { ...SALE, match: 'near' }],
        ['conditions.1.match'],
      ],
      ['no value', [{ match: 'exact' }], ['conditions.0.value']],
      ['a value that is not a string', [{ ...SALE, value: 5 }], ['conditions.0.value']],
      ['a negation that is not a boolean', [{ ...SALE, negate: 'no' }], ['conditions.0.negate']],
      ['an unknown field', [{ ...SALE, negated: true }], ['conditions.0.negated']],
      ['a field named constructor', [{ ...SALE, constructor: 1 }], ['conditions.0.constructor']],
      ['a pattern that does not compile', [{ ...SALE, match: 'regex', value: '(' }], ['conditions.0.value']],
      [
        'a pattern that only browsers support',
        [{ ...SALE, match: 'regex', value: '^(?!/admin)' }],
        ['conditions.0.value'],
      ],
      ['a lone surrogate', [{ ...SALE, value: '\ud800' }], ['conditions.0.value']],
      ['a string instead of a condition', [SALE, '/sale'], ['conditions.1']],
      ['an object instead of the list', SALE, ['conditions']],
      [
        'several errors, reported together',
        [{ ...SALE, match: 'near' }, SALE, { value: 7, negate: 1 }],
        ['conditions.0.match', 'conditions.2.negate', 'conditions.2.value'],
      ],
    ])('are rejected with %s', async (_, conditions, paths) => {
      const before = (await scene.client.get(page.path)).body;
      const errors = errorsOf(await scene.client.patch(page.path, { conditions }));
      expect(Object.keys(errors).sort()).toEqual(paths);
      const created = await scene.client.post(collection(), { name: 'Refused', conditions });
      expect(Object.keys(errorsOf(created)).sort()).toEqual(paths);
      expect((await scene.client.get(page.path)).body).toEqual(before);
    });
  });
});
