import { runInNewContext } from 'node:vm';
import { anotherProject, errorsOf, Made, Maker, useScene } from '../support/scene';

/* The effects of status changes and publications. */

const scene = useScene();

interface Live {
  revision: number;
  /** The api_names of live experiments in the payload. */
  features: string[];
  script: string;
}

async function project(make: Maker): Promise<Made> {
  return (await scene.client.get(make.project)).body as Made;
}

async function live(make: Maker): Promise<Live> {
  const { client_key } = await project(make);
  const script = await scene.client.get(`//s/${client_key}.js`);
  const payload = await scene.client.get(`//api/features/${client_key}`);
  expect([script.status, payload.status]).toEqual([200, 200]);
  return {
    revision: Number(script.headers['x-snippet-revision']),
    features: Object.keys((payload.body as { features: object }).features),
    script: script.text,
  };
}

const revisionOf = async (make: Maker): Promise<number> => (await project(make)).snippet_revision as number;

const publish = (experiment: Made, headers = {}) =>
  scene.client.patch(`${experiment.path}/publish`, undefined, headers);

describe('before the first publication', () => {
  it('the script exists, but nothing is live', async () => {
    const make = await anotherProject(scene);
    expect(await live(make)).toMatchObject({ revision: 0, features: [] });
  });
});

describe('a status change', () => {
  it('goes live immediately, for this experiment only', async () => {
    const make = await anotherProject(scene);
    const first = await make.ready({ api_name: 'first', css: '.one{}' });
    const second = await make.ready({ api_name: 'second' });
    await make.move(first, 'running');
    expect(await live(make)).toMatchObject({ revision: 1, features: ['first'] });
    await scene.client.patch(first.path, { css: '.edited{}' });
    await make.move(second, 'running');
    const { script, ...after } = await live(make);
    expect(after).toEqual({ revision: 2, features: ['first', 'second'] });
    expect([script.includes('.one{}'), script.includes('.edited{}')]).toEqual([true, false]);
    await make.move(first, 'pause');
    expect(await live(make)).toMatchObject({ revision: 3, features: ['second'] });
    await make.move(first, 'running');
    expect((await live(make)).script).toContain('.edited{}');
    expect(await revisionOf(make)).toBe(4);
  });

  it.each([
    ['draft to preview', ['preview']],
    ['draft to archive', ['archive']],
    ['preview to archive', ['preview', 'archive']],
  ])('from %s creates no revision', async (_, statuses) => {
    const make = await anotherProject(scene);
    const experiment = await make.ready();
    for (const status of statuses) {
      await make.move(experiment, status);
    }
    expect(await revisionOf(make)).toBe(0);
  });

  it.each(['preview', 'pause', 'archive'])(
    'from running to %s unpublishes the experiment',
    async (status) => {
      const make = await anotherProject(scene);
      await make.move(await make.withStatus('running'), status);
      expect(await live(make)).toMatchObject({ revision: 2, features: [] });
    },
  );

  it('to the trash unpublishes the experiment', async () => {
    const make = await anotherProject(scene);
    const experiment = await make.withStatus('running');
    expect((await scene.client.delete(experiment.path)).status).toBe(204);
    expect(await live(make)).toMatchObject({ revision: 2, features: [] });
  });
});

describe('a name that is still live', () => {
  it('cannot be used by an experiment that starts', async () => {
    const make = await anotherProject(scene);
    const first = await make.withStatus('running', { api_name: 'promo' });
    await scene.client.patch(first.path, { api_name: 'promo-old' });
    const second = await make.ready({ api_name: 'promo' });
    const refused = await scene.client.patch(`${second.path}/status`, { status: 'running' });
    expect(errorsOf(refused)).toEqual({
      api_name: [`The experiment ${first.id} is still live under the name promo. Publish the project first.`],
    });
    expect(await live(make)).toMatchObject({ revision: 1, features: ['promo'] });
    await publish(first);
    await make.move(second, 'running');
    expect((await live(make)).features.sort()).toEqual(['promo', 'promo-old']);
  });

  it('still identifies the renamed environment until the project is published', async () => {
    const make = await anotherProject(scene);
    const old = await make.environment({ api_name: 'staging', code: 'return window.oldSite;' });
    const first = await make.withStatus('running', { api_name: 'first', environments: [old.id] });
    expect((await scene.client.patch(old.path, { api_name: 'qa' })).status).toBe(200);
    const renamed = await make.environment({
      api_name: 'staging',
      name: 'New',
      code: 'return window.newSite;',
    });
    const second = await make.ready({ environments: [renamed.id] });
    const refused = await scene.client.patch(`${second.path}/status`, { status: 'running' });
    expect(errorsOf(refused)).toEqual({
      environments: [
        `The environment ${old.id} is still live under the name staging. Publish the project first.`,
      ],
    });
    const elsewhere = await make.withStatus('running', { api_name: 'elsewhere' });
    await make.move(elsewhere, 'pause');
    const { script } = await live(make);
    expect([script.includes('oldSite'), script.includes('newSite')]).toEqual([true, false]);
    const { client_key } = await project(make);
    const payload = await scene.client.get(`//api/features/${client_key}?environment=staging`);
    expect(Object.keys((payload.body as { features: object }).features)).toEqual(['first']);
    await publish(first);
    await make.move(second, 'running');
  });

  it('still belongs to the renamed click goal, so its clicks do not count for another goal', async () => {
    const make = await anotherProject(scene);
    const goalOf = (fields: object): Promise<Made> =>
      make.goal({ type: 'click', api_name: 'buy', selector: '.buy', ...fields });
    const old = await goalOf({});
    const first = await make.withStatus('running', { goals: [old.id] });
    expect((await scene.client.patch(old.path, { api_name: 'buy-old' })).status).toBe(200);
    const second = await make.ready({ goals: [(await goalOf({ selector: '.new' })).id] });
    const refused = await scene.client.patch(`${second.path}/status`, { status: 'running' });
    expect(errorsOf(refused)).toEqual({
      goals: [`The goal ${old.id} is still live under the name buy. Publish the project first.`],
    });
    await publish(first);
    await make.move(second, 'running');
  });
});

describe('publish', () => {
  it('makes edits live, and creates a revision only if the content differs', async () => {
    const make = await anotherProject(scene);
    const experiment = await make.withStatus('running', { api_name: 'first' });
    await scene.client.patch(experiment.path, { css: '.edited{}', description: 'Not public' });
    expect((await live(make)).script).not.toContain('.edited{}');
    const answer = await publish(experiment);
    expect([answer.status, answer.body.snippet_revision]).toEqual([200, 2]);
    expect(answer.body).toEqual((await scene.client.get(make.project)).body);
    expect(Number(answer.headers['x-snippet-bytes'])).toBeGreaterThan(1_000);
    expect((await live(make)).script).toContain('.edited{}');
    await scene.client.patch(experiment.path, { description: 'Other', name: 'Other' });
    expect((await publish(experiment)).body.snippet_revision).toBe(2);
    expect((await live(make)).script).not.toContain('Not public');
  });

  it('has no header about the script if it is refused for an unclear dry run', async () => {
    const make = await anotherProject(scene);
    const { path } = await make.withStatus('running');
    const { status, headers } = await scene.client.patch(`${path}/publish?dry_run=x`, {});
    expect([status, headers['x-snippet-bytes']]).toEqual([422, undefined]);
  });

  it('creates a first revision even if nothing runs', async () => {
    const make = await anotherProject(scene);
    expect((await publish(await make.experiment())).body.snippet_revision).toBe(1);
    expect((await publish(await make.experiment())).body.snippet_revision).toBe(1);
  });

  it('accepts an empty object, but no fields', async () => {
    const make = await anotherProject(scene);
    const { path } = await make.experiment();
    expect((await scene.client.patch(`${path}/publish`, {})).status).toBe(200);
    expect(Object.keys(errorsOf(await scene.client.patch(`${path}/publish`, { all: true })))).toEqual([
      'all',
    ]);
  });

  it('publishes all or nothing, and names the invalid experiment', async () => {
    const make = await anotherProject(scene);
    const [good, bad] = [
      await make.withStatus('running'),
      await make.withStatus('running', { name: 'Broken' }),
    ];
    const [variation] = bad.variations as Made[];
    await scene.client.patch(good.path, { css: '.edited{}' });
    await scene.client.patch(`${bad.path}/variations/${variation.id}`, { traffic_allocation: 30 });
    await scene.client.patch(`${bad.path}/variations/${bad.variations[1].id}`, { traffic_allocation: 30 });
    const errors = errorsOf(await publish(good));
    expect(errors).toEqual({
      [`experiments.${bad.id}.variations`]: [
        `Broken (${bad.id}) cannot be published: the traffic allocations of its variations sum to 60, not 100.`,
      ],
    });
    expect(await revisionOf(make)).toBe(2);
    expect((await live(make)).script).not.toContain('.edited{}');
  });

  it('compares If-Match with the ETag of the project', async () => {
    const make = await anotherProject(scene);
    const experiment = await make.withStatus('running');
    await scene.client.patch(experiment.path, { css: '.edited{}' });
    const { headers } = await scene.client.get(make.project);
    const ofExperiment = (await scene.client.get(experiment.path)).headers.etag!;
    expect((await publish(experiment, { 'if-match': ofExperiment })).status).toBe(412);
    const answer = await publish(experiment, { 'if-match': headers.etag! });
    expect(answer.status).toBe(200);
    expect((await publish(experiment, { 'if-match': headers.etag! })).status).toBe(412);
    expect((await scene.client.get(make.project)).headers.etag).toBe(answer.headers.etag);
  });

  it('changes the ETag of the project list', async () => {
    const make = await anotherProject(scene);
    const list = `/teams/${scene.world.teamId}/projects`;
    const before = (await scene.client.get(list)).headers.etag!;
    await publish(await make.experiment());
    expect((await scene.client.get(list, { 'if-none-match': before })).status).toBe(200);
  });

  it('compiles hostile code into separate functions', async () => {
    const make = await anotherProject(scene);
    const escape = '}); alert(1); (function(){';
    const refused = await scene.client.post(`${make.project}/experiments`, { name: 'Escape', js: escape });
    expect(Object.keys(errorsOf(refused))).toEqual(['js']);
    await make.withStatus('running', {
      name: '</script><script>alert(1)</script>',
      css: '/* </style><script>alert(1)</script> */',
      js: 'var a = "</script>" // the end',
    });
    const { script } = await live(make);
    expect(script).not.toContain('</script');
    expect(() => runInNewContext(`() => {${script}}`)).not.toThrow();
  });
});

describe('concurrent publications', () => {
  it('each get their own revision', async () => {
    const make = await anotherProject(scene);
    const experiments = [];
    for (let index = 0; index < 5; index += 1) {
      experiments.push(await make.ready());
    }
    await Promise.all(experiments.map((experiment) => make.move(experiment, 'running')));
    const { revision, features } = await live(make);
    expect([revision, features.length]).toEqual([5, 5]);
  });
});

it('edits that do not affect what is published are not changes', async () => {
  const make = await anotherProject(scene);
  const pages = [(await make.page()).id, (await make.page()).id];
  const audiences = [(await make.audience()).id, (await make.audience()).id];
  const experiment = await make.withStatus('running', { pages, audiences });
  const [variation] = experiment.variations as Made[];
  const edits: [path: string, fields: object][] = [
    [experiment.path, { js: '', reset_js: '', css: '' }],
    [`${experiment.path}/variations/${variation.id}`, { js: '', css: '' }],
    [experiment.path, { pages: [...pages].reverse(), audiences: [...audiences].reverse() }],
  ];
  for (const [path, fields] of edits) {
    expect((await scene.client.patch(path, fields)).status).toBe(200);
  }
  const { body } = await scene.client.get(`${make.project}/publications/preview`);
  expect(body).toMatchObject({ has_changes: false, changes: [] });
});
