import { parseHTML } from 'linkedom';
import { documentOf, submitPage, textOf, useConsole } from '../support/console';
import type { Made } from '../support/scene';
import type { Visitor } from '../support/visitor';

/* The exclusion group of an experiment in the console. */

const stage = useConsole();
let admin: Visitor;

beforeAll(async () => {
  admin = await stage.admin();
});

const recordOf = async ({ path }: Made): Promise<Made> => (await stage.client.get(path)).body as Made;

it('the exclusion group and the share are chosen in the edit form, unless the experiment is running', async () => {
  const experiment = await stage.make.ready();
  expect((await admin.get(`${experiment.path}/edit`)).text).not.toContain('exclusion_');
  const group = await stage.make.of('exclusion-groups', { name: 'Checkout' });
  const fields = { exclusion_group_id: String(group.id), exclusion_share: '33,3' };
  expect((await submitPage(admin, `${experiment.path}/edit`, fields)).status).toBe(303);
  const chosen = { exclusion_group_id: group.id, exclusion_share: 33.3 };
  expect(await recordOf(experiment)).toMatchObject(chosen);
  await stage.make.move(experiment, 'running');
  expect((await admin.get(`${experiment.path}/edit`)).text).not.toContain('exclusion_');
  expect((await submitPage(admin, `${experiment.path}/edit`, { name: 'Live' })).status).toBe(303);
  await stage.make.move(experiment, 'pause');
  const none = { exclusion_group_id: '' };
  expect((await submitPage(admin, `${experiment.path}/edit`, none)).status).toBe(303);
  expect(await recordOf(experiment)).toMatchObject({ ...chosen, exclusion_group_id: null });
});

it('the form for a new exclusion group says when an experiment can join it', async () => {
  const document = await documentOf(admin, `${stage.world.project}/exclusion-groups/new`);
  expect(textOf(document.querySelector('main'))).toContain(
    'use “Edit” on the experiment page while the experiment is neither running nor archived.',
  );
});

it('the experiment cannot be started if too little of the group is free, and the page explains why', async () => {
  const group = await stage.make.of('exclusion-groups', { name: 'Full' });
  const fields = { exclusion_group_id: group.id, exclusion_share: 60 };
  await stage.make.withStatus('running', { ...fields, name: 'First' });
  const second = await stage.make.ready(fields);
  const { status, text } = await submitPage(admin, `${second.path}/status?to=running`, {});
  expect(status).toBe(422);
  expect(textOf(parseHTML(text).document.querySelector('[role="alert"]'))).toContain(
    `The exclusion group Full (${group.id}) has 40 % free, but the experiment needs 60 %.`,
  );
  expect((await recordOf(second)).status).toBe('draft');
});

it('the exclusion group does not count as an unpublished edit to a running experiment', async () => {
  const group = await stage.make.of('exclusion-groups', { name: 'Shared' });
  const experiment = await stage.make.withStatus('running', {
    exclusion_group_id: group.id,
    exclusion_share: 40,
  });
  const asksToPublish = async (): Promise<boolean> =>
    (await admin.get(experiment.path)).text.includes('The running experiment was edited.');
  expect(await asksToPublish()).toBe(false);
  await stage.client.patch(experiment.path, { css: '.edited{}' });
  expect(await asksToPublish()).toBe(true);
  await stage.client.patch(`${experiment.path}/publish`);
  expect(await asksToPublish()).toBe(false);
});
