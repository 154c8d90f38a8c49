import { errorsOf, Made, refusedPaths, useScene } from '../support/scene';

const ATTACHABLE = ['audiences', 'pages', 'goals', 'environments'] as const;

describe.each(ATTACHABLE)('%s of an experiment', (kind) => {
  const scene = useScene();
  let items: Made[];
  let foreign: number;
  let experiment: Made;

  beforeAll(async () => {
    const listed = async (project: string) =>
      (await scene.client.get(`${project}/environments`)).body as Made[];
    if (kind === 'environments') {
      const { EnvironmentsService } =
        await import('../../src/resources/environments/environments.service.js');
      const service = scene.api.app.get(EnvironmentsService, { strict: false });
      for (const name of ['Second', 'Third']) {
        await service.create(scene.world.projectId, { name, code: 'return 1;', is_default: false }, 'admin');
      }
      items = await listed(scene.project);
      foreign = (await scene.other.client.get(`${scene.other.project}/environments`)).body[0].id;
    } else {
      items = [];
      for (const name of ['First', 'Second', 'Third']) {
        items.push(await scene.make.of(kind, { name }));
      }
      foreign = (await scene.other.make.of(kind)).id;
    }
  });

  beforeEach(async () => {
    experiment = await scene.make.experiment({ name: 'Holder', [kind]: [] });
  });

  const shownAs = ({ id, name, api_name, type }: Made): object =>
    kind === 'goals' ? { id, name, api_name, type } : { id, name };
  const put = (value: unknown) => scene.client.put(experiment.path, { [kind]: value });
  const attached = async () => (await scene.client.get(experiment.path)).body[kind];

  it('are shown in the order in which they were attached', async () => {
    const [a, b, c] = items as [Made, Made, Made];
    for (const order of [[c, a, b], [b, c], [a, c, b], []]) {
      const answer = await put(order.map(({ id }) => id));
      expect([answer.status, answer.body[kind]]).toEqual([200, order.map(shownAs)]);
      expect(await attached()).toEqual(order.map(shownAs));
      const listed = (await scene.client.get(`${scene.project}/experiments`)).body;
      expect(listed.find(({ id }: Made) => id === experiment.id)[kind]).toEqual(order.map(shownAs));
    }
    const created = await scene.make.experiment({ [kind]: [c.id, a.id] });
    expect(created[kind]).toEqual([shownAs(c), shownAs(a)]);
  });

  it('can be sent as objects with an id, as the API returns them', async () => {
    const [a, b] = items as [Made, Made];
    expect((await put([{ id: b.id }, shownAs(a)])).body[kind]).toEqual([shownAs(b), shownAs(a)]);
    expect((await put([a.id, { id: b.id, name: 'ignored' }])).body[kind]).toEqual([shownAs(a), shownAs(b)]);
  });

  it('are replaced as a whole, and kept if they are not sent', async () => {
    const [a, b, c] = items.map(({ id }) => id);
    await put([a, b]);
    await put([c]);
    expect((await attached()).map(({ id }: Made) => id)).toEqual([c]);
    await scene.client.put(experiment.path, { name: 'Still the holder' });
    expect((await attached()).map(({ id }: Made) => id)).toEqual([c]);
  });

  it('of another project, or that do not exist, are rejected at their index', async () => {
    const [a, b] = items.map(({ id }) => id);
    await put([a]);
    expect(refusedPaths(await put([b, foreign, a, 2_147_483_647]))).toEqual([`${kind}.1`, `${kind}.3`]);
    expect((await attached()).map(({ id }: Made) => id)).toEqual([a]);
    const created = await scene.client.post(`${scene.project}/experiments`, {
      name: 'No',
      [kind]: [{ id: foreign }],
    });
    expect(refusedPaths(created)).toEqual([`${kind}.0`]);
  });

  it.each([
    ['listed twice', (id: number) => [id, id], ['1']],
    ['listed twice in two forms', (id: number) => [{ id }, id], ['1']],
    ['zero', () => [0], ['0']],
    ['negative', () => [-1], ['0']],
    ['a fraction', () => [1.5], ['0']],
    ['text', (id: number) => [String(id)], ['0']],
    ['null', () => [null], ['0']],
    ['a list', (id: number) => [[id]], ['0']],
    ['out of range', () => [2_147_483_648], ['0']],
    ['an object without an id', () => [{}], ['0']],
    ['an object with a wrong id', () => [{ id: 'a' }], ['0']],
    ['an object with an unknown field', (id: number) => [{ id, position: 1 }], ['0']],
    [
      'text, listed twice, zero, or of another project, all in one list',
      (id: number) => [id, 'x', foreign, id, 0],
      ['1', '2', '3', '4'],
    ],
  ])('are rejected at their index if an entry is %s', async (_, list, indices) => {
    const answer = await put(list(items[0].id));
    const paths = refusedPaths(answer).map((path) => path.split('.').slice(0, 2).join('.'));
    expect(paths).toEqual(indices.map((index) => `${kind}.${index}`));
    expect(await attached()).toEqual([]);
  });

  it('are rejected if an object has unknown fields, each of which is named', async () => {
    const answer = await put([items[0].id, { id: items[1].id, nam: 'x', position: 1 }, { ids: 1 }]);
    expect(errorsOf(answer)).toEqual({
      [`${kind}.1.nam`]: ['The field nam is unknown. Did you mean name?'],
      [`${kind}.1.position`]: ['The field position is unknown.'],
      [`${kind}.2`]: ['Each entry must be an id, or an object with an id.'],
      [`${kind}.2.ids`]: ['The field ids is unknown. Did you mean id?'],
    });
  });

  it.each([
    ['a number', 1],
    ['text', '1'],
    ['an object', { id: 1 }],
    ['true', true],
  ])('must be a list and not %s', async (_, value) => {
    expect(refusedPaths(await put(value))).toEqual([kind]);
  });

  it('are rejected together with all other errors in the request', async () => {
    const answer = await scene.client.put(experiment.path, {
      [kind]: [foreign],
      name: '',
      traffic_allocation: 101,
      trafic_allocation: 1,
      status: 'running',
      js: '((',
      tags: ['a', 'a'],
      api_name: 'A',
    });
    const expected = [
      'api_name',
      'js',
      'name',
      'status',
      'tags.1',
      'traffic_allocation',
      'trafic_allocation',
    ];
    expect(refusedPaths(answer)).toEqual([...expected, `${kind}.0`].sort());
  });

  it('change the experiment, even if only their order changes', async () => {
    const [a, b] = items.map(({ id }) => id);
    const first = (await put([a, b])).body;
    const second = (await put([b, a])).body;
    expect(second.updated_at > first.updated_at).toBe(true);
    const third = (await put([b, a])).body;
    expect(third).toEqual(second);
  });
});

describe('the primary goal', () => {
  const scene = useScene();

  it('is the first attached goal', async () => {
    const [a, b] = [await scene.make.goal({ name: 'A' }), await scene.make.goal({ name: 'B' })];
    const made = await scene.make.experiment({ goals: [b.id, a.id] });
    expect(made.goals[0]).toEqual({ id: b.id, name: 'B', api_name: 'b', type: 'custom' });
  });

  it('shows its new name, api_name and type in the experiment', async () => {
    const goal = await scene.make.goal({ name: 'Old' });
    const made = await scene.make.experiment({ goals: [goal.id] });
    await scene.client.patch(goal.path, { name: 'New', api_name: 'new', type: 'click', selector: 'a' });
    const shown = (await scene.client.get(made.path)).body;
    expect(shown.goals).toEqual([{ id: goal.id, name: 'New', api_name: 'new', type: 'click' }]);
    expect(errorsOf(await scene.client.put(made.path, { goals: [goal.id, 0] }))).toHaveProperty(['goals.1']);
  });
});
