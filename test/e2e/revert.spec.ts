import { attributeAll, conversion, exposure, send } from '../support/events';
import { changeOf, WRITABLE } from '../support/resources';
import { revertsIn } from '../support/reverts';
import { anotherProject, errorsOf, type Made, useScene } from '../support/scene';
import { dump } from '../support/walk';

/* Reverting the changes in the audit log. */

const scene = useScene();

const { last, revert, revertLast, shown } = revertsIn(scene);

const codeOf = async (answer: Promise<{ status: number; body: { code: string } }>) => {
  const { status, body } = await answer;
  return `${status} ${body.code}`;
};

describe.each(WRITABLE.map((resource) => [resource.type, resource] as const))(
  'a change to a %s',
  (type, { path: kind, writes }) => {
    const fields = { ...(writes?.create as unknown as { example: object }).example, name: 'Item' };

    it('can be reverted', async () => {
      const make = await anotherProject(scene, type);
      const made = await make.of(kind, fieldsWithoutReferences(fields));
      const before = await shown(made);
      const change = { name: 'Other', ...changeOf(kind) };
      await scene.client.patch(made.path, change);
      const entry = await revertLast(make.project);
      expect(entry).toMatchObject({
        action: 'revert',
        item_type: type,
        item_id: made.id,
        before: change,
        after: Object.fromEntries(Object.keys(change).map((field) => [field, before[field]])),
      });
      expect(await shown(made)).toEqual(before);
    });

    it('is undone by deleting a new record, or restoring a deleted record with its id and content', async () => {
      const make = await anotherProject(scene, type);
      const made = await make.of(kind, fieldsWithoutReferences(fields));
      const before = await shown(made);
      const { etag } = (await scene.client.get(made.path)).headers;
      expect(await revertLast(make.project)).toMatchObject({ action: 'revert', before: { name: 'Item' } });
      expect((await scene.client.get(made.path)).status).toBe(404);
      const restored = await revertLast(make.project);
      expect(restored).toMatchObject({ action: 'revert', item_id: made.id, before: null });
      expect(await shown(made)).toEqual(before);
      expect((await scene.client.get(made.path)).headers.etag).not.toBe(etag);
      expect((await scene.client.get(made.path, { 'if-none-match': String(etag) })).status).toBe(200);
    });
  },
);

/** Removes references, because the examples refer to records of another project. */
function fieldsWithoutReferences(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !field.endsWith('_id')));
}

describe('a deleted goal', () => {
  it('still has its conversions when it is restored, so its type and value type cannot change', async () => {
    const make = await anotherProject(scene, 'Collected');
    const { client_key } = (await scene.client.get(make.project)).body as { client_key: string };
    const experiment = await make.withStatus('running');
    const [collected, unused] = [
      await make.goal({ name: 'Collected', value_type: 'revenue' }),
      await make.goal({ name: 'Unused', value_type: 'revenue' }),
    ];
    const messages = [
      exposure('visitor', experiment.id, experiment.variations[0].id),
      conversion('visitor', collected.api_name, 5),
    ];
    expect((await send(scene.api, client_key, messages)).body.accepted).toBe(2);
    await attributeAll(scene.api);
    for (const goal of [collected, unused]) {
      await scene.client.delete(goal.path);
      await revertLast(make.project);
    }
    expect(errorsOf(await scene.client.patch(collected.path, { value_type: 'none' }))).toEqual({
      value_type: ['The value_type cannot change once the goal has conversions.'],
    });
    expect((await scene.client.patch(unused.path, { value_type: 'none' })).status).toBe(200);
  });
});

describe('a change to an experiment', () => {
  it('can be reverted, including code, tags, attachments and decision', async () => {
    const make = await anotherProject(scene, 'Experiments');
    const experiment = await make.ready({ css: '.a {}', tags: ['one'] });
    const [goal, page] = [await make.goal({ name: 'Other' }), await make.page({ name: 'Other' })];
    const before = await shown(experiment);
    const changes = {
      name: 'Changed',
      css: '.b {}',
      js: 'window.b = 1;',
      tags: ['two', 'three'],
      goals: [goal.id],
      pages: [page.id, ...experiment.pages],
      traffic_allocation: 50,
      decision: { outcome: 'ship', variation_id: experiment.variations[1].id },
    };
    expect((await scene.client.patch(experiment.path, changes)).status).toBe(200);
    const changed = await shown(experiment);
    await revertLast(make.project);
    expect(await shown(experiment)).toEqual(before);
    // Reverting the revert restores the change, with a new decision.
    await revertLast(make.project);
    const decision = { ...(changed.decision as object), decided_at: expect.any(String) };
    expect(await shown(experiment)).toEqual({ ...changed, decision });
  });

  it('is reverted only in the fields of the audit entry', async () => {
    const make = await anotherProject(scene, 'Fields');
    const experiment = await make.experiment({ description: 'Old' });
    await scene.client.patch(experiment.path, { description: 'New' });
    const entry = await last(make.project);
    await scene.client.patch(experiment.path, { name: 'Renamed', traffic_allocation: 10 });
    expect((await revert(make.project, entry)).status).toBe(200);
    expect(await shown(experiment)).toMatchObject({
      name: 'Renamed',
      traffic_allocation: 10,
      description: 'Old',
    });
  });

  it('cannot be reverted if its fields have since changed, and the error names them', async () => {
    const make = await anotherProject(scene, 'Refused');
    const experiment = await make.ready();
    await scene.client.patch(experiment.path, { name: 'Second', css: '.x {}', pages: [] });
    const entry = await last(make.project);
    await scene.client.patch(experiment.path, { name: 'Third', pages: [experiment.pages[0].id] });
    const before = await dump(scene);
    const answer = await revert(make.project, entry);
    expect(errorsOf(answer)).toEqual({
      name: ['The name field changed after this entry: it was "Second" and is now "Third".'],
      pages: ['The pages field changed after this entry.'],
    });
    expect(answer.body.code).toBe('CHANGED_SINCE');
    expect(await dump(scene)).toEqual(before);
  });

  it('is undone by deleting a new experiment or clone, unless it has since changed', async () => {
    const make = await anotherProject(scene, 'New');
    const experiment = await make.ready();
    const created = await last(make.project);
    const clone = (await scene.client.post(`${experiment.path}/clone`, {})).body as Made;
    await revertLast(make.project);
    expect((await scene.client.get(`${make.project}/experiments/${clone.id}`)).status).toBe(404);
    await make.variation(experiment, { name: 'Third' });
    const refused = await revert(make.project, created);
    expect(errorsOf(refused)).toEqual({ variations: ['The variations field changed after this entry.'] });
    await revertLast(make.project);
    expect((await revert(make.project, created)).status).toBe(200);
    expect((await scene.client.get(experiment.path)).status).toBe(404);
  });

  it('is undone by restoring a deleted experiment from the trash, paused if it was running', async () => {
    const make = await anotherProject(scene, 'Trash');
    const experiment = await make.withStatus('running', { example_url: 'https://shop.example.com/' });
    const before = await shown(experiment);
    await scene.client.delete(experiment.path);
    const { id } = await last(make.project, '&action=delete');
    const { editor } = scene.world.people;
    expect((await revert(make.project, { id }, '', editor.client)).status).toBe(403);
    expect((await revert(make.project, { id })).status).toBe(200);
    expect(await shown(experiment)).toMatchObject({
      id: experiment.id,
      status: 'pause',
      started_at: before.started_at,
      goals: before.goals,
    });
    expect(await codeOf(revert(make.project, { id }))).toBe('422 CHANGED_SINCE');
    // The audit entry of the restore can also be reverted.
    await revertLast(make.project);
    expect((await scene.client.get(experiment.path)).status).toBe(404);
  });

  it('cannot be reverted if the rules for archived and running experiments forbid it', async () => {
    const make = await anotherProject(scene, 'Rules');
    const experiment = await make.withStatus('running');
    await scene.client.patch(experiment.path, { pages: [experiment.pages[0], (await make.page()).id] });
    const entry = await last(make.project, '&action=update');
    await make.move(experiment, 'archive');
    expect(await codeOf(revert(make.project, entry))).toBe('422 EXPERIMENT_ARCHIVED');
    const goal = await make.goal();
    const used = await make.ready({ goals: [goal.id] });
    const created = await last(make.project, `&item_type=goal&item_id=${goal.id}`);
    await make.move(used, 'running');
    expect(await codeOf(revert(make.project, created))).toBe('422 IN_USE');
  });
});

describe('a change to an audience', () => {
  it('cannot be reverted to text that the log has truncated', async () => {
    const values = Array.from({ length: 1_000 }, (_, index) => `${index}`.padEnd(2_048, 'x'));
    const conditions = { type: 'attribute', name: 'plan', match: 'in', value: values };
    const document = { audiences: [{ api_name: 'long', name: 'Long', conditions }] };
    expect((await scene.client.put(`${scene.project}/definition`, document)).status).toBe(200);
    const [{ id }] = (await scene.client.get(`${scene.project}/audiences?search=long`)).body as Made[];
    const path = `${scene.project}/audiences/${id}`;
    await scene.client.patch(path, { conditions: null });
    const [entry] = (await scene.client.get(`${scene.project}/audit?per_page=1`)).body as Made[];
    const refused = await scene.client.post(`${scene.project}/audit/${entry.id}/revert`);
    expect(errorsOf(refused)).toEqual({
      conditions: ['The log stores only the beginning of the conditions field. Set the field yourself.'],
    });
    expect((await scene.client.get(path)).body.conditions).toBeNull();
  });
});

describe('a change to a variation', () => {
  it('can be reverted, and a deleted variation is restored with its id', async () => {
    const make = await anotherProject(scene, 'Variations');
    const experiment = await make.ready({ example_url: 'https://shop.example.com/' });
    const variation = await make.variation(experiment, { name: 'Third', js: 'window.a = 1;' });
    const before = await shown(variation);
    await scene.client.patch(variation.path, { js: 'window.a = 2;', traffic_allocation: 20 });
    await revertLast(make.project);
    expect(await shown(variation)).toEqual(before);
    await scene.client.delete(variation.path);
    await revertLast(make.project);
    expect(await shown(variation)).toEqual(before);
    await scene.client.delete(variation.path);
    const deleted = await last(make.project);
    await make.variation(experiment, { name: 'Third' });
    expect(errorsOf(await revert(make.project, deleted))).toEqual({
      api_name: ['The api name has already been taken.'],
    });
    await scene.client.delete(experiment.path);
    expect(errorsOf(await revert(make.project, deleted))).toEqual({
      entry: [`The variation's experiment (id ${experiment.id}) no longer exists.`],
    });
  });
});

describe('a change to the project', () => {
  it('can be reverted by publishers only', async () => {
    const { project } = await anotherProject(scene, 'Settings');
    const { editor, publisher } = scene.world.people;
    const paths = [project, `${project}/settings`];
    const [record, settings] = await Promise.all(paths.map((path) => shown({ path })));
    await scene.client.patch(project, { name: 'Renamed', significance: 99 });
    await scene.client.patch(`${project}/settings`, {
      currency: 'EUR',
      allowed_origins: ['https://a.example'],
    });
    for (const [index, type] of ['project', 'project_settings'].entries()) {
      const entry = await last(project, `&item_type=${type}`);
      const refused = await revert(project, entry, '', editor.client);
      expect([refused.status, refused.body.permission]).toEqual([403, 'project:settings']);
      const { status, headers } = await revert(project, entry, '', publisher.client);
      expect([status, headers.etag]).toEqual([200, (await scene.client.get(paths[index])).headers.etag]);
    }
    expect(await Promise.all(paths.map((path) => shown({ path })))).toEqual([record, settings]);
  });
});
