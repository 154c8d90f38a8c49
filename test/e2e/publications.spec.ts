import { fillDays, daysOfMay } from '../support/shared-experiment';
import { anotherProject, Made, Maker, refusedPaths, TIMESTAMP, useScene } from '../support/scene';

/* Publications, their preview, and rollback. */

const scene = useScene();
let make: Maker;

beforeEach(async () => {
  make = await anotherProject(scene);
});

const path = () => `${make.project}/publications`;
const list = async (query = '') => (await scene.client.get(`${path()}${query}`)).body as Made[];
const textsOf = ({ changes }: Made): string[] => (changes as Made[]).map(({ text }) => text as string);
const publish = (experiment: Made) => scene.client.patch(`${experiment.path}/publish`);
const rollBack = (revision: number, query = '', headers = {}) =>
  scene.client.post(`${path()}/${revision}/rollback${query}`, undefined, headers);
const edit = async (experiment: Made, fields: object): Promise<void> => {
  expect((await scene.client.patch(experiment.path, fields)).status).toBe(200);
};

/** The delivered script. */
async function script(): Promise<string> {
  const { client_key } = (await scene.client.get(make.project)).body;
  return (await scene.client.get(`//s/${client_key}.js`)).text;
}

const started = async (fields: object = {}): Promise<Made> => {
  const experiment = await make.ready({ name: 'Green buy button', ...fields });
  await make.move(experiment, 'running');
  return experiment;
};

describe('the list of publications', () => {
  it('is empty before the first publication', async () => {
    const answer = await scene.client.get(path());
    expect([answer.status, answer.body, answer.headers['x-total-count']]).toEqual([200, [], '0']);
  });

  it('shows time, author, reason and changes, newest first', async () => {
    const { publisher } = scene.world.people;
    const experiment = await started({ traffic_allocation: 50 });
    await edit(experiment, { traffic_allocation: 100, css: 'a {}' });
    await publisher.client.patch(`${experiment.path}/publish`);
    const [second, first, ...others] = await list();
    expect(others).toEqual([]);
    expect(second).toEqual({
      revision: 2,
      is_live: true,
      created_at: expect.stringMatching(TIMESTAMP),
      actor: {
        type: 'token',
        user_id: publisher.id,
        user_name: expect.stringMatching(/^Person \d+$/),
        token_id: expect.any(Number),
        token_name: 'Test',
      },
      reason: 'publish',
      source_revision: null,
      snippet_version: expect.any(String),
      sha384: expect.any(String),
      bytes: Buffer.byteLength(await script()),
      bytes_gzip: expect.any(Number),
      changes: [
        expect.objectContaining({ field: 'traffic', before: 50, after: 100 }),
        expect.objectContaining({ field: 'css', diff: '@@ -0,0 +1,1 @@\n+a {}' }),
      ],
    });
    expect(textsOf(second)).toEqual([
      'Experiment “Green buy button”: traffic 50\u202f% → 100\u202f%',
      'Experiment “Green buy button”: CSS changed (+1 line)',
    ]);
    expect(first).toMatchObject({ revision: 1, is_live: false, reason: 'status' });
    expect(textsOf(first)).toEqual(['Experiment “Green buy button” goes live']);
  });

  it('shows current names, even of deleted experiments', async () => {
    const experiment = await started();
    await edit(experiment, { name: 'שלום 🎉' });
    await scene.client.delete(experiment.path);
    expect((await list()).flatMap(textsOf)).toEqual([
      'Experiment “שלום 🎉” is no longer live',
      'Experiment “שלום 🎉” goes live',
    ]);
  });

  it('is paginated', async () => {
    const experiment = await started();
    for (const status of ['pause', 'running', 'pause']) {
      await make.move(experiment, status);
    }
    const page = await scene.client.get(`${path()}?per_page=3`);
    expect(page.body.map(({ revision }: Made) => revision)).toEqual([4, 3, 2]);
    expect(page.headers).toMatchObject({ 'x-total-count': '4', link: expect.stringContaining('next') });
    const [last] = await list('?per_page=3&page=2');
    expect(last).toMatchObject({ revision: 1, is_live: false });
    expect(await list('?page=3')).toEqual([]);
  });

  it.each([
    ['per_page=0', 'per_page'],
    ['per_page=101', 'per_page'],
    ['page=x', 'page'],
    ['page=1&page=2', 'page'],
  ])('rejects %s', async (query, field) => {
    expect(refusedPaths(await scene.client.get(`${path()}?${query}`))).toEqual([field]);
  });
});

describe('the preview of a publication', () => {
  const preview = async () => (await scene.client.get(`${path()}/preview`)).body as Made;

  it('has no changes if nothing would be published', async () => {
    await started();
    const now = (await list())[0];
    expect(await preview()).toEqual({
      has_changes: false,
      revision: 1,
      bytes_before: now.bytes,
      bytes_after: now.bytes,
      bytes_gzip_before: now.bytes_gzip,
      bytes_gzip_after: now.bytes_gzip,
      changes: [],
      experiments: [],
    });
  });

  it('matches the later publication, including its size and the affected participants', async () => {
    const experiment = await started();
    const other = await make.ready({ name: 'Other' });
    await make.move(other, 'running');
    await fillDays(scene, experiment, daysOfMay(2), [
      { participants: 40, converters: 3 },
      { participants: 50, converters: 3 },
    ]);
    await edit(experiment, {
      traffic_allocation: 20,
      js: 'f();',
      goals: [experiment.goals[0].id, (await make.goal()).id],
    });
    const [before] = await list();
    const expected = await preview();
    expect(await list()).toHaveLength(2);
    expect(expected).toMatchObject({
      has_changes: true,
      revision: 3,
      bytes_before: before.bytes,
      experiments: [{ id: experiment.id, name: 'Green buy button', participants: 180 }],
    });
    expect(expected.changes).toHaveLength(3);
    expect((await publish(experiment)).status).toBe(200);
    const [after] = await list();
    expect([after.revision, after.bytes, after.bytes_gzip, after.changes]).toEqual([
      expected.revision,
      expected.bytes_after,
      expected.bytes_gzip_after,
      expected.changes,
    ]);
  });

  it('of a project without publications compares with an empty state', async () => {
    expect(await preview()).toMatchObject({ has_changes: true, revision: 1, bytes_before: null });
  });

  it('is rejected with the errors that prevent publishing', async () => {
    const experiment = await started();
    for (const { id } of experiment.variations as Made[]) {
      await scene.client.patch(`${experiment.path}/variations/${id}`, { traffic_allocation: 10 });
    }
    const refused = await scene.client.get(`${path()}/preview`);
    const publishing = await publish(experiment);
    expect([refused.status, refused.body]).toEqual([422, publishing.body]);
  });
});

describe('a rollback', () => {
  it('serves the old bytes again as a new revision, and returns the project', async () => {
    const experiment = await started({ css: '.old {}' });
    const old = await script();
    await edit(experiment, { css: '.new {}' });
    await publish(experiment);
    expect(await script()).toContain('.new');
    const answer = await rollBack(1);
    expect([answer.status, answer.body]).toEqual([200, (await scene.client.get(make.project)).body]);
    expect([answer.body.snippet_revision, await script()]).toEqual([3, old]);
    const [latest, , first] = await list();
    expect(latest).toMatchObject({
      revision: 3,
      reason: 'rollback',
      source_revision: 1,
      sha384: first.sha384,
    });
    expect(textsOf(latest)).toEqual(['Experiment “Green buy button”: CSS changed (+1, −1 lines)']);
    expect(answer.headers['x-snippet-bytes']).toBe(String(latest.bytes_gzip));
    expect((await scene.client.get(experiment.path)).body.css).toBe('.new {}');
  });

  it('publishes nothing if the content is already live', async () => {
    await started();
    const before = (await scene.client.get(make.project)).body;
    const answer = await rollBack(1);
    expect([answer.status, answer.body]).toEqual([200, before]);
    expect(await list()).toHaveLength(1);
  });

  it('is rejected if a variation of a running experiment has been deleted', async () => {
    const experiment = await started();
    const [, { id }] = experiment.variations as Made[];
    expect((await scene.client.delete(`${experiment.path}/variations/${id}`)).status).toBe(204);
    const paused = await started();
    await scene.client.delete(`${paused.path}/variations/${(paused.variations as Made[])[1].id}`);
    await make.move(paused, 'pause');
    const answer = await rollBack(2);
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      {
        [`experiments.${experiment.id}.variations`]: [
          `The variation ${id} of the experiment ${experiment.id} has been deleted, so its visitors cannot be counted.`,
        ],
      },
    ]);
    expect(await list()).toHaveLength(3);
  });

  it('stores nothing in a dry run, and happens once per idempotency key', async () => {
    const experiment = await started({ css: '.old {}' });
    await edit(experiment, { css: '.new {}' });
    await publish(experiment);
    const dry = await rollBack(1, '?dry_run=1');
    expect([dry.status, dry.body.snippet_revision, await list()]).toMatchObject([200, 3, { length: 2 }]);
    const key = { 'idempotency-key': `back-${experiment.id}` };
    const first = await rollBack(1, '', key);
    expect((await rollBack(1, '', key)).body).toEqual(first.body);
    expect(await list()).toHaveLength(3);
  });

  it('is rejected if the ETag in If-Match is outdated', async () => {
    await started();
    const { etag } = (await scene.client.get(make.project)).headers;
    await scene.client.patch(make.project, { description: 'Changed' });
    const answer = await rollBack(1, '', { 'if-match': etag });
    expect(answer.status).toBe(412);
    const fresh = (await scene.client.get(make.project)).headers.etag;
    expect((await rollBack(1, '', { 'if-match': fresh })).status).toBe(200);
  });

  it.each([0, 2, 999, '01', '-1', 'x', '9999999999'])('returns 404 for the revision %s', async (revision) => {
    await started();
    const answer = await scene.client.post(`${path()}/${revision}/rollback`);
    expect([answer.status, answer.body.message]).toEqual([404, 'Not Found']);
    expect(await list()).toHaveLength(1);
  });

  it('accepts no fields, and returns 404 for revisions of other projects', async () => {
    await started();
    const refused = await scene.client.post(`${path()}/1/rollback`, { revision: 1 });
    expect(refusedPaths(refused)).toEqual(['revision']);
    const elsewhere = `${(await anotherProject(scene)).project}/publications/1/rollback`;
    expect((await scene.client.post(elsewhere)).status).toBe(404);
    expect((await scene.other.client.post(`${path()}/1/rollback`)).status).toBe(404);
  });

  it('is serialised with concurrent publications', async () => {
    const experiment = await started({ css: '.old {}' });
    const old = await script();
    await edit(experiment, { css: '.new {}' });
    await publish(experiment);
    const recent = await script();
    const rollBacks = [rollBack(1), rollBack(1), rollBack(2)];
    const answers = await Promise.all([...rollBacks, publish(experiment), publish(experiment)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const publications = await list();
    expect(publications.map(({ revision }) => revision)).toEqual(
      publications.map((_, index) => publications.length - index),
    );
    // Each revision differs from the previous one, because unchanged content is not published again.
    for (const { changes } of publications) {
      expect(changes).toEqual([expect.objectContaining({ kind: 'experiment' })]);
    }
    const [{ sha384 }] = publications;
    expect(await script()).toBe(sha384 === publications.at(-1)?.sha384 ? old : recent);
  });
});

it('publications can be read by viewers, and rolled back by publishers', async () => {
  const { viewer, editor, publisher } = scene.world.people;
  await started();
  for (const address of [path(), `${path()}/preview`]) {
    expect((await viewer.client.get(address)).status).toBe(200);
    expect((await scene.other.client.get(address)).status).toBe(404);
  }
  const back = `${path()}/1/rollback`;
  expect((await editor.client.post(back)).status).toBe(403);
  expect((await publisher.client.post(back)).status).toBe(200);
});
