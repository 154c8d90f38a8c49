import { changeOf } from '../support/resources';
import { anotherProject, errorsOf, KINDS, Made, Maker, useScene } from '../support/scene';

const NEAR = [
  'and',
  { type: 'device', value: 'mobile' },
  ['not', { type: 'cookie', name: 'a', match: 'exists' }],
];

/** Creates a record of the kind, or the project itself. */
async function madeIn(make: Maker, kind: string): Promise<Made> {
  if (kind === 'projects') {
    return { id: make.projectId, path: make.project };
  }
  return kind === 'variations' ? make.variation(await make.experiment()) : make.of(kind);
}

describe('the body of a GET, sent back with PUT', () => {
  const scene = useScene();
  let make: Maker;
  let rich: Record<string, Made>;

  beforeAll(async () => {
    make = await anotherProject(scene, 'Round trip');
    const audience = await make.audience({ name: '  Audience ', description: ' d ', conditions: NEAR });
    const page = await make.page({ conditions: [{ match: 'exact', value: '/a' }], activation: 'manual' });
    const goal = await make.goal({ type: 'pageview', page_id: page.id, direction: 'decrease' });
    const second = await make.goal({ name: 'Second', value_type: 'revenue' });
    const experiments = await make.experiment({
      description: '',
      example_url: ' https://a.example.com/?x=1#y ',
      traffic_allocation: 33.33,
      audiences_match_type: 'all',
      tags: [' b ', 'A'],
      js: ' f() ',
      css: '\na {}\n',
      audiences: [audience.id],
      pages: [page.id],
      goals: [second.id, goal.id],
      variations: [
        { name: 'A', traffic_allocation: 33.34 },
        { name: 'B', is_original: true, js: 'g()' },
      ],
    });
    const [variation] = experiments.variations as Made[];
    rich = {
      experiments,
      audiences: audience,
      pages: page,
      goals: goal,
      variations: { ...variation, path: `${experiments.path}/variations/${variation.id}` },
      projects: { id: 0, path: make.project },
    };
  });

  /** Asserts that `body` changes neither the record and its ETag nor the list of experiments and its ETag. */
  async function changesNothing(path: string, body: unknown): Promise<void> {
    const before = await scene.client.get(path);
    const list = await scene.client.get(`${make.project}/experiments`);
    for (const method of ['put', 'patch'] as const) {
      const answer = await scene.client[method](path, body);
      expect([answer.status, answer.body]).toEqual([200, before.body]);
      expect(answer.headers.etag).toBe(before.headers.etag);
    }
    const after = await scene.client.get(path);
    expect([after.body, after.headers.etag]).toEqual([before.body, before.headers.etag]);
    const listAfter = await scene.client.get(`${make.project}/experiments`);
    expect([listAfter.body, listAfter.headers.etag]).toEqual([list.body, list.headers.etag]);
  }

  it.each([...KINDS, 'variations', 'projects'])('changes nothing in a record: %s', async (kind) => {
    const { path } = rich[kind] ?? (await make.of(kind));
    await changesNothing(path, (await scene.client.get(path)).body);
  });

  it.each([...KINDS, 'variations'])('comes with the ETag of the last write: %s', async (kind) => {
    const parent = await make.experiment();
    const collection = kind === 'variations' ? `${parent.path}/variations` : `${make.project}/${kind}`;
    const created = await scene.client.post(collection, { name: `Tagged ${kind}` });
    const path = `${collection}/${created.body.id}`;
    expect((await scene.client.get(path)).headers.etag).toBe(created.headers.etag);
    const updated = await scene.client.patch(path, changeOf(kind));
    expect(updated.headers.etag).not.toBe(created.headers.etag);
    const shown = await scene.client.get(path);
    expect([shown.headers.etag, shown.body]).toEqual([updated.headers.etag, updated.body]);
  });

  it.each(KINDS)('changes nothing in a new record: %s', async (kind) => {
    const { path } = await make.of(kind, { name: `Plain ${kind}` });
    await changesNothing(path, (await scene.client.get(path)).body);
  });

  it.each(KINDS)('changes nothing if it comes from the list of %s', async (kind) => {
    const entries = (await scene.client.get(`${make.project}/${kind}`)).body as Made[];
    for (const entry of entries) {
      await changesNothing(`${make.project}/${kind}/${entry.id}`, entry);
    }
  });

  it.each(['variations=lite', 'fields=id,name,status,variations,goals', 'variations=lite&fields=variations'])(
    'changes nothing if it comes from the list of experiments with %s',
    async (query) => {
      const entries = (await scene.client.get(`${make.project}/experiments?${query}&search=experiment`))
        .body as Made[];
      await changesNothing(rich.experiments.path, entries[0]);
    },
  );

  it.each(['preview', 'running', 'pause'])(
    'changes nothing in an experiment in the status %s',
    async (status) => {
      const { path } = await make.withStatus(status);
      await changesNothing(path, (await scene.client.get(path)).body);
    },
  );

  it.each(['', '?fields=id,name,status,goals', '?variations=lite&fields=variations'])(
    'changes nothing in an archived experiment, read with "%s"',
    async (query) => {
      const { path } = await make.withStatus('archive');
      await changesNothing(path, (await scene.client.get(`${path}${query}`)).body);
    },
  );

  it('changes nothing in a variation, whatever the experiment status', async () => {
    for (const status of ['draft', 'preview', 'running', 'pause', 'archive']) {
      const { path: experiment } = await make.withStatus(status);
      const [{ id }] = (await scene.client.get(`${experiment}/variations`)).body;
      const path = `${experiment}/variations/${id}`;
      await changesNothing(path, (await scene.client.get(path)).body);
    }
  });

  it.each([
    ['if it is replaced by an empty object', '{}'],
    ['if it is left out', undefined],
    ['with its keys in another order', '{"tags": ["b", "A"], "name": "Experiment"}'],
    ['with numbers in another notation', '{"traffic_allocation": 3333e-2}'],
    ['with spaces that are trimmed', '{"name": "  Experiment ", "tags": ["b ", " A"]}'],
  ])('changes nothing %s', async (_, body) => {
    await changesNothing(rich.experiments.path, body);
  });

  it.each([
    ['experiments', '{"traffic_allocation": -0}'],
    ['projects', '{"min_conversions": -0.0}'],
    ['variations', '{"traffic_allocation": -0}'],
  ])('changes nothing in %s with a negative zero instead of a zero', async (kind, body) => {
    const { path } = kind === 'projects' ? rich.projects : await make.ready();
    const target =
      kind === 'variations'
        ? `${path}/variations/${(await scene.client.get(path)).body.variations[0].id}`
        : path;
    const zero = await scene.client.put(target, body.replace('-', ''));
    expect(zero.status).toBe(200);
    await changesNothing(target, body);
  });

  it.each<[string, string, unknown, unknown]>([
    ['audiences', 'conditions', { type: 'url', match: 'regex', value: '^(?!a)' }, { type: 'x' }],
    ['pages', 'conditions', [{ match: 'regex', value: '(a)\\1', negate: false }], [{ match: 'x' }]],
    ['experiments', 'js', '}', ')'],
    ['variations', 'js', '}', ')'],
    ['projects', 'name', '\u200b', '\u2060'],
  ])(
    'changes nothing in %s with a value of %s that only an earlier release accepted',
    async (kind, field, stored, refused) => {
      const old = await anotherProject(scene, 'Earlier release');
      const { id, path } = await madeIn(old, kind);
      await scene.api.database.transaction((tx) =>
        tx.query(`UPDATE ${kind} SET ${field} = ? WHERE id = ?`, [
          typeof stored === 'object' ? JSON.stringify(stored) : stored,
          id,
        ]),
      );
      const { body } = await scene.client.get(path);
      expect(body[field]).toEqual(stored);
      await changesNothing(path, body);
      const edit = { description: 'Edited' };
      const edited = await scene.client.put(path, { ...body, ...edit });
      expect(edited.body).toEqual({ ...body, ...edit, updated_at: expect.any(String) });
      const errors = errorsOf(await scene.client.put(path, { ...edited.body, [field]: refused }));
      expect(Object.keys(errors).join()).toMatch(new RegExp(`^${field}`));
    },
  );

  it.each([...KINDS, 'projects'])(
    'is rejected with an unknown field, whatever its name: %s',
    async (kind) => {
      const { path } = await madeIn(make, kind);
      const { body } = await scene.client.get(path);
      const errors = errorsOf(
        await scene.client.put(path, { ...body, 'name.first': 'A', description: 'New' }),
      );
      expect(Object.keys(errors)).toEqual(['name.first']);
    },
  );

  it('is rejected if a read-only field has since changed, and the error names the field', async () => {
    const { path } = await make.ready();
    const { body } = await scene.client.get(path);
    await scene.client.patch(`${path}/variations/${body.variations[1].id}`, { name: 'Meanwhile' });
    const errors = errorsOf(await scene.client.put(path, body));
    expect(Object.keys(errors).sort()).toEqual(['updated_at', 'variations']);
  });

  it('changes only the fields that were edited', async () => {
    const { path } = await make.ready();
    const { body } = await scene.client.get(path);
    const answer = await scene.client.put(path, { ...body, name: 'New name', goals: [] });
    expect(answer.body).toEqual({ ...body, name: 'New name', goals: [], updated_at: expect.any(String) });
  });
});
