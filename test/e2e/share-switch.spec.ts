import { anotherProject, Maker, refusedPaths, useScene } from '../support/scene';
import {
  daysOfMay,
  fillDays,
  JSON_ONLY,
  PAGE,
  SharedExperiment,
  sharedExperiment,
  visit,
} from '../support/shared-experiment';

/* Turning off and replacing the share link of an experiment. */

const scene = useScene();
let shared: SharedExperiment;

beforeEach(async () => {
  shared = await sharedExperiment(scene);
  await scene.make.move(shared, 'running');
  const entered = { participants: 40, converters: 3 };
  await fillDays(scene, shared, daysOfMay(2), [entered, entered]);
});

const patch = (fields: object) => scene.client.patch(shared.path, fields);
const info = async () => (await scene.client.get(`${shared.path}/results/info`)).body;
const rotate = (query = '', headers?: Record<string, string>) =>
  scene.client.post(`${shared.path}/results/share/rotate${query}`, undefined, headers);

/** The statuses of all URLs of a share link: page, JSON, goal page, and goal images. */
async function statusesOf(address: string): Promise<number[]> {
  const goal = `${address}/goals/${shared.goals[0].id}`;
  const images = [`${goal}.svg?kind=rate`, `${goal}.svg?kind=uplift`];
  const answers = [
    await visit(scene, address, PAGE),
    await visit(scene, address, JSON_ONLY),
    ...(await Promise.all([goal, ...images].map((each) => visit(scene, each)))),
  ];
  return answers.map(({ status }) => status);
}

const ON = [200, 200, 200, 200, 200];
const OFF = [404, 404, 404, 404, 404];

describe('an experiment', () => {
  it('is shared by default', async () => {
    expect((await scene.client.get(shared.path)).body.shared).toBe(true);
    expect(await statusesOf(shared.address)).toEqual(ON);
  });

  it('returns 404 at its link while it is not shared, even if it was cached', async () => {
    expect(await statusesOf(shared.address)).toEqual(ON);
    const { etag } = (await visit(scene, shared.address)).headers;
    expect((await patch({ shared: false })).body.shared).toBe(false);
    expect(await statusesOf(shared.address)).toEqual(OFF);
    const known = await visit(scene, shared.address, { ...PAGE, 'if-none-match': etag as string });
    expect(known.status).toBe(404);
    await patch({ shared: true });
    expect(await statusesOf(shared.address)).toEqual(ON);
  });

  it('returns the same response as an unknown link while it is not shared', async () => {
    await patch({ shared: false });
    const off = await visit(scene, shared.address);
    const unknown = await visit(scene, `//share/${'a'.repeat(43)}`);
    expect(off.text).toBe(unknown.text);
    expect(off.text).toContain('or the results are no longer shared');
  });

  it('shows its link only while it is shared, and keeps the same link', async () => {
    const before = await scene.client.get(`${shared.path}/results/info`);
    await patch({ shared: false });
    const off = await scene.client.get(`${shared.path}/results/info`);
    expect(off.body).toEqual({ ...before.body, share_token: null, share_url: null });
    expect(off.headers.etag).not.toBe(before.headers.etag);
    await patch({ shared: true });
    expect(await info()).toEqual(before.body);
  });

  it('can stop being shared while it is archived', async () => {
    await scene.make.move(shared, 'archive');
    expect((await patch({ shared: false })).body).toMatchObject({ status: 'archive', shared: false });
    expect(await statusesOf(shared.address)).toEqual(OFF);
  });

  it('has results that the team can read even if it is not shared', async () => {
    await patch({ shared: false });
    expect((await scene.client.get(`${shared.path}/results`)).status).toBe(200);
  });

  it.each([['yes'], [0], [null], [{}]])('rejects %j as the value of shared', async (value) => {
    expect(refusedPaths(await patch({ shared: value }))).toEqual(['shared']);
  });

  it('also stops being shared by other processes', async () => {
    const other = await scene.api.sibling();
    try {
      const there = (address: string) => other.as(null).get(address, PAGE);
      expect((await there(shared.address)).status).toBe(200);
      await patch({ shared: false });
      expect((await there(shared.address)).status).toBe(404);
      await patch({ shared: true });
      const { body } = await rotate();
      expect((await there(shared.address)).status).toBe(404);
      expect((await there(`//share/${body.share_token}`)).status).toBe(200);
    } finally {
      await other.close();
    }
  });
});

describe('rotating a share link', () => {
  it('replaces it: the old link returns 404, and the new link works', async () => {
    expect(await statusesOf(shared.address)).toEqual(ON);
    const answer = await rotate();
    const { share_token, share_url } = await info();
    expect([answer.status, answer.body]).toEqual([
      200,
      { id: shared.id, shared: true, share_token, share_url },
    ]);
    expect(answer.headers.etag).toBe((await scene.client.get(shared.path)).headers.etag);
    expect(share_url).toBe(`https://ab.example.com/share/${share_token}`);
    expect(shared.address).not.toContain(share_token);
    expect(await statusesOf(shared.address)).toEqual(OFF);
    expect(await statusesOf(`//share/${share_token}`)).toEqual(ON);
  });

  it('replaces the link of an experiment that is not shared, without enabling it', async () => {
    await patch({ shared: false });
    const answer = await rotate();
    expect(answer.body).toEqual({ id: shared.id, shared: false, share_token: null, share_url: null });
    await patch({ shared: true });
    expect(await statusesOf(shared.address)).toEqual(OFF);
    expect(await statusesOf(`//share/${(await info()).share_token}`)).toEqual(ON);
  });

  it('stores nothing and shows no link in a dry run', async () => {
    const before = await info();
    const dry = await rotate('?dry_run=1');
    expect([dry.status, dry.body]).toEqual([
      200,
      { id: shared.id, shared: true, share_token: null, share_url: null },
    ]);
    expect(await info()).toEqual(before);
    expect(await statusesOf(shared.address)).toEqual(ON);
  });

  it('happens once if it is repeated with the same idempotency key', async () => {
    const key = { 'idempotency-key': `rotate-${shared.id}` };
    const first = await rotate('', key);
    const again = await rotate('', key);
    expect([again.status, again.body, again.headers['idempotency-replayed']]).toEqual([
      200,
      first.body,
      'true',
    ]);
    expect((await info()).share_token).toBe(first.body.share_token);
  });

  it('leaves no token in the audit log', async () => {
    const { body } = await rotate();
    const rows: object[] = await scene.api.database.read.query(
      'SELECT action, user_id, `before`, `after` FROM audit_entries WHERE item_id = ? AND action = ?',
      [shared.id, 'rotate-share-token'],
    );
    const { id } = scene.world.people.admin;
    expect(rows).toEqual([{ action: 'rotate-share-token', user_id: id, before: null, after: null }]);
    expect(JSON.stringify(rows)).not.toContain(body.share_token);
  });

  it('accepts no fields, and returns 404 for a missing experiment', async () => {
    expect(
      refusedPaths(await scene.client.post(`${shared.path}/results/share/rotate`, { token: 'x' })),
    ).toEqual(['token']);
    const missing = `${scene.project}/experiments/999999/results/share/rotate`;
    expect((await scene.client.post(missing)).status).toBe(404);
    expect((await scene.other.client.post(`${shared.path}/results/share/rotate`)).status).toBe(404);
  });
});

describe('share_by_default', () => {
  let make: Maker;
  const settings = () => `${make.project}/settings`;
  const setDefault = (value: unknown) => scene.client.patch(settings(), { share_by_default: value });

  beforeEach(async () => {
    make = await anotherProject(scene);
  });

  it('is on in a new project', async () => {
    expect((await scene.client.get(settings())).body.share_by_default).toBe(true);
    expect((await make.experiment()).shared).toBe(true);
    expect((await make.experiment({ shared: false })).shared).toBe(false);
  });

  it('when off, leaves new experiments and clones unshared, and does not change existing ones', async () => {
    const before = await make.experiment();
    expect((await setDefault(false)).body.share_by_default).toBe(false);
    expect((await make.experiment()).shared).toBe(false);
    expect((await make.experiment({ shared: true })).shared).toBe(true);
    expect((await scene.client.post(`${before.path}/clone`)).body.shared).toBe(false);
    expect((await scene.client.get(before.path)).body.shared).toBe(true);
  });

  it('when on, does not share the clone of an experiment that is not shared', async () => {
    const hidden = await make.experiment({ shared: false });
    expect((await scene.client.post(`${hidden.path}/clone`)).body.shared).toBe(false);
  });

  it.each([['off'], [1], [null]])('cannot be %j', async (value) => {
    expect(refusedPaths(await setDefault(value))).toEqual(['share_by_default']);
  });

  it('can be changed by publishers, not by editors', async () => {
    const { editor, publisher } = scene.world.people;
    expect((await editor.client.patch(settings(), { share_by_default: false })).status).toBe(403);
    expect((await publisher.client.patch(settings(), { share_by_default: false })).status).toBe(200);
  });
});
