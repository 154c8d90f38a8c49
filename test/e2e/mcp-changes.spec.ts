import { TOOLS, useAssistants } from '../support/assistant';
import { hasTools, WRITABLE } from '../support/resources';
import { dump } from '../support/walk';

/* Changes that assistants make over HTTP with the official client, and the permissions that they need. */

const scene = useAssistants();

describe('an experiment that an assistant creates', () => {
  it('is drafted, completed, started and paused', async () => {
    const publisher = await scene.of(scene.world.people.publisher);
    const draft = await publisher.get('draft_experiment', { ...scene.here(), name: 'Free shipping' });
    const { experiment } = draft;
    expect(experiment).toMatchObject({ name: 'Free shipping', status: 'draft', variations: [] });

    const before = await dump(scene);
    const missing = await publisher.use('check_start', scene.at(experiment));
    expect(missing.data).toEqual({
      possible: false,
      errors: {
        variations: ['The experiment needs at least one variation.'],
        pages: ['The experiment needs at least one page.'],
        goals: ['The experiment needs at least one goal.'],
      },
      allowed_statuses: ['archive'],
    });
    const refused = await publisher.use('start_experiment', scene.at(experiment));
    expect(refused.isError).toBe(true);
    expect(refused.text).toMatch(/^Rejected with status 422: /);
    expect(refused.text).toContain('- pages: The experiment needs at least one page.');
    expect(refused.text).toContain('allowed_statuses: archive');
    expect(await dump(scene)).toEqual(before);

    const { made: goal } = await publisher.get('create_goal', {
      ...scene.here(),
      name: 'Paid',
      value_type: 'revenue',
    });
    expect(goal).toMatchObject({
      name: 'Paid',
      type: 'custom',
      value_type: 'revenue',
      direction: 'increase',
    });
    const conditions = [{ value: '/cart' }, { match: 'contains', value: 'test', negate: true }];
    const { made: page } = await publisher.get('create_page', { ...scene.here(), name: 'Cart', conditions });
    expect(page.conditions).toEqual([{ match: 'simple', value: '/cart', negate: false }, conditions[1]]);
    const tree = ['and', { type: 'device', match: 'exact', value: 'mobile' }];
    const { made: audience } = await publisher.get('create_audience', {
      ...scene.here(),
      name: 'Phones',
      conditions: tree,
    });
    expect(audience.conditions).toEqual(tree);

    const changes = { pages: [page.id], goals: [goal.id], audiences: [audience.id], description: 'Why not?' };
    const args = { ...scene.at(experiment), if_match: draft.if_match, ...changes };
    const changed = await publisher.get('update_experiment', args);
    expect(changed.experiment).toMatchObject({ description: 'Why not?', audiences: [{ name: 'Phones' }] });
    await publisher.get('add_variation', { ...scene.at(experiment), name: 'As it is' });
    const added = await publisher.get('add_variation', {
      ...scene.at(experiment),
      name: 'Free',
      css: '.fee { color: red }',
    });
    const variation_id = added.variation.id as number;
    const styled = await publisher.get('update_variation', {
      ...scene.at(experiment),
      variation_id,
      if_match: added.if_match,
      css: '.fee { display: none }',
    });
    expect(styled.variation).toMatchObject({ name: 'Free', code_characters: { css: 22 } });

    expect(await publisher.use('check_start', scene.at(experiment))).toMatchObject({
      text: 'Nothing is missing.',
      data: { possible: true, errors: {}, allowed_statuses: [] },
    });
    const read = await scene.client.get(`${scene.world.project}/experiments/${experiment.id}`);
    expect(read.body.status).toBe('draft');
    const preview = await publisher.get('preview_experiment', scene.at(experiment));
    expect(preview.experiment.status).toBe('preview');
    const started = await publisher.use('start_experiment', scene.at(experiment));
    expect([started.text, started.data.experiment.status]).toEqual([
      '"Free shipping" is now in status running.',
      'running',
    ]);
    const revision = (await scene.client.get(scene.world.project)).body.snippet_revision as number;
    const edit = {
      ...scene.at(experiment),
      variation_id,
      if_match: styled.if_match,
      css: '.fee { opacity: 0 }',
    };
    await publisher.get('update_variation', edit);
    const published = await publisher.get('publish_project', scene.at(experiment));
    expect(published.project).toMatchObject({ id: scene.world.projectId, snippet_revision: revision + 1 });
    expect((await publisher.get('pause_experiment', scene.at(experiment))).experiment.status).toBe('pause');
  });

  it('cannot be started if it is already running, or archived', async () => {
    const publisher = await scene.of(scene.world.people.publisher);
    const check = async (status: string, target: string) =>
      publisher.use('check_start', { ...scene.at(await scene.make.withStatus(status)), target });
    for (const status of ['running', 'preview']) {
      const text = `The experiment already has the status ${status}.`;
      const { isError, ...told } = await check(status, status);
      expect([isError, told]).toEqual([
        false,
        { text, data: { possible: false, errors: { status: [text] }, allowed_statuses: [] } },
      ]);
    }
    for (const target of ['running', 'preview']) {
      expect(await check('archive', target)).toMatchObject({
        text: `The status of an experiment that was never started cannot change from archive to ${target}, only to draft.`,
        data: { possible: false, allowed_statuses: ['draft'] },
      });
      expect((await check('pause', target)).data.possible).toBe(true);
    }
    expect((await check('preview', 'running')).data.possible).toBe(true);
  });

  it.each(WRITABLE.filter(hasTools).map((resource) => [resource.type, resource] as const))(
    'can have its parts changed with the fields that reads return: %s',
    async (type, { path, writes }) => {
      const editor = await scene.of(scene.world.people.editor);
      const { made } = await editor.get(`create_${type}`, {
        ...scene.here(),
        ...(writes?.create.example as object),
      });
      const args = { ...scene.here(), [`${type}_id`]: made.id };
      const read = await editor.get(`get_${type}`, args);
      expect(read[type]).toEqual(made);
      const changed = await editor.use(`update_${type}`, {
        ...args,
        if_match: read.if_match,
        ...(writes?.update.example as object),
        name: 'Renamed',
      });
      expect([changed.text, changed.data[type].id]).toEqual([
        `Changed the ${type.replaceAll('_', ' ')} "Renamed".`,
        made.id,
      ]);
      const { body, headers } = await scene.client.get(`${scene.world.project}/${path}/${made.id}`);
      expect([body.name, headers.etag]).toEqual(['Renamed', changed.data.if_match]);
      const late = await editor.use(`update_${type}`, { ...args, if_match: read.if_match, name: 'Late' });
      expect([late.isError, late.text.slice(0, 24)]).toEqual([true, 'Rejected with status 412']);
    },
  );

  it('accepts the decision that get_experiment returns, also with null fields', async () => {
    const experiment = await scene.make.withStatus('archive');
    const editor = await scene.of(scene.world.people.editor);
    const { if_match } = await editor.get('get_experiment', scene.at(experiment));
    const decision = { outcome: 'inconclusive', variation_id: null, note: null };
    await editor.get('update_experiment', { ...scene.at(experiment), if_match, decision });
    const read = await editor.get('get_experiment', scene.at(experiment));
    expect(read.experiment.decision).toMatchObject(decision);
    const same = { if_match: read.if_match, decision: read.experiment.decision };
    expect(await editor.get('update_experiment', { ...scene.at(experiment), ...same })).toEqual(read);
    const none = { ...scene.at(experiment), if_match: read.if_match, decision: null };
    expect((await editor.get('update_experiment', none)).experiment.decision).toBeNull();
  });

  it('does not lose concurrent changes by other users', async () => {
    const experiment = await scene.make.ready();
    const editor = await scene.of(scene.world.people.editor);
    const { if_match } = await editor.get('get_experiment', scene.at(experiment));
    await scene.client.patch(experiment.path, { name: 'By a colleague' });
    const late = await editor.use('update_experiment', { ...scene.at(experiment), if_match, name: 'By me' });
    expect(late.isError).toBe(true);
    expect(late.text).toMatch(/^Rejected with status 412: Precondition Failed\n.*changed since you read it/);
    expect((await scene.client.get(experiment.path)).body.name).toBe('By a colleague');
    const [variation] = experiment.variations;
    const of_variation = { ...scene.at(experiment), variation_id: variation.id };
    const { if_match: old } = await editor.get('get_variation', of_variation);
    await scene.client.patch(`${experiment.path}/variations/${variation.id}`, { name: 'Renamed' });
    const wrong = await editor.use('update_variation', { ...of_variation, if_match: old, name: 'Mine' });
    expect([wrong.isError, wrong.text.slice(0, 24)]).toEqual([true, 'Rejected with status 412']);
    const publisher = await scene.of(scene.world.people.publisher);
    const stale = await publisher.use('start_experiment', { ...scene.at(experiment), if_match });
    expect([stale.isError, stale.text.slice(0, 24)]).toEqual([true, 'Rejected with status 412']);
  });

  it('has goals that are created only once if a request is repeated with the same key', async () => {
    const editor = await scene.of(scene.world.people.editor);
    const args = { ...scene.here(), name: 'Once', idempotency_key: 'goal-1' };
    const first = await editor.get('create_goal', args);
    expect(await editor.get('create_goal', args)).toEqual(first);
    expect((await editor.get('list_goals', { ...scene.here(), search: 'Once' })).items).toHaveLength(1);
    const other = await editor.use('create_goal', { ...args, name: 'Other' });
    expect([other.isError, other.text]).toEqual([true, expect.stringContaining('already been used')]);
    const twice = { ...scene.here(), name: 'Twice' };
    await editor.get('create_goal', twice);
    await editor.get('create_goal', twice);
    expect((await editor.get('list_goals', { ...scene.here(), search: 'Twice' })).items).toHaveLength(2);
  });
});

describe('permissions', () => {
  it('depend on the role', async () => {
    const experiment = await scene.make.ready();
    const [viewer, editor] = [
      await scene.of(scene.world.people.viewer),
      await scene.of(scene.world.people.editor),
    ];
    const drafted = await viewer.use('draft_experiment', { ...scene.here(), name: 'No' });
    expect([drafted.isError, drafted.text]).toEqual([
      true,
      "Rejected with status 403: This action is unauthorized.\nrole: viewer, missing permission: definitions:write\nThe token owner's role does not allow this. Someone with a sufficient role must do it.\ncode: ROLE_INSUFFICIENT",
    ]);
    for (const tool of ['start_experiment', 'check_start']) {
      const refused = await editor.use(tool, scene.at(experiment));
      expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('role: editor')]);
    }
    const asked = await editor.use('check_start', scene.at(experiment));
    expect(asked.text).toContain('Editors can call check_start with target preview');
    expect(asked.text).not.toContain('Someone with a sufficient role must do it.');
    expect((await editor.get('check_start', { ...scene.at(experiment), target: 'preview' })).possible).toBe(
      true,
    );
    const viewed = await viewer.use('check_start', scene.at(experiment));
    expect(viewed.text).toContain('Someone with a sufficient role must do it.');
    expect((await editor.use('publish_project', scene.at(experiment))).isError).toBe(true);
    expect((await scene.client.get(experiment.path)).body.status).toBe('draft');
  });

  it('depend on the token: a read-only token changes nothing, and the error names the missing ability', async () => {
    const experiment = await scene.make.ready();
    const reader = await scene.assistantOf(await scene.api.token(scene.world.people.admin.id, 'read'));
    const before = await dump(scene);
    const { if_match } = await reader.get('get_experiment', scene.at(experiment));
    const variation = { ...scene.at(experiment), variation_id: experiment.variations[0].id, if_match };
    const name = 'X';
    const calls: Record<string, object> = {
      ...Object.fromEntries(
        WRITABLE.filter(hasTools).flatMap(({ type }) => [
          [`create_${type}`, { ...scene.here(), name }],
          [`update_${type}`, { ...scene.here(), [`${type}_id`]: 1, if_match, name }],
        ]),
      ),
      draft_experiment: { ...scene.here(), name },
      add_variation: { ...scene.at(experiment), name },
      update_experiment: { ...scene.at(experiment), if_match, name },
      update_variation: { ...variation, name },
      check_start: scene.at(experiment),
      preview_experiment: scene.at(experiment),
      start_experiment: scene.at(experiment),
      pause_experiment: scene.at(experiment),
      publish_project: scene.at(experiment),
      revert_change: { ...scene.here(), entry_id: 1 },
    };
    expect(Object.keys(calls).sort()).toEqual([...TOOLS.adds, ...TOOLS.changes, 'check_start'].sort());
    for (const [tool, args] of Object.entries(calls)) {
      const { isError, text } = await reader.use(tool, args);
      expect([tool, isError, text]).toEqual([
        tool,
        true,
        expect.stringMatching(
          /^Rejected with status 403: Missing required ability: write\nThe token is read only\./,
        ),
      ]);
    }
    expect(await dump(scene)).toEqual(before);
  });

  it('are limited to the team: records of other teams are not found', async () => {
    const experiment = await scene.make.ready();
    const outsider = await scene.of(scene.world.outsider);
    const calls: [string, object][] = [
      ['list_projects', { team_id: scene.world.teamId }],
      ['list_experiments', scene.here()],
      ['get_experiment', scene.at(experiment)],
      ['get_results', scene.at(experiment)],
      ['get_results_info', scene.at(experiment)],
      ['draft_experiment', { ...scene.here(), name: 'X' }],
      ['check_start', scene.at(experiment)],
      ['start_experiment', scene.at(experiment)],
      ['publish_project', scene.at(experiment)],
    ];
    for (const [tool, args] of calls) {
      const { isError, text } = await outsider.use(tool, args);
      const expected = expect.stringMatching(
        /^Rejected with status 404: Not Found\nThe record does not exist, or/,
      ) as string;
      expect([tool, isError, text]).toEqual([tool, true, expected]);
    }
    expect((await outsider.get('list_teams')).items).toEqual([
      expect.objectContaining({ name: 'Other team' }),
    ]);
  });

  it('of an assistant are those of its user, whom the audit log records', async () => {
    const { id, token } = scene.world.people.editor;
    const editor = await scene.assistantOf(token);
    const { made } = await editor.get('create_goal', { ...scene.here(), name: 'Audited' });
    const entries: { user_id: number }[] = await scene.api.database.read.query(
      `SELECT user_id FROM audit_entries WHERE item_type = 'goal' AND item_id = ?`,
      [made.id],
    );
    expect(entries.map(({ user_id }) => user_id)).toEqual([id]);
  });
});
