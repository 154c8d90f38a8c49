import { ProjectChanges } from '../../src/projects/project-versions.store';
import { revertsIn } from '../support/reverts';
import { anotherProject, errorsOf, useScene } from '../support/scene';
import { dump } from '../support/walk';

/* Revert requests: dry runs, repeated requests, concurrent requests, and conditional requests. */

const scene = useScene();

const { last, revert, revertLast } = revertsIn(scene);

const revertIf = (project: string, { id }: { id: number }, tag: string | undefined) =>
  scene.client.post(`${project}/audit/${id}/revert`, {}, { 'if-match': String(tag) });

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

  it('notifies the caches of this process after the commit', async () => {
    const make = await anotherProject(scene, 'Caches');
    const goal = await make.goal({ api_name: 'before' });
    await scene.client.patch(goal.path, { api_name: 'after' });
    const entry = await last(make.project);
    const { database, app } = scene.api;
    const inTransaction: boolean[] = [];
    app
      .get(ProjectChanges, { strict: false })
      .listen((id) => id === make.projectId && inTransaction.push(database.isTogether));
    expect((await revert(make.project, entry)).status).toBe(200);
    expect(inTransaction.at(-1)).toBe(false);
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
    expect((await revertIf(make.project, { id }, old)).status).toBe(412);
    const answer = await revertIf(make.project, { id }, headers.etag);
    expect(answer.status).toBe(200);
    expect(answer.headers.etag).toBe((await scene.client.get(goal.path)).headers.etag);
  });

  it('accepts the ETag that GET returns for every kind of record, and no other', async () => {
    const make = await anotherProject(scene, 'All tags');
    const experiment = await make.experiment();
    const environment = await make.environment();
    const written = `${make.project}/settings/environments/${environment.id}`;
    const paths: [read: string, write?: string][] = [
      [(await make.page()).path],
      [(await make.audience()).path],
      [(await make.of('exclusion-groups')).path],
      [experiment.path],
      [(await make.variation(experiment)).path],
      [`${make.project}/environments/${environment.id}`, written],
      [make.project],
    ];
    for (const [read, write = read] of paths) {
      await scene.client.patch(write, { name: 'Other' });
      const entry = await last(make.project);
      const { etag } = (await scene.client.get(read)).headers;
      expect([read, (await revertIf(make.project, entry, '"stale"')).status]).toEqual([read, 412]);
      expect([read, (await revertIf(make.project, entry, etag)).status]).toEqual([read, 200]);
    }
    const settings = `${make.project}/settings`;
    const { headers } = await scene.client.patch(settings, { currency: 'EUR' });
    expect((await revertIf(make.project, await last(make.project), headers.etag)).status).toBe(200);
  });

  it('checks If-Match before the record, and a deleted record matches no tag', async () => {
    const make = await anotherProject(scene, 'Deleted');
    const experiment = await make.experiment();
    const variation = await make.variation(experiment, { is_original: false });
    const environment = await make.environment();
    const written = `${make.project}/settings/environments/${environment.id}`;
    const paths = [
      (await make.goal()).path,
      (await make.variation(experiment)).path,
      written,
      experiment.path,
    ];
    for (const path of paths) {
      const { etag } = (await scene.client.get(path.replace('/settings', ''))).headers;
      expect([path, (await scene.client.delete(path)).status]).toEqual([path, 204]);
      const entry = await last(make.project, '&action=delete');
      for (const tag of ['"stale"', '*', etag]) {
        expect([path, tag, (await revertIf(make.project, entry, tag)).status]).toEqual([path, tag, 412]);
      }
      expect([path, (await revert(make.project, entry)).status]).toEqual([path, 200]);
      expect([path, (await revertIf(make.project, entry, '"stale"')).status]).toEqual([path, 412]);
      expect([path, (await revertIf(make.project, entry, '*')).status]).toEqual([path, 422]);
    }
    await scene.client.patch(`${experiment.path}/variations/${variation.id}`, { name: 'First' });
    const first = await last(make.project);
    await scene.client.patch(`${experiment.path}/variations/${variation.id}`, { name: 'Second' });
    expect((await revertIf(make.project, first, '"stale"')).status).toBe(412);
    expect((await revertIf(make.project, first, '*')).status).toBe(422);
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
