import type { Answer } from '../support/client';
import { pathsOf, WITH_API_NAME } from '../support/resources';
import { anotherProject, errorsOf, KINDS, Made, Maker, useScene } from '../support/scene';

const times = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

const statusesOf = (answers: Answer[]): number[] => answers.map(({ status }) => status).sort();

const scene = useScene();

describe.each(['experiments', ...pathsOf(WITH_API_NAME), 'variations'])(
  'concurrent creation of %s',
  (kind) => {
    let collection: string;

    beforeEach(async () => {
      const make = await anotherProject(scene);
      collection =
        kind === 'variations' ? `${(await make.experiment()).path}/variations` : `${make.project}/${kind}`;
    });

    const create = (body: object) => scene.client.post(collection, body);
    const apiNames = async (): Promise<string[]> =>
      ((await scene.client.get(collection)).body as Made[]).map(({ api_name }) => api_name);

    it('with one api_name: one succeeds, the others get the error that the name is taken', async () => {
      for (let round = 0; round < 5; round += 1) {
        const answers = await times(4, () => create({ name: 'Same', api_name: `same-${round}` }));
        expect(statusesOf(answers)).toEqual([201, 422, 422, 422]);
        for (const answer of answers.filter(({ status }) => status === 422)) {
          expect(Object.keys(errorsOf(answer))).toEqual(['api_name']);
        }
      }
      expect(await apiNames()).toHaveLength(5);
    });

    it('with one name: all records are created, with different api_names', async () => {
      const answers = await times(30, () => create({ name: 'Popular' }));
      expect(new Set(statusesOf(answers))).toEqual(new Set([201]));
      const expected = ['popular', ...Array.from({ length: 29 }, (_, index) => `popular-${index + 2}`)];
      expect((await apiNames()).sort()).toEqual(expected.sort());
    });

    it('with different names: all records are created, each with its own id and row', async () => {
      const answers = await times(30, (index) => create({ name: `Number ${index}` }));
      expect(new Set(statusesOf(answers))).toEqual(new Set([201]));
      const listed = (await scene.client.get(`${collection}?sort=name`)).body as Made[];
      expect(new Set(listed.map(({ id }) => id)).size).toBe(30);
      const shown = new Map(listed.map((item) => [item.id, item]));
      for (const { body } of answers) {
        const { updated_at: _, is_original: _original, ...same } = body;
        expect(shown.get(body.id)).toMatchObject(same);
      }
    });

    it('can be followed by concurrent changes to one api_name, of which exactly one succeeds', async () => {
      const made = await times(4, (index) => scene.make.make(collection, { name: `Number ${index}` }));
      const answers = await Promise.all(
        made.map(({ path }) => scene.client.patch(path, { api_name: 'wanted' })),
      );
      expect(statusesOf(answers)).toEqual([200, 422, 422, 422]);
      expect((await apiNames()).filter((name) => name === 'wanted')).toHaveLength(1);
    });
  },
);

describe('concurrent requests', () => {
  const scene = useScene();
  let make: Maker;

  beforeEach(async () => {
    make = await anotherProject(scene);
  });

  it.each(KINDS)('delete one of the %s once', async (kind) => {
    for (let round = 0; round < 5; round += 1) {
      const { path } = await make.of(kind);
      expect(statusesOf(await times(4, () => scene.client.delete(path)))).toEqual([204, 404, 404, 404]);
    }
  });

  it('delete a project once', async () => {
    expect(statusesOf(await times(4, () => scene.client.delete(make.project)))).toEqual([204, 404, 404, 404]);
  });

  it.each(['audiences', 'pages', 'goals'] as const)(
    'that attach and delete one of the %s leave it deleted and not attached to any experiment',
    async (kind) => {
      for (let round = 0; round < 10; round += 1) {
        const item = await make.of(kind);
        const experiment = await make.experiment();
        const [attached, created, deleted] = await Promise.all([
          scene.client.patch(experiment.path, { [kind]: [item.id] }),
          scene.client.post(`${make.project}/experiments`, { name: 'Holder', [kind]: [item.id] }),
          scene.client.delete(item.path),
        ]);
        expect([200, 422]).toContain(attached.status);
        expect([201, 422]).toContain(created.status);
        expect(deleted.status).toBe(204);
        expect((await scene.client.get(experiment.path)).body[kind]).toEqual([]);
        if (created.status === 201) {
          const shown = await scene.client.get(`${make.project}/experiments/${created.body.id}`);
          expect(shown.body[kind]).toEqual([]);
        }
      }
    },
  );

  it('that delete a page and start an experiment with it never leave the experiment running without a page', async () => {
    for (let round = 0; round < 15; round += 1) {
      const experiment = await make.ready();
      const [started, deleted] = await Promise.all([
        scene.client.patch(`${experiment.path}/status`, { status: 'running' }),
        scene.client.delete(`${make.project}/pages/${experiment.pages[0].id}`),
      ]);
      const { status, pages } = (await scene.client.get(experiment.path)).body;
      const [runs, isGone] = [started.status === 200, deleted.status === 204];
      expect([runs, isGone]).toContain(true);
      expect(isGone).toBe(!runs);
      expect([status, pages.length]).toEqual(runs ? ['running', 1] : ['draft', 0]);
    }
  });

  it('that detach pages and goals, delete variations and start the experiment never leave it running without them', async () => {
    for (let round = 0; round < 10; round += 1) {
      const experiment = await make.ready();
      const [, original] = [...experiment.variations].reverse();
      const answers = await Promise.all([
        scene.client.patch(experiment.path, { pages: [] }),
        scene.client.patch(`${experiment.path}/status`, { status: 'running' }),
        scene.client.patch(experiment.path, { goals: [] }),
        scene.client.delete(`${experiment.path}/variations/${experiment.variations[1].id}`),
        scene.client.delete(`${experiment.path}/variations/${original.id}`),
      ]);
      expect(answers.every(({ status }) => [200, 204, 422].includes(status))).toBe(true);
      const { status, pages, goals, variations } = (await scene.client.get(experiment.path)).body;
      const isReady = pages.length > 0 && goals.length > 0 && variations.length > 0;
      expect([status, isReady]).toEqual(status === 'running' ? ['running', true] : ['draft', isReady]);
    }
  });

  it('that delete a page and create a goal that counts its views leave no goal without a page', async () => {
    for (let round = 0; round < 15; round += 1) {
      const page = await make.page();
      const [created, deleted] = await Promise.all([
        scene.client.post(`${make.project}/goals`, { name: 'Views', type: 'pageview', page_id: page.id }),
        scene.client.delete(page.path),
      ]);
      expect([201, 422]).toContain(created.status);
      expect([204, 422]).toContain(deleted.status);
      const isThere = (await scene.client.get(page.path)).status === 200;
      expect([created.status === 201, isThere]).toEqual([isThere, isThere]);
    }
  });

  it('that create variations with traffic shares never make their sum exceed 100', async () => {
    const experiment = await make.experiment();
    const answers = await times(8, (index) =>
      scene.client.post(`${experiment.path}/variations`, { name: `V${index}`, traffic_allocation: 30 }),
    );
    expect(statusesOf(answers)).toEqual([201, 201, 201, 422, 422, 422, 422, 422]);
  });

  it('that make different variations the original leave exactly one original', async () => {
    const experiment = await make.experiment({ variations: ['A', 'B', 'C', 'D'].map((name) => ({ name })) });
    const paths = experiment.variations.map(({ id }: Made) => `${experiment.path}/variations/${id}`);
    await Promise.all(paths.map((path: string) => scene.client.patch(path, { is_original: true })));
    const created = await times(4, () =>
      scene.client.post(`${experiment.path}/variations`, { name: 'New', is_original: true }),
    );
    expect(statusesOf(created)).toEqual([201, 201, 201, 201]);
    const { variations } = (await scene.client.get(experiment.path)).body;
    expect(variations.filter(({ is_original }: Made) => is_original)).toHaveLength(1);
  });

  it('that clone an experiment give each clone a unique name and api_name', async () => {
    const experiment = await make.ready({ name: 'Source' });
    const clones = await times(8, () => scene.client.post(`${experiment.path}/clone`));
    expect(new Set(statusesOf(clones))).toEqual(new Set([201]));
    expect(new Set(clones.map(({ body }) => body.api_name)).size).toBe(8);
    expect(new Set(clones.map(({ body }) => body.name)).size).toBe(8);
  });

  it('that change different fields of an experiment lose no change', async () => {
    const experiment = await make.ready();
    const changes = {
      name: 'New',
      description: 'd',
      tags: ['t'],
      traffic_allocation: 5,
      js: 'f()',
      css: 'a {}',
    };
    const answers = await Promise.all(
      Object.entries(changes).map(([field, value]) =>
        scene.client.patch(experiment.path, { [field]: value }),
      ),
    );
    expect(new Set(statusesOf(answers))).toEqual(new Set([200]));
    expect((await scene.client.get(experiment.path)).body).toMatchObject(changes);
  });

  it('that delete a project and start one of its experiments leave nothing running in the trash', async () => {
    for (let round = 0; round < 5; round += 1) {
      const project = await anotherProject(scene);
      const experiment = await project.ready();
      const [started, deleted] = await Promise.all([
        scene.client.patch(`${experiment.path}/status`, { status: 'running' }),
        scene.client.delete(project.project),
      ]);
      expect([
        [200, 422],
        [404, 204],
      ]).toContainEqual([started.status, deleted.status]);
    }
  });
});
