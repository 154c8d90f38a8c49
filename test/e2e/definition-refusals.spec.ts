import { DefinitionStage, fill } from '../support/definition';
import { behindAnotherWrite } from '../support/lock';
import { errorsOf, useScene } from '../support/scene';
import { subscribe } from '../support/webhooks';

/* eslint-disable @typescript-eslint/no-explicit-any -- tests change documents in any way */

describe('the definition of a project', () => {
  const scene = useScene();
  const stage = new DefinitionStage(scene);
  beforeEach(() => stage.begin());

  describe('is applied with If-Match', () => {
    it('only if the definition has not changed', async () => {
      await fill(stage.make);
      const { headers, body } = await stage.exported();
      await stage.make.goal({ name: 'In between' });
      const late = await stage.put({ ...(body as object) }, '?prune=1', { 'if-match': headers.etag });
      expect(late.status).toBe(412);
      expect((await stage.show()).goals).toHaveLength(3);
      const fresh = (await stage.exported()).headers.etag;
      const answer = await stage.put(body, '?prune=1', { 'if-match': fresh });
      expect([answer.status, answer.headers.etag]).toEqual([200, (await stage.exported()).headers.etag]);
      expect((await scene.client.get(stage.path, { 'if-none-match': `${answer.headers.etag}` })).status).toBe(
        304,
      );
    });

    it('after writes in the project that the definition does not show', async () => {
      const url = 'https://hooks.example.com/token';
      const hook = await subscribe(stage.make, ['experiment.started'], { url, is_active: false });
      const before = await stage.exported();
      expect((await scene.client.post(`${hook.path}/rotate`)).status).toBe(200);
      expect((await scene.client.delete(hook.path)).status).toBe(204);
      expect((await stage.exported()).headers.etag).toBe(before.headers.etag);
      const answer = await stage.put(before.body, '', { 'if-match': before.headers.etag });
      expect([answer.status, answer.body]).toEqual([200, { changes: [] }]);
    });

    it.each(['', '?prune=x'])('and is otherwise rejected before it is validated, as is %j', async (query) => {
      const stale = await stage.put({ nope: 1 }, query, { 'if-match': '"stale-1.1"' });
      expect(stale.status).toBe(412);
    });

    it('by exactly one of 50 concurrent requests, in each round', async () => {
      await fill(stage.make);
      for (const round of [1, 2, 3]) {
        const { headers, body } = await stage.exported();
        const answers = await Promise.all(
          Array.from({ length: 50 }, (_, index) => {
            const description = `Round ${round}, ${index}`;
            return stage.put({ ...body, project: { description } }, '', { 'if-match': headers.etag });
          }),
        );
        const won = answers.findIndex(({ status }) => status === 200);
        expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(49).fill(412)]);
        expect((await stage.show()).project.description).toBe(`Round ${round}, ${won}`);
      }
    });
  });

  describe('is applied with If-Match, which is checked while the project is locked,', () => {
    it('but not after a change that was committed in the meantime', async () => {
      await fill(stage.make);
      const { headers, body } = await stage.exported();
      const projectId = stage.make.projectId;
      const change = { ...body, project: { description: 'Too late' } };
      const answer = await behindAnotherWrite(
        scene.api,
        projectId,
        async (tx) => {
          await tx.query("UPDATE projects SET description = 'Meanwhile' WHERE id = ?", [projectId]);
          await tx.query('UPDATE project_versions SET version = version + 1 WHERE project_id = ?', [
            projectId,
          ]);
        },
        () => stage.put(change, '', { 'if-match': headers.etag }),
      );
      expect(answer.status).toBe(412);
      expect((await stage.show()).project.description).toBe('Meanwhile');
    });

    it('by exactly one of 50 requests to two servers, in each round', async () => {
      await fill(stage.make);
      const other = await scene.api.sibling();
      const clients = [scene.client, other.as(scene.world.people.admin.token)];
      for (const round of [1, 2, 3]) {
        const { headers, body } = await stage.exported();
        const ifMatch = { 'if-match': String(headers.etag) };
        const answers = await Promise.all(
          Array.from({ length: 50 }, (_, index) => {
            const description = `Round ${round}, ${index}`;
            return clients[index % 2].put(stage.path, { ...body, project: { description } }, ifMatch);
          }),
        );
        const won = answers.findIndex(({ status }) => status === 200);
        expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(49).fill(412)]);
        expect((await stage.show()).project.description).toBe(`Round ${round}, ${won}`);
      }
      await other.close();
    });
  });

  describe('is rejected as a whole', () => {
    const refused = async (
      edit: (document: any) => unknown,
      query = '',
    ): Promise<Record<string, string[]>> => {
      const before = await stage.exported();
      const document = before.body;
      const sent = edit(document);
      const answer = await stage.put(sent ?? document, query);
      const errors = errorsOf(answer);
      expect((await stage.exported()).text).toBe(before.text);
      return errors;
    };

    it('with all errors and their paths in the document', async () => {
      await fill(stage.make);
      const errors = await refused((document) => {
        document.goals[1].value_cap = -1;
        document.goals[0].page = 'nowhere';
        document.pages.push({ api_name: 'new' }, { api_name: 'fine', name: 'Fine' });
        document.experiments[0].variations[0].name = '';
        document.experiments[0].js = 'if (';
        document.experiments.push({ api_name: 'uses', name: 'Uses', pages: ['fine', 'new'] });
        document.settings.currency = 'EURO';
        return undefined;
      });
      expect(Object.keys(errors).sort()).toEqual([
        'experiments.0.js',
        'experiments.0.variations.0.name',
        'goals.0.page',
        'goals.1.value_cap',
        'pages.1.name',
        'settings.currency',
      ]);
      expect(errors['goals.0.page']).toEqual(['Neither the project nor the document has the page nowhere.']);
    });

    it.each<[string, unknown, string[]]>([
      ['not an object', [], ['body']],
      ['of another version', { version: 2 }, ['version']],
      ['with an unknown part', { goal: [] }, ['goal']],
      ['with prototype names', JSON.parse('{"__proto__":{},"constructor":[],"toString":1}'), ['__proto__', 'constructor', 'toString']],
      ['with null for a list', { goals: null, pages: {} }, ['goals', 'pages']],
      ['with entries that are not objects', { goals: [null, 1, []] }, ['goals.0', 'goals.1', 'goals.2']],
      ['without api_names', { goals: [{ name: 'A' }, { api_name: null }, { api_name: 'A B' }] }, ['goals.0.api_name', 'goals.1.api_name', 'goals.2.api_name']],
      ['with a duplicate api_name', { goals: [{ api_name: 'a', name: 'A' }, { api_name: 'a', name: 'B' }] }, ['goals.1.api_name']],
      ['with an unknown status', { experiments: [{ api_name: 'a', name: 'A', status: 'live' }] }, ['experiments.0.status']],
      ['with ids', { goals: [{ api_name: 'a', name: 'A', id: 1, page_id: 1 }] }, ['goals.0.id', 'goals.0.page_id']],
      ['with prototype names in an item', { goals: [JSON.parse('{"api_name":"a","name":"A","__proto__":1}')] }, ['goals.0.__proto__']],
      ['with references that are not api_names', { experiments: [{ api_name: 'a', name: 'A', goals: [1, null, '__proto__'], pages: 'x' }] }, ['experiments.0.goals.0', 'experiments.0.goals.1', 'experiments.0.goals.2', 'experiments.0.pages']],
      ['with duplicate variations', { experiments: [{ api_name: 'a', name: 'A', variations: [{ api_name: 'v', name: 'V' }, { api_name: 'v', name: 'V' }] }] }, ['experiments.0.variations.1.api_name']],
      ['with null for settings', { settings: null, project: [] }, ['project', 'settings']],
      ['with two default environments', { environments: [{ api_name: 'a', name: 'A', is_default: true }, { api_name: 'b', name: 'B', is_default: true }] }, ['environments.1.is_default']],
      ['with two originals of an existing experiment', { experiments: [{ api_name: 'existing', variations: [{ api_name: 'a', is_original: true }, { api_name: 'b', is_original: true }] }] }, ['experiments.0.variations.1.is_original']],
      ['without a default environment', { environments: [{ api_name: 'production', is_default: false }] }, ['environments.0.is_default']],
      ['with environments that are rejected', { environments: [{ api_name: 'staging', name: 'Production' }, { api_name: 'production', code: 'return (' }] }, ['environments.0.name', 'environments.1.code']],
    ])('%s', async (_, body, paths) => {
      const variations = [{ name: 'A', api_name: 'a' }, { name: 'B', api_name: 'b' }];
      await stage.make.experiment({ api_name: 'existing', variations });
      expect(Object.keys(await refused(() => body)).sort()).toEqual(paths);
    }); // prettier-ignore

    it('with all errors in an invalid structure and in its fields', async () => {
      const errors = await refused(() => ({
        goal: [],
        project: { significance: 0.95, nmae: 'Shop' },
        settings: { currency: 'EURO' },
        goals: [
          { api_name: 'A B', name: '', colour: 1 },
          { api_name: 'fine', value_cap: -1 },
        ],
        environments: [{ api_name: 'staging', code: 'return (' }],
        experiments: [{ api_name: 'a', js: 'if (', variations: [{ api_name: 'V', css: '}', color: 1 }, 1] }],
      }));
      expect(Object.keys(errors).sort()).toEqual([
        'environments.0.code',
        'experiments.0.js',
        'experiments.0.variations.0.api_name',
        'experiments.0.variations.0.color',
        'experiments.0.variations.0.css',
        'experiments.0.variations.1',
        'goal',
        'goals.0.api_name',
        'goals.0.colour',
        'goals.0.name',
        'goals.1.value_cap',
        'project.nmae',
        'project.significance',
        'settings.currency',
      ]);
      expect(Object.values(errors).every((messages) => messages.length === 1)).toBe(true);
    });

    it('with an invalid structure, and then neither lists that are too long nor more than 1,000 objects are checked', async () => {
      const many = (count: number, entry: (index: number) => object): object[] =>
        Array.from({ length: count }, (_, index) => ({ api_name: `a${index}`, ...entry(index) }));
      const variations = many(101, () => ({ name: 1 }));
      const long = await refused(() => ({ experiments: [{ api_name: 'a', variations }] }));
      expect(Object.keys(long)).toEqual(['experiments.0.variations']);
      const goals = many(1_000, (index) => (index % 999 === 0 ? { name: 1 } : {}));
      const large = await refused(() => ({ goal: [], goals }));
      expect(Object.keys(large).sort()).toEqual(['goal', 'goals.0.name']);
    });

    it('if it is nested too deeply', async () => {
      const deep = `{"audiences":[{"api_name":"a","conditions":${'['.repeat(5_000)}${']'.repeat(5_000)}}]}`;
      expect(Object.keys(await refused(() => deep))).toEqual(['body']);
    });

    it('if it would delete a goal that is in use', async () => {
      const { experiment } = await fill(stage.make);
      await stage.make.move(experiment, 'running');
      const errors = await refused((document) => {
        document.experiments = undefined;
        document.goals = [];
      }, '?prune=1');
      expect(errors.goals).toEqual([
        expect.stringMatching(/^cart-viewed: The goal is used by running/),
        expect.stringMatching(/^order-placed: The goal is used by running/),
      ]);
    });

    it('if a status change is not allowed or an experiment is not ready', async () => {
      const errors = await refused(
        () => ({
          experiments: [
            { api_name: 'a', name: 'A', status: 'pause' },
            { api_name: 'b', name: 'B', status: 'running' },
          ],
        }),
        '?status=1',
      );
      expect(Object.keys(errors).sort()).toEqual([
        'experiments.0.status',
        'experiments.1.goals',
        'experiments.1.pages',
        'experiments.1.variations',
      ]);
    });

    it('if it is larger than 16 MiB, but not if it is larger than 1 MiB', async () => {
      const js = `/* ${'x'.repeat(250_000)} */`;
      const experiments = Array.from({ length: 8 }, (_, index) => ({
        api_name: `e-${index}`,
        name: 'E',
        js,
      }));
      expect(await stage.changesOf({ experiments })).toHaveLength(8);
      expect((await stage.put({ experiments: [{ api_name: 'x', js: 'x'.repeat(17_000_000) }] })).status).toBe(
        413,
      );
    });

    it('with errors that name the fields of the document, once per mistake', async () => {
      const pageview = { api_name: 'seen', name: 'Seen', type: 'pageview' };
      expect(errorsOf(await stage.put({ goals: [pageview] }))).toEqual({
        'goals.0.page': ['The page field is required for pageview goals.'],
      });
      expect(errorsOf(await stage.put({ goals: [{ ...pageview, page: 'nowhere' }] }))).toEqual({
        'goals.0.page': ['Neither the project nor the document has the page nowhere.'],
      });
    });

    it('with invalid boolean parameters', async () => {
      expect(errorsOf(await stage.put({}, '?prune=yes'))).toEqual({
        prune: ['The prune parameter must be 1, true, 0 or false.'],
      });
      const all = await stage.put({ goals: {} }, '?prune=yes&status=1&status=0');
      expect(Object.keys(errorsOf(all))).toEqual(['prune', 'status', 'goals']);
    });
  });

  describe('requires the permissions for its changes:', () => {
    const asRole = (role: 'viewer' | 'editor' | 'publisher', body: object, query = '') =>
      scene.world.people[role].client.put(`${stage.path}${query}`, body);

    it('editors can change definitions, publishers can also change settings and live experiments', async () => {
      await fill(stage.make);
      const document = await stage.show();
      document.goals[0].name = 'By an editor';
      expect((await asRole('viewer', document)).status).toBe(403);
      expect((await asRole('editor', document)).status).toBe(200);
      const settings = { settings: { currency: 'USD' }, goals: [{ api_name: 'new', name: 'New' }] };
      const refused = await asRole('editor', settings);
      expect([refused.status, refused.body]).toEqual([
        403,
        expect.objectContaining({ permission: 'project:settings' }),
      ]);
      const start = { experiments: [{ api_name: 'green-button', status: 'running' }] };
      expect((await asRole('editor', start)).status).toBe(200);
      const moved = await asRole('editor', start, '?status=1');
      expect([moved.status, moved.body]).toEqual([
        403,
        expect.objectContaining({ permission: 'experiments:run' }),
      ]);
      expect((await stage.show()).experiments[0].status).toBe('draft');
      expect((await asRole('publisher', { ...settings, ...start }, '?status=1')).status).toBe(200);
      const staging = { environments: [{ api_name: 'staging', name: 'Staging' }] };
      for (const [body, query] of [
        [staging, ''],
        [{ environments: [{ api_name: 'production', code: 'return 1;' }] }, ''],
      ] as const) {
        expect((await asRole('publisher', body, query)).body).toMatchObject({
          code: expect.any(String),
          permission: 'environments:manage',
        });
      }
      expect((await stage.show()).environments).toMatchObject([{ api_name: 'production' }]);
      const same = { environments: (await stage.show()).environments };
      expect((await asRole('editor', same, '?prune=1')).status).toBe(200);
      await stage.changesOf(staging);
      expect((await asRole('publisher', same, '?prune=1')).status).toBe(403);
      const removed = await asRole('editor', { experiments: [] }, '?prune=1');
      expect([removed.status, (await stage.show()).experiments.length]).toEqual([403, 1]);
    });
  });
});
