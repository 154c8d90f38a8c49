import { useAssistants } from '../support/assistant';
import { conversion, send } from '../support/events';
import { Maker } from '../support/scene';

/* Plans, installation checks and reverts by assistants, over HTTP with the official client. */

const scene = useAssistants();

/** Creates a separate project. */
async function otherProject(): Promise<{ make: Maker; project_id: number }> {
  const project_id = await scene.api.project(scene.world.teamId, 'Other');
  return { make: new Maker(scene.client, `/projects/${project_id}`), project_id };
}

describe('plan_experiment', () => {
  // R: power.prop.test(p1 = 0.2, p2 = 0.25, power = 0.8) gives n = 1093.739.
  it('returns the same sample size as R, even with a read-only token', async () => {
    const { id } = scene.world.people.viewer;
    const reader = await scene.assistantOf(await scene.api.token(id, 'read'));
    const given = { minimum_effect: 25, baseline_rate: 20, method: 'frequentist' };
    const { text, data } = await reader.use('plan_experiment', { ...scene.here(), ...given });
    expect(data).toMatchObject({ participants: 2_188, per_variation: [1_094, 1_094], days: null });
    expect(text).toBe(
      '2188 participants in total to detect 25 % with 80 % power at 95 % significance (frequentist). Set daily_visitors to compute days.',
    );
    const daily = await reader.use('plan_experiment', {
      ...scene.here(),
      ...given,
      daily_visitors: 100,
    });
    expect([daily.data.days, daily.text.slice(-14)]).toEqual([22, 'About 22 days.']);
    expect(daily.data.minimum_detectable_effect.map(({ day }: { day: number }) => day)).toEqual([
      7, 14, 21, 28,
    ]);
  });

  it('needs exactly one baseline', async () => {
    const viewer = await scene.of(scene.world.people.viewer);
    const { isError, text } = await viewer.use('plan_experiment', { ...scene.here(), minimum_effect: 10 });
    expect([isError, text]).toEqual([true, expect.stringMatching(/^Rejected with status 422: .*goal_id/s)]);
  });
});

describe('the installation', () => {
  it('is described as in the API, with incoming messages and rejection reasons', async () => {
    const { make, project_id } = await otherProject();
    const viewer = await scene.of(scene.world.people.viewer);
    const before = await viewer.use('check_installation', { project_id });
    expect(before.text).toContain('The snippet was not seen');
    expect(before.data.last_message_at).toBeNull();
    await make.goal({ name: 'Sale' });
    const { client_key } = (await scene.client.get(make.project)).body as { client_key: string };
    await send(scene.api, client_key, [conversion('ann', 'sale'), conversion('ben', 'sail')], {
      'user-agent': 'curl/8',
    });
    const { text, data } = await viewer.use('check_installation', { project_id });
    expect(data).toEqual((await scene.client.get(`${make.project}/health`)).body);
    expect(data.last_hour).toMatchObject({ accepted: 1, rejected_by_reason: { unknown_event: 1 } });
    expect(text).toContain('Last hour: 1 message accepted, 1 rejected.');

    const all = await viewer.get('list_recent_events', { project_id });
    expect(all.messages).toMatchObject([
      { outcome: 'rejected', reason: 'unknown_event', event: 'sail', visitor_id: 'ben' },
      { outcome: 'accepted', reason: null, event: 'sale', visitor_id: 'ann' },
    ]);
    const refused = { project_id, outcome: ['rejected', 'refused'] };
    const some = await viewer.use('list_recent_events', refused);
    expect(some.data.messages).toHaveLength(1);
    expect(some.text).toBe(
      `1 message found. Only the last 200 messages are known, and none from before ${some.data.since}.`,
    );
    const later = await viewer.get('list_recent_events', {
      ...refused,
      since: some.data.messages[0].received_at,
    });
    expect(later.messages).toEqual([]);
  });

  it('is hidden from other teams', async () => {
    const outsider = await scene.of(scene.world.outsider);
    for (const tool of ['check_installation', 'list_recent_events', 'list_changes']) {
      const { isError, text } = await outsider.use(tool, scene.here());
      expect([tool, isError, text]).toEqual([tool, true, expect.stringContaining('status 404')]);
    }
  });
});

describe('the history', () => {
  it('shows who changed what, page by page', async () => {
    const { make, project_id } = await otherProject();
    const goal = await make.goal({ name: 'Sale' });
    await scene.client.patch(goal.path, { description: 'Paid orders' });
    await make.page({ name: 'Cart' });
    const viewer = await scene.of(scene.world.people.viewer);
    const { data, text } = await viewer.use('list_changes', { project_id, item_type: 'goal', per_page: 1 });
    expect(data.items).toMatchObject([
      {
        action: 'update',
        item_type: 'goal',
        item_id: goal.id,
        item_name: 'Sale',
        actor: { type: 'token', user_name: expect.any(String) },
        before: { description: null },
        after: { description: 'Paid orders' },
      },
    ]);
    expect(data.paging).toEqual({ page: 1, per_page: 1, total: 2, next_page: 2 });
    expect(text).toBe('1 of 2 changes, page 1. There are more: request page 2.');
    const searched = await viewer.get('list_changes', { project_id, search: 'cart' });
    expect(searched.items).toMatchObject([{ action: 'create', item_name: 'Cart' }]);
  });

  it('truncates code, which can be long', async () => {
    const { make, project_id } = await otherProject();
    const experiment = await make.ready();
    const js = `/* ${'x'.repeat(2_000)} */`;
    await scene.client.patch(experiment.path, { js });
    const viewer = await scene.of(scene.world.people.viewer);
    const { items } = await viewer.get('list_changes', { project_id, item_type: 'experiment' });
    expect(items[0].after.js).toBe(`${js.slice(0, 500)}... (${js.length} characters)`);
  });

  it('shortens values inside of conditions too, in lists of changes and of audiences', async () => {
    const { make, project_id } = await otherProject();
    const script = `return "${'x'.repeat(20_000)}"`;
    const values = Array.from({ length: 1_000 }, (_, index) => `${'v'.repeat(200)}${index}`);
    const conditions = [
      'or',
      { type: 'javascript', value: script },
      { type: 'attribute', name: 'group', match: 'in', value: values },
    ];
    const audience = await make.audience({ conditions });
    const viewer = await scene.of(scene.world.people.viewer);
    for (const tool of ['list_audiences', 'list_changes']) {
      const { data, text } = await viewer.use(tool, { project_id });
      expect([tool, JSON.stringify(data).length < 10_000]).toEqual([tool, true]);
      expect(text).toContain('Long values are shortened.');
    }
    const { audience: whole } = await viewer.get('get_audience', { project_id, audience_id: audience.id });
    expect(JSON.stringify(whole).length).toBeGreaterThan(200_000);
  });

  it('allows users with the permission for a change to revert it, after a preview', async () => {
    const { make, project_id } = await otherProject();
    const goal = await make.goal({ name: 'Sale' });
    await scene.client.patch(goal.path, { description: 'Wrong' });
    const descriptionNow = async () =>
      ((await scene.client.get(goal.path)).body as { description: string | null }).description;
    const editor = await scene.of(scene.world.people.editor);
    const [{ id: entry_id }] = (await editor.get('list_changes', { project_id })).items as { id: number }[];

    const viewer = await scene.of(scene.world.people.viewer);
    const forbidden = await viewer.use('revert_change', { project_id, entry_id });
    expect([forbidden.isError, forbidden.text]).toEqual([true, expect.stringContaining('status 403')]);

    const tried = await editor.use('revert_change', { project_id, entry_id, dry_run: true });
    expect(tried.text).toBe(`Would revert change ${entry_id} of goal "Sale".`);
    expect(tried.data.change).toMatchObject({
      before: { description: 'Wrong' },
      after: { description: null },
    });
    expect(await descriptionNow()).toBe('Wrong');

    const done = await editor.use('revert_change', { project_id, entry_id });
    expect(done.text).toBe(`Reverted change ${entry_id} of goal "Sale".`);
    expect(await descriptionNow()).toBeNull();

    const again = await editor.use('revert_change', { project_id, entry_id });
    expect(again.isError).toBe(true);
    expect(again.text).toMatch(/^Rejected with status 422: .*description/s);
  });
});
