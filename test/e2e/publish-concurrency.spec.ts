import { PublicationBuilder } from '../../src/publishing/publication-builder';
import { TestApi } from '../support/api';
import { anotherProject, Made, Maker, useScene } from '../support/scene';

/* A publication is built before the transaction that stores it. Concurrent writes are never lost. */

const scene = useScene();

let make: Maker;

beforeEach(async () => {
  make = await anotherProject(scene);
});

afterEach(() => jest.restoreAllMocks());

const builderOf = ({ app }: TestApi): PublicationBuilder => app.get(PublicationBuilder, { strict: false });

/** Calls `act` after each build of a publication, before the transaction. `count` is the number of builds so far. */
function afterBuild(act: (count: number) => Promise<unknown>): jest.SpyInstance {
  const builder = builderOf(scene.api);
  const build = builder.build.bind(builder);
  let count = 0;
  return jest.spyOn(builder, 'build').mockImplementation(async (...parameters) => {
    const built = await build(...parameters);
    count += 1;
    await act(count);
    return built;
  });
}

const start = (experiment: Made) => scene.client.patch(`${experiment.path}/status`, { status: 'running' });
const publish = (experiment: Made) => scene.client.patch(`${experiment.path}/publish`);

async function edit(experiment: Made, fields: object): Promise<void> {
  expect((await scene.client.patch(experiment.path, fields)).status).toBe(200);
}

async function live(): Promise<{ revision: number; features: string[]; script: string }> {
  const { client_key, snippet_revision } = (await scene.client.get(make.project)).body as Made;
  const script = await scene.client.get(`//s/${client_key}.js`);
  const payload = await scene.client.get(`//api/features/${client_key}`);
  expect(Number(script.headers['x-snippet-revision'])).toBe(snippet_revision);
  const { features } = payload.body as { features: object };
  return { revision: snippet_revision, features: Object.keys(features).sort(), script: script.text };
}

describe('an edit between the build and the transaction', () => {
  it('is part of the revision that the start publishes', async () => {
    const experiment = await make.ready({ css: '.first{}' });
    const builds = afterBuild((count) =>
      count === 1 ? edit(experiment, { css: '.second{}' }) : Promise.resolve(),
    );
    expect((await start(experiment)).status).toBe(200);
    expect(builds).toHaveBeenCalledTimes(2);
    const { revision, script } = await live();
    expect([revision, script.includes('.first{}'), script.includes('.second{}')]).toEqual([1, false, true]);
  });

  it('is part of the revision that is published', async () => {
    const experiment = await make.withStatus('running', { css: '.first{}' });
    await edit(experiment, { css: '.second{}' });
    const builds = afterBuild((count) =>
      count === 1 ? edit(experiment, { css: '.third{}' }) : Promise.resolve(),
    );
    const answer = await publish(experiment);
    expect([answer.status, answer.body.snippet_revision, builds.mock.calls.length]).toEqual([200, 2, 2]);
    const { script } = await live();
    expect([script.includes('.second{}'), script.includes('.third{}')]).toEqual([false, true]);
  });

  it('that makes the experiment incomplete causes the start to be rejected', async () => {
    const halves = ['A', 'B'].map((name) => ({ name, traffic_allocation: 50 }));
    const experiment = await make.ready({ variations: halves });
    const [{ id }] = experiment.variations as Made[];
    const variation = { id, path: `${experiment.path}/variations/${id}` };
    afterBuild((count) => (count === 1 ? edit(variation, { traffic_allocation: 10 }) : Promise.resolve()));
    const answer = await start(experiment);
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['variations']]);
    expect((await live()).revision).toBe(0);
    expect((await scene.client.get(experiment.path)).body.status).toBe('draft');
  });

  it('that deletes the experiment prevents it from going live', async () => {
    const experiment = await make.ready();
    afterBuild((count) => (count === 1 ? scene.client.delete(experiment.path) : Promise.resolve()));
    expect((await start(experiment)).status).toBe(404);
    expect(await live()).toMatchObject({ revision: 0, features: [] });
  });

  it('of another record reuses the build of the unchanged definitions', async () => {
    const experiment = await make.ready({ api_name: 'started' });
    afterBuild((count) => (count === 1 ? make.goal({ name: 'Beside' }) : Promise.resolve()));
    expect((await start(experiment)).status).toBe(200);
    expect(await live()).toMatchObject({ revision: 1, features: ['started'] });
  });

  it('is eventually included, even if another one follows each attempt', async () => {
    const experiment = await make.ready();
    const edits = 3;
    const builds = afterBuild((count) =>
      count <= edits ? edit(experiment, { css: `.edit-${count}{}` }) : Promise.resolve(),
    );
    expect((await start(experiment)).status).toBe(200);
    expect(builds).toHaveBeenCalledTimes(edits + 1);
    const { revision, script } = await live();
    expect([revision, script.includes(`.edit-${edits}{}`)]).toEqual([1, true]);
  });
});

describe('during the build of a publication', () => {
  it('other writes succeed, in the same project and in others', async () => {
    const experiment = await make.ready();
    const statuses: number[] = [];
    afterBuild(async (count) => {
      if (count === 1) {
        statuses.push((await scene.client.post(`${scene.project}/goals`, { name: 'Elsewhere' })).status);
        statuses.push((await scene.client.post(`${make.project}/goals`, { name: 'Here' })).status);
        statuses.push((await scene.client.patch(make.project, { name: 'Renamed' })).status);
      }
    });
    expect((await start(experiment)).status).toBe(200);
    expect(statuses).toEqual([201, 201, 200]);
    expect((await live()).revision).toBe(1);
  });

  it('another experiment can start, and both go live', async () => {
    const [first, second] = [
      await make.ready({ api_name: 'first' }),
      await make.ready({ api_name: 'second' }),
    ];
    const builds = afterBuild(() => Promise.resolve());
    const answers = await Promise.all([start(first), start(second)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(builds.mock.calls.length).toBeLessThanOrEqual(3);
    expect(await live()).toMatchObject({ revision: 2, features: ['first', 'second'] });
  });

  it('the same experiment is started only once', async () => {
    const experiment = await make.ready();
    const answers = await Promise.all([start(experiment), start(experiment), start(experiment)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await live()).revision).toBe(1);
  });

  it('the same experiment can be paused, and is live afterwards only if it is running', async () => {
    const experiment = await make.ready();
    const answers = await Promise.all([
      start(experiment),
      scene.client.patch(`${experiment.path}/status`, { status: 'pause' }),
    ]);
    const { status } = (await scene.client.get(experiment.path)).body as Made;
    expect(answers[0].status).toBe(200);
    expect((await live()).features).toHaveLength(status === 'running' ? 1 : 0);
  });
});

describe('a rejected status change', () => {
  it('publishes nothing, and returns the usual validation errors', async () => {
    const experiment = await make.experiment();
    const answer = await start(experiment);
    expect([answer.status, Object.keys(answer.body.errors).sort()]).toEqual([
      422,
      ['goals', 'pages', 'variations'],
    ]);
    expect((await live()).revision).toBe(0);
  });

  it('builds nothing if the experiment is already running', async () => {
    const experiment = await make.withStatus('running');
    const builds = afterBuild(() => Promise.resolve());
    expect((await start(experiment)).status).toBe(200);
    expect(builds).not.toHaveBeenCalled();
    expect((await live()).revision).toBe(1);
  });
});

describe('two processes', () => {
  let sibling: TestApi;

  beforeAll(async () => {
    sibling = await scene.api.sibling();
  });

  afterAll(() => sibling.close());

  it('that start experiments concurrently make all of them live', async () => {
    const experiments: Made[] = [];
    for (let index = 0; index < 8; index += 1) {
      experiments.push(await make.ready({ api_name: `e${index}` }));
    }
    const clients = [scene.client, sibling.as(scene.world.people.admin.token)];
    const answers = await Promise.all(
      experiments.map(({ path }, index) => clients[index % 2].patch(`${path}/status`, { status: 'running' })),
    );
    expect(answers.map(({ status }) => status)).toEqual(experiments.map(() => 200));
    expect(await live()).toMatchObject({
      revision: 8,
      features: experiments.map(({ api_name }) => api_name as string),
    });
  });

  it('of which one edits while the other publishes leave no edit unpublished', async () => {
    const experiment = await make.withStatus('running');
    const other = sibling.as(scene.world.people.admin.token);
    const edits = Array.from({ length: 6 }, (_, index) => `.edit-${index}{}`);
    for (const css of edits) {
      const [published, edited] = await Promise.all([
        publish(experiment),
        other.patch(experiment.path, { css }),
      ]);
      expect([published.status, edited.status]).toEqual([200, 200]);
    }
    await publish(experiment);
    expect((await live()).script).toContain(edits.at(-1));
  });
});
