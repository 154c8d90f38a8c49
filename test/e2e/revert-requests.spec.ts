import { revertsIn } from '../support/reverts';
import { anotherProject, errorsOf, useScene } from '../support/scene';
import { dump } from '../support/walk';

/* Revert requests: dry runs, repeated requests, concurrent requests, and conditional requests. */

const scene = useScene();

const { last, revert, revertLast } = revertsIn(scene);

describe('reverting', () => {
  it('shows the change in a dry run and stores nothing', async () => {
    const make = await anotherProject(scene, 'Dry');
    const goal = await make.goal();
    await scene.client.patch(goal.path, { name: 'Other' });
    const entry = await last(make.project);
    const before = await dump(scene);
    const answer = await revert(make.project, entry, '?dry_run=1');
    const { status, headers } = answer;
    expect([status, headers['x-dry-run'], headers.etag]).toEqual([200, 'true', undefined]);
    expect(answer.body).toMatchObject({ id: null, action: 'revert', after: { name: 'Goal' } });
    expect(await dump(scene)).toEqual(before);
  });

  it('happens once: only one of several concurrent requests succeeds', async () => {
    const make = await anotherProject(scene, 'Race');
    const goal = await make.goal();
    await scene.client.patch(goal.path, { name: 'Other' });
    const entry = await last(make.project);
    const answers = await Promise.all(Array.from({ length: 6 }, () => revert(make.project, entry)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422, 422, 422]);
    expect((await scene.client.get(`${make.project}/audit?action=revert`)).body).toHaveLength(1);
  });

  it('returns the same response to a repeated request with an Idempotency-Key', async () => {
    const make = await anotherProject(scene, 'Keys');
    const entry = (await make.page(), await last(make.project));
    const send = () =>
      scene.client.post(`${make.project}/audit/${entry.id}/revert`, {}, { 'idempotency-key': 'revert-once' });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status, second.headers['idempotency-replayed']]).toEqual([200, 200, 'true']);
    expect(second.body).toEqual(first.body);
  });

  it('accepts an If-Match with the ETag of the changed record', async () => {
    const make = await anotherProject(scene, 'Tags');
    const goal = await make.goal();
    const old = (await scene.client.get(goal.path)).headers.etag;
    const { headers } = await scene.client.patch(goal.path, { name: 'Other' });
    const { id } = await last(make.project);
    const send = (tag: unknown) =>
      scene.client.post(`${make.project}/audit/${id}/revert`, {}, { 'if-match': String(tag) });
    expect((await send(old)).status).toBe(412);
    const answer = await send(headers.etag);
    expect(answer.status).toBe(200);
    expect(answer.headers.etag).toBe((await scene.client.get(goal.path)).headers.etag);
  });

  it('is rejected for a deletion if the record exists again or was deleted again', async () => {
    const make = await anotherProject(scene, 'Twice');
    const page = await make.page();
    await scene.client.delete(page.path);
    const first = await last(make.project);
    await revertLast(make.project);
    const isBack = `The page with id ${page.id} exists again.`;
    expect(errorsOf(await revert(make.project, first))).toEqual({ entry: [isBack] });
    await scene.client.delete(page.path);
    const wasDeletedAgain = `The page with id ${page.id} changed after this entry. Revert its last deletion.`;
    expect(errorsOf(await revert(make.project, first))).toEqual({ entry: [wasDeletedAgain] });
  });

  it('is limited to entries of the project', async () => {
    const page = await scene.other.make.page();
    await scene.other.client.patch(page.path, { name: 'Other' });
    const { id } = (await scene.other.client.get(`${scene.other.project}/audit`)).body[0] as { id: number };
    expect((await revert(scene.project, { id })).status).toBe(404);
    expect((await revert(scene.other.project, { id })).status).toBe(404);
    expect((await scene.client.post(`${scene.project}/audit/x/revert`, {})).status).toBe(404);
  });
});
