import { anotherProject, errorsOf, Made, Maker, refusedPaths, useScene } from '../support/scene';

/* Experiments in an exclusion group share its visitors: how and when parts of the group are assigned. */

const scene = useScene();
let make: Maker;
let group: Made;

beforeEach(async () => {
  make = await anotherProject(scene);
  group = await make.of('exclusion-groups', { name: 'Checkout' });
});

const member = (share: number, name = 'Member', fields: object = {}): Promise<Made> =>
  make.ready({ name, exclusion_group_id: group.id, exclusion_share: share, ...fields });

async function running(share: number, name?: string): Promise<Made> {
  return make.move(await member(share, name), 'running');
}

const start = ({ path }: Made) => scene.client.patch(`${path}/status`, { status: 'running' });

/** The bucket ranges of an experiment, as `[first bucket, bucket after the last]`. A group has 10,000 buckets. */
async function rangesOf({ id }: Made): Promise<number[][]> {
  const rows: { first_bucket: number; end_bucket: number }[] = await scene.api.database.read.query(
    'SELECT first_bucket, end_bucket FROM exclusion_ranges WHERE experiment_id = ? ORDER BY first_bucket',
    [id],
  );
  return rows.map(({ first_bucket, end_bucket }) => [first_bucket, end_bucket]);
}

describe('exclusion group and share of an experiment', () => {
  it('are null and 100 % by default', async () => {
    expect(await make.experiment()).toMatchObject({ exclusion_group_id: null, exclusion_share: 100 });
  });

  it('are stored, changed, cloned and audited', async () => {
    const made = await member(33.33);
    expect(made).toMatchObject({ exclusion_group_id: group.id, exclusion_share: 33.33 });
    const other = await make.of('exclusion-groups');
    const fields = { exclusion_group_id: other.id, exclusion_share: 0.01 };
    expect((await scene.client.patch(made.path, fields)).body).toMatchObject(fields);
    expect((await scene.client.post(`${made.path}/clone`)).body).toMatchObject(fields);
    const { body } = await scene.client.get(`${make.project}/audit?item_type=experiment&action=update`);
    expect(body[0]).toMatchObject({
      before: { exclusion_group_id: group.id, exclusion_share: 33.33 },
      after: fields,
    });
  });

  it.each([
    [{ exclusion_group_id: 0 }, 'exclusion_group_id'],
    [{ exclusion_group_id: 999_999 }, 'exclusion_group_id'],
    [{ exclusion_group_id: 'checkout' }, 'exclusion_group_id'],
    [{ exclusion_share: 0 }, 'exclusion_share'],
    [{ exclusion_share: 100.01 }, 'exclusion_share'],
    [{ exclusion_share: 33.333 }, 'exclusion_share'],
    [{ exclusion_share: null }, 'exclusion_share'],
  ])('reject %j', async (fields, path) => {
    const created = await scene.client.post(`${make.project}/experiments`, { name: 'New', ...fields });
    expect(refusedPaths(created)).toEqual([path]);
    const draft = await make.experiment();
    expect(refusedPaths(await scene.client.patch(draft.path, fields))).toEqual([path]);
  });

  it('reject a group of another project', async () => {
    const { id } = await (await anotherProject(scene)).of('exclusion-groups');
    const fields = { name: 'New', exclusion_group_id: id };
    const refused = await scene.client.post(`${make.project}/experiments`, fields);
    expect(errorsOf(refused)).toEqual({
      exclusion_group_id: [`The project has no exclusion group ${id}.`],
    });
  });

  it('cannot change while the experiment runs', async () => {
    const made = await running(40);
    for (const fields of [{ exclusion_group_id: null }, { exclusion_share: 50 }]) {
      const refused = await scene.client.patch(made.path, fields);
      expect(refusedPaths(refused)).toEqual(Object.keys(fields));
      expect(refused.body.code).toBe('EXCLUSION_FIXED');
    }
    const same = { exclusion_group_id: group.id, exclusion_share: 40, description: 'Same group.' };
    expect((await scene.client.patch(made.path, same)).status).toBe(200);
    expect(await rangesOf(made)).toEqual([[0, 4_000]]);
  });
});

describe('a start', () => {
  it('assigns the first free part of the group, in several ranges if necessary', async () => {
    const [first, second, third] = [await running(20), await running(30), await running(50)];
    expect(await Promise.all([first, second, third].map(rangesOf))).toEqual([
      [[0, 2_000]],
      [[2_000, 5_000]],
      [[5_000, 10_000]],
    ]);
    await make.move(first, 'archive');
    await make.move(third, 'archive');
    const last = await running(60);
    expect([await rangesOf(first), await rangesOf(second), await rangesOf(last)]).toEqual([
      [],
      [[2_000, 5_000]],
      [
        [0, 2_000],
        [5_000, 9_000],
      ],
    ]);
  });

  it('is rejected if too little of the group is free, with a list of the experiments that use it', async () => {
    const [one, two] = [await running(50, 'Price'), await running(30.5, 'Delivery')];
    await make.move(two, 'pause');
    const wide = await member(20);
    const refused = await start(wide);
    expect(errorsOf(refused)).toEqual({
      exclusion_share: [
        `The exclusion group Checkout (${group.id}) has 19.5 % free, but the experiment needs 20 %. Used by: Price (${one.id}) 50 %, Delivery (${two.id}) 30.5 %. Archive one of them, or lower the exclusion_share.`,
      ],
    });
    expect(refused.body).toMatchObject({
      code: 'EXCLUSION_GROUP_FULL',
      allowed_statuses: ['preview', 'archive'],
    });
    expect([(await scene.client.get(wide.path)).body.status, await rangesOf(wide)]).toEqual(['draft', []]);
    await scene.client.patch(wide.path, { exclusion_share: 19.5 });
    expect((await start(wide)).status).toBe(200);
  });

  it('reports all missing requirements together', async () => {
    await running(100);
    const bare = await make.experiment({ exclusion_group_id: group.id });
    expect(refusedPaths(await start(bare))).toEqual(['exclusion_share', 'goals', 'pages', 'variations']);
  });

  it('assigns nothing in a dry run', async () => {
    const made = await member(60);
    expect((await scene.client.patch(`${made.path}/status?dry_run=1`, { status: 'running' })).status).toBe(
      200,
    );
    expect(await rangesOf(made)).toEqual([]);
  });

  it('of several experiments at the same time assigns no part twice', async () => {
    const members = await Promise.all(Array.from({ length: 6 }, () => member(30)));
    const statuses = (await Promise.all(members.map(start))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 200, 200, 422, 422, 422]);
    const ranges = (await Promise.all(members.map(rangesOf))).flat().sort(([a], [b]) => a - b);
    expect(ranges).toEqual([
      [0, 3_000],
      [3_000, 6_000],
      [6_000, 9_000],
    ]);
  });
});

describe('an experiment keeps its part of the group', () => {
  it.each(['pause', 'preview'])('in the status %s, and restarts with the same part', async (status) => {
    const [, made] = [await running(10), await running(40)];
    await make.move(made, status);
    expect(errorsOf(await start(await member(60)))).toHaveProperty('exclusion_share');
    await make.move(made, 'running');
    expect(await rangesOf(made)).toEqual([[1_000, 5_000]]);
  });

  it('until it is archived, and gets a free part when it is started again', async () => {
    const made = await running(60);
    await make.move(made, 'archive');
    const next = await running(50);
    await make.move(made, 'pause');
    expect(await rangesOf(made)).toEqual([]);
    expect(errorsOf(await start(made))).toHaveProperty('exclusion_share');
    await scene.client.patch(made.path, { exclusion_share: 50 });
    await make.move(made, 'running');
    expect([await rangesOf(next), await rangesOf(made)]).toEqual([[[0, 5_000]], [[5_000, 10_000]]]);
  });

  it('until it is deleted', async () => {
    const made = await running(60);
    await scene.client.delete(made.path);
    expect(await rangesOf(made)).toEqual([]);
    expect(await rangesOf(await running(100))).toEqual([[0, 10_000]]);
  });
});

describe('a paused experiment can change', () => {
  it('its share: a decrease frees buckets immediately, and an increase is assigned at the start', async () => {
    const [made, other] = [await running(40), await running(30)];
    await make.move(made, 'pause');
    await scene.client.patch(made.path, { exclusion_share: 15 });
    expect(await rangesOf(made)).toEqual([[0, 1_500]]);
    await scene.client.patch(made.path, { exclusion_share: 60 });
    expect(await rangesOf(made)).toEqual([[0, 1_500]]);
    await make.move(made, 'running');
    expect([await rangesOf(made), await rangesOf(other)]).toEqual([
      [
        [0, 4_000],
        [7_000, 9_000],
      ],
      [[4_000, 7_000]],
    ]);
  });

  it('its group, which frees its part immediately', async () => {
    const made = await running(100);
    await make.move(made, 'pause');
    const other = await make.of('exclusion-groups');
    await scene.client.patch(made.path, { exclusion_group_id: other.id });
    expect(await rangesOf(made)).toEqual([]);
    await running(100);
    await make.move(made, 'running');
    expect(await rangesOf(made)).toEqual([[0, 10_000]]);
  });
});

describe('an exclusion group', () => {
  it.each(['draft', 'preview', 'running', 'pause'])(
    'cannot be deleted while an experiment in the status %s uses it',
    async (status) => {
      const made = await make.withStatus(status, { name: 'User', exclusion_group_id: group.id });
      const refused = await scene.client.delete(group.path);
      expect(errorsOf(refused)).toEqual({
        experiments: [`The exclusion group is used by experiments that are not archived: User (${made.id}).`],
      });
      expect(refused.body.code).toBe('IN_USE');
    },
  );

  it('is removed from archived experiments when it is deleted', async () => {
    const made = await make.withStatus('archive', { exclusion_group_id: group.id, exclusion_share: 20 });
    const before = await scene.client.get(made.path);
    expect((await scene.client.delete(group.path)).status).toBe(204);
    const after = await scene.client.get(made.path);
    expect(after.body).toMatchObject({ exclusion_group_id: null, exclusion_share: 20 });
    expect(after.headers.etag).not.toBe(before.headers.etag);
  });

  it('is never the group of a new experiment if it is deleted while the experiment is created', async () => {
    const answers = await Promise.all([
      scene.client.delete(group.path),
      ...Array.from({ length: 4 }, () =>
        scene.client.post(`${make.project}/experiments`, { name: 'New', exclusion_group_id: group.id }),
      ),
    ]);
    const [deleted, ...created] = answers.map(({ status }) => status);
    expect(created.filter((status) => ![201, 422].includes(status))).toEqual([]);
    const isThere = (await scene.client.get(group.path)).status === 200;
    expect(isThere).toBe(deleted === 422);
    const { body } = await scene.client.get(`${make.project}/experiments`);
    expect((body as Made[]).every(({ exclusion_group_id: id }) => id === null || isThere)).toBe(true);
  });
});
