import { TrashKey, TrashService } from '../../src/projects/trash/trash.service';
import { RESOURCES } from '../support/resources';
import { anotherProject, errorsOf, Made, Maker, TIMESTAMP, useScene } from '../support/scene';

const DAY_MICROS = 86_400_000_000;

describe('the trash', () => {
  const scene = useScene();
  let make: Maker;
  let projectId: number;

  beforeEach(async () => {
    make = await anotherProject(scene);
    projectId = make.projectId;
  });

  const trash = (): TrashService => scene.api.app.get(TrashService, { strict: false });
  const restore = (key: TrashKey) => trash().restore(key, 'admin');
  const deleted = async (fields: object = {}): Promise<Made> => {
    const made = await make.ready(fields);
    expect((await scene.client.delete(made.path)).status).toBe(204);
    return made;
  };
  const entryOf = async (type: string, id: number) =>
    (await trash().list()).find((entry) => entry.type === type && entry.id === id);
  const micros = (timestamp: string): number =>
    Date.parse(`${timestamp.slice(0, 23)}Z`) * 1000 + Number(timestamp.slice(23, 26));

  it('lists deleted records with their purge time, 30 days after the deletion', async () => {
    const { id } = await deleted({ name: 'Thrown away' });
    const entry = (await entryOf('experiment', id))!;
    expect(entry).toEqual({
      type: 'experiment',
      id,
      name: 'Thrown away',
      project_id: projectId,
      deleted_at: expect.stringMatching(TIMESTAMP),
      purge_at: expect.stringMatching(TIMESTAMP),
    });
    expect(micros(entry.purge_at!) - micros(entry.deleted_at!)).toBe(30 * DAY_MICROS);
  });

  it('restores a previewed experiment as a draft, because its requirements may no longer be met', async () => {
    const made = await make.ready();
    expect((await scene.client.patch(`${made.path}/status`, { status: 'preview' })).status).toBe(200);
    await scene.client.delete(made.path);
    expect(await restore({ type: 'experiment', id: made.id })).toBeNull();
    expect((await scene.client.get(made.path)).body).toMatchObject({ status: 'draft', paused_at: null });
  });

  it('restores an experiment completely', async () => {
    const audience = await make.audience();
    const made = await make.ready({
      tags: ['b', 'a'],
      js: 'f()',
      audiences: [audience.id],
      traffic_allocation: 1.5,
    });
    const before = (await scene.client.get(made.path)).body;
    const list = await scene.client.get(`${make.project}/experiments`);
    await scene.client.delete(made.path);
    expect((await scene.client.get(`${make.project}/experiments`)).body).toEqual([]);
    expect(await restore({ type: 'experiment', id: made.id })).toBeNull();
    const after = (await scene.client.get(made.path)).body;
    expect(after).toEqual({ ...before, updated_at: expect.stringMatching(TIMESTAMP) });
    expect(await entryOf('experiment', made.id)).toBeUndefined();
    const listAfter = await scene.client.get(`${make.project}/experiments`);
    expect(listAfter.body).toEqual([after]);
    expect(listAfter.headers.etag).not.toBe(list.headers.etag);
    const found = await scene.client.post(`${make.project}/experiments/find-by-name`, { name: before.name });
    expect(found.body.id).toBe(made.id);
  });

  it('restores an experiment with its api_name, or with the next available api_name', async () => {
    const ids: number[] = [];
    for (let index = 0; index < 3; index += 1) {
      ids.push((await deleted({ name: 'Twin', api_name: 'twin' })).id);
    }
    expect(await restore({ type: 'experiment', id: ids[1] })).toBeNull();
    await make.experiment({ name: 'Other', api_name: 'twin-2' });
    expect(await restore({ type: 'experiment', id: ids[0] })).toBeNull();
    expect(await restore({ type: 'experiment', id: ids[2] })).toBeNull();
    const { body } = await scene.client.get(`${make.project}/experiments`);
    const names = new Map((body as Made[]).map(({ id, api_name }) => [id, api_name]));
    expect(ids.map((id) => names.get(id))).toEqual(['twin-3', 'twin', 'twin-4']);
  });

  it('keeps a restored api_name within 64 characters, including an added number', async () => {
    const apiName = 'n'.repeat(64);
    const { id, path } = await deleted({ api_name: apiName });
    await make.experiment({ api_name: apiName });
    await restore({ type: 'experiment', id });
    expect((await scene.client.get(path)).body.api_name).toBe(`${'n'.repeat(62)}-2`);
  });

  it('does not publish restored experiments', async () => {
    const made = await make.withStatus('running');
    await scene.client.delete(made.path);
    await restore({ type: 'experiment', id: made.id });
    const { status, started_at: started } = (await scene.client.get(made.path)).body;
    expect(status).not.toBe('running');
    expect(started).toBe(made.started_at);
    await make.move(made, 'running');
  });

  it('restores an experiment, but does not attach records that have since been deleted', async () => {
    const made = await deleted();
    expect((await scene.client.delete(`${make.project}/pages/${made.pages[0].id}`)).status).toBe(204);
    await restore({ type: 'experiment', id: made.id });
    expect((await scene.client.get(made.path)).body.pages).toEqual([]);
  });

  it('restores a project with its contents', async () => {
    const made = await make.ready();
    const before = (await scene.client.get(make.project)).body;
    const inside = (await scene.client.get(made.path)).body;
    await scene.client.delete(make.project);
    expect(await entryOf('project', projectId)).toMatchObject({ name: 'Another', project_id: projectId });
    expect(await restore({ type: 'project', id: projectId })).toBeNull();
    const after = (await scene.client.get(make.project)).body;
    expect(after).toEqual({ ...before, updated_at: expect.stringMatching(TIMESTAMP) });
    expect((await scene.client.get(made.path)).body).toEqual(inside);
    const listed = (await scene.client.get(`/teams/${scene.world.teamId}/projects`)).body as Made[];
    expect(listed.find(({ id }) => id === projectId)).toEqual(after);
  });

  it('does not restore an experiment while its project is in the trash', async () => {
    const made = await deleted();
    await scene.client.delete(make.project);
    expect(await restore({ type: 'experiment', id: made.id })).not.toBeNull();
    expect(await entryOf('experiment', made.id)).toBeDefined();
    await restore({ type: 'project', id: projectId });
    expect((await scene.client.get(made.path)).status).toBe(404);
    expect(await restore({ type: 'experiment', id: made.id })).toBeNull();
    expect((await scene.client.get(made.path)).status).toBe(200);
  });

  it('restores only deleted records', async () => {
    const { id } = await make.experiment();
    for (const key of [
      { type: 'experiment', id },
      { type: 'experiment', id: 999_999 },
      { type: 'project', id: projectId },
    ]) {
      expect(await restore(key as TrashKey)).not.toBeNull();
      expect(await trash().purge(key as TrashKey, 'admin')).not.toBeNull();
    }
    expect((await scene.client.get(`${make.project}/experiments`)).body).toHaveLength(1);
  });

  it('deletes purged records permanently', async () => {
    const made = await deleted();
    expect(await trash().purge({ type: 'experiment', id: made.id }, 'admin')).toBeNull();
    expect(await entryOf('experiment', made.id)).toBeUndefined();
    expect(await restore({ type: 'experiment', id: made.id })).not.toBeNull();
    const rows = await scene.api.database.read.query('SELECT id FROM variations WHERE experiment_id = ?', [
      made.id,
    ]);
    expect(rows).toEqual([]);
  });

  it('records a purge in the project history, and changes nothing else in the project', async () => {
    const made = await deleted({ name: 'Thrown away' });
    const before = await scene.client.get(`${make.project}/definition`);
    expect(await trash().purge({ type: 'experiment', id: made.id }, 'admin')).toBeNull();
    const [entry, deletion] = (await scene.client.get(`${make.project}/audit`)).body as Made[];
    expect(entry).toMatchObject({
      actor: { type: 'command', user_id: null },
      action: 'purge',
      item_type: 'experiment',
      item_id: made.id,
      item_name: 'Thrown away',
      before: null,
      after: null,
    });
    const after = await scene.client.get(`${make.project}/definition`);
    expect(after.headers.etag).toBe(before.headers.etag);
    const revert = await scene.client.post(`${make.project}/audit/${entry.id}/revert`);
    expect(errorsOf(revert)).toEqual({
      entry: [
        'The action purge cannot be reverted. Purged data cannot be recovered. Create the record again.',
      ],
    });
    const restored = await scene.client.post(`${make.project}/audit/${deletion.id}/revert`);
    expect(errorsOf(restored)).toEqual({
      entry: [`The experiment with id ${made.id} was purged with all its data. Create it again.`],
    });
  });

  it('purges a project together with its pages, goals and experiments', async () => {
    const page = await make.page();
    await make.goal({ type: 'pageview', page_id: page.id });
    await make.ready();
    await scene.client.delete(make.project);
    expect(await trash().purge({ type: 'project', id: projectId }, 'admin')).toBeNull();
    for (const table of ['experiments', ...RESOURCES.map(({ collection }) => collection)]) {
      const rows = await scene.api.database.read.query(`SELECT id FROM ${table} WHERE project_id = ?`, [
        projectId,
      ]);
      expect([table, rows]).toEqual([table, []]);
    }
  });

  it("keeps only the audit entries for a purged project's deletion and purge", async () => {
    const { project, projectId } = await anotherProject(scene, 'Audited');
    await new Maker(scene.client, project).goal();
    await scene.client.delete(project);
    expect(await trash().purge({ type: 'project', id: projectId }, 'admin')).toBeNull();
    const entries: unknown[] = await scene.api.database.read.query(
      `SELECT source, action, item_name FROM audit_entries
        WHERE project_id = ? OR (item_type = 'project' AND item_id = ?) ORDER BY id`,
      [projectId, projectId],
    );
    expect(entries).toEqual([
      { source: 'api', action: 'delete', item_name: 'Audited' },
      { source: 'admin', action: 'purge', item_name: 'Audited' },
    ]);
  });

  it('is purged automatically after 30 days, and not earlier', async () => {
    const made = await deleted();
    const deletedAt = micros((await entryOf('experiment', made.id))!.deleted_at!);
    await trash().purgeExpired('server', deletedAt + 30 * DAY_MICROS - 1);
    expect(await entryOf('experiment', made.id)).toBeDefined();
    const purged = await trash().purgeExpired('server', deletedAt + 30 * DAY_MICROS);
    expect(purged).toContainEqual({ type: 'experiment', id: made.id });
    expect(await entryOf('experiment', made.id)).toBeUndefined();
  });
});
