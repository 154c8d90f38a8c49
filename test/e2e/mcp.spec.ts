import { Era, TOOLS, useAssistants } from '../support/assistant';
import { Cells } from '../support/cells';
import { Maker } from '../support/scene';

/* What assistants are told and what they read, over HTTP with the official client. */

const MODERN: Era = { pin: '2026-07-28' };

const scene = useAssistants();

describe.each<[string, Era]>([
  ['that begin with a handshake', 'legacy'],
  ['that need none', MODERN],
])('clients %s', (_, era) => {
  it('are told what the server is and how to use it', async () => {
    const { client } = await scene.assistantOf(scene.world.people.viewer.token, era);
    expect(client.getServerVersion()).toMatchObject({ name: 'gosset' });
    expect(client.getInstructions()).toMatch(/^Gosset runs A\/B experiments/);
    expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: false } });
  });

  it('see all tools, each explained, and what each does', async () => {
    const { client } = await scene.assistantOf(scene.world.people.viewer.token, era);
    const { tools } = await client.listTools();
    const byEffect = { reads: [], adds: [], changes: [] } as Record<string, string[]>;
    for (const { name, title, description = '', annotations, inputSchema, outputSchema } of tools) {
      expect([name, title !== undefined, description.length > 40]).toEqual([name, true, true]);
      expect([name, inputSchema.additionalProperties]).toEqual([name, false]);
      expect([name, outputSchema?.type]).toEqual([name, 'object']);
      expect([name, annotations?.openWorldHint]).toEqual([name, false]);
      const { readOnlyHint = false, destructiveHint = true } = annotations ?? {};
      byEffect[readOnlyHint ? 'reads' : destructiveHint ? 'changes' : 'adds'].push(name);
    }
    expect(byEffect).toEqual({
      reads: expect.arrayContaining(TOOLS.reads),
      adds: expect.arrayContaining(TOOLS.adds),
      changes: expect.arrayContaining(TOOLS.changes),
    });
    expect(tools).toHaveLength(Object.values(TOOLS).flat().length);
  });

  it('read and change', async () => {
    const assistant = await scene.assistantOf(scene.world.people.publisher.token, era);
    const experiment = await scene.make.ready({ name: `In ${JSON.stringify(era)}` });
    const { experiment: read, if_match } = await assistant.get('get_experiment', scene.at(experiment));
    expect(read).toMatchObject({ id: experiment.id, name: experiment.name, status: 'draft' });
    const started = await assistant.get('start_experiment', { ...scene.at(experiment), if_match });
    expect(started.experiment.status).toBe('running');
    expect((await assistant.get('pause_experiment', scene.at(experiment))).experiment.status).toBe('pause');
  });
});

describe('reading', () => {
  it('goes from teams to projects to experiments', async () => {
    const viewer = await scene.of(scene.world.people.viewer);
    const experiment = await scene.make.ready({ name: 'Needle', tags: ['cart'] });
    await scene.make.ready({ name: 'Hay' });
    const teams = await viewer.get('list_teams');
    expect(teams.items).toEqual([{ id: scene.world.teamId, name: 'Team' }]);
    const projects = await viewer.get('list_projects', { team_id: scene.world.teamId, search: 'shop' });
    expect(projects.items).toMatchObject([{ id: scene.world.projectId, name: 'Shop', significance: 95 }]);
    for (const filter of [{ search: 'needl' }, { tags: ['cart', 'other'], status: ['draft', 'pause'] }]) {
      const { items } = await viewer.get('list_experiments', { ...scene.here(), ...filter });
      expect(items).toEqual([
        expect.objectContaining({ id: experiment.id, name: 'Needle', status: 'draft', tags: ['cart'] }),
      ]);
      expect(items[0].variations).toEqual([
        { id: experiment.variations[0].id, name: 'Original', is_original: true },
        { id: experiment.variations[1].id, name: 'Variation', is_original: false },
      ]);
    }
    const none = await viewer.get('list_experiments', {
      ...scene.here(),
      tags: ['cart'],
      status: ['running'],
    });
    expect(none.items).toEqual([]);
  });

  it('lists what experiments are made of, in pages that say how they go on', async () => {
    const own = new Maker(
      scene.world.people.admin.client,
      `/projects/${await scene.api.project(scene.world.teamId, 'Pages')}`,
    );
    const project_id = Number(own.project.split('/').at(-1));
    for (const number of [1, 2, 3]) {
      await own.goal({ name: `Goal ${number}` });
      await own.page({ name: `Page ${number}`, conditions: [{ value: '/cart' }] });
      await own.audience({
        name: `Audience ${number}`,
        conditions: ['and', { type: 'device', value: 'mobile' }],
      });
    }
    const viewer = await scene.of(scene.world.people.viewer);
    for (const [kind, called] of [
      ['goals', 'Goal'],
      ['pages', 'Page'],
      ['audiences', 'Audience'],
    ]) {
      const args = { project_id, per_page: 2 };
      const { text, data } = await viewer.use(`list_${kind}`, args);
      expect(data.items.map(({ name }: { name: string }) => name)).toEqual([`${called} 1`, `${called} 2`]);
      expect(data.paging).toEqual({ page: 1, per_page: 2, total: 3, next_page: 2 });
      expect(text).toBe(`2 of 3 ${kind}, page 1. There are more: ask for page 2.`);
      const rest = await viewer.get(`list_${kind}`, { ...args, page: 2 });
      expect(rest.items).toHaveLength(1);
      expect(rest.paging).toEqual({ page: 2, per_page: 2, total: 3, next_page: null });
      const whole = await viewer.get(`list_${kind}`, { ...args, per_page: 3 });
      expect([whole.items.length, whole.paging.next_page]).toEqual([3, null]);
    }
  });

  it('leaves code out unless it is asked for', async () => {
    const variations = [{ name: 'A' }, { name: 'B', css: 'b { color: red }', js: 'a()' }];
    const experiment = await scene.make.ready({ js: 'go()', variations });
    const viewer = await scene.of(scene.world.people.viewer);
    const short = (await viewer.get('get_experiment', scene.at(experiment))).experiment;
    expect(short).toMatchObject({ code_characters: { js: 4 } });
    expect(short.variations[1]).toMatchObject({ code_characters: { js: 3, css: 16 } });
    expect(JSON.stringify(short)).not.toContain('color');
    const full = (await viewer.get('get_experiment', { ...scene.at(experiment), include_code: true }))
      .experiment;
    expect(full).toMatchObject({ js: 'go()', reset_js: null, css: null });
    expect(full.variations[1]).toMatchObject(variations[1]);
    const variation_id = experiment.variations[1].id as number;
    const { variation } = await viewer.get('get_variation', { ...scene.at(experiment), variation_id });
    expect(variation).toMatchObject({ id: variation_id, ...variations[1], is_original: false });
  });
});

describe('results', () => {
  const DAY = '2026-05-01';

  it('are those of the API, and the text says what to make of them', async () => {
    const experiment = await scene.make.ready();
    const [a, b] = experiment.variations.map(({ id }: { id: number }) => ({ variation: id, day: DAY }));
    const late = { ...a, day: '2026-05-03' };
    const [goal] = experiment.goals.map(({ id }: { id: number }) => id);
    await new Cells(scene.api, experiment.id)
      .entered(a, 100)
      .entered(b, 100)
      .converted(goal, b, { converters: 10 })
      .entered({ ...late, device: 'mobile' }, 200)
      .store();
    const viewer = await scene.of(scene.world.people.viewer);
    const filters = [{}, { startDate: DAY, endDate: '2026-05-02' }, { deviceTypes: ['mobile', 'tablet'] }];
    for (const filter of filters) {
      const query = new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]));
      const { body } = await scene.client.get(`${experiment.path}/results?${query}`);
      const { goals } = await viewer.get('get_results', { ...scene.at(experiment), ...filter });
      expect(body).toMatchObject(goals);
    }
    const { text, data } = await viewer.use('get_results', scene.at(experiment));
    expect(data.goals[0].variationStatistics[b.variation]).toMatchObject({
      participants: 100,
      conversions: 10,
      conversionRate: 0.1,
      statistics: { verdict: 'inconclusive', warnings: expect.arrayContaining(['SAMPLE_RATIO_MISMATCH']) },
    });
    expect(text).toBe(
      '"Goal", 400 participants: "Variation" inconclusive. Sample ratio mismatch: do not trust these figures before the reason is found.',
    );
    const info = await viewer.use('get_results_info', scene.at(experiment));
    expect(info.data).toMatchObject({ participants: 400, sample_ratio_mismatch: { isMismatch: true } });
    expect(info.text).toMatch(/^400 participants\. They do NOT divide/);
  });

  it('of one goal are those of that goal', async () => {
    const goals = [await scene.make.goal({ name: 'First' }), await scene.make.goal({ name: 'Second' })];
    const experiment = await scene.make.ready({ goals: goals.map(({ id }) => id) });
    await new Cells(scene.api, experiment.id)
      .entered({ variation: experiment.variations[0].id, day: DAY }, 1)
      .store();
    const viewer = await scene.of(scene.world.people.viewer);
    const second = await viewer.get('get_results', { ...scene.at(experiment), goal_id: goals[1].id });
    expect(second.goals.map(({ name }: { name: string }) => name)).toEqual(['Second']);
    const other = await viewer.use('get_results', { ...scene.at(experiment), goal_id: 999_999 });
    expect([other.data.goals, other.text]).toEqual([[], 'No such goal is attached to the experiment.']);
  });

  it('are refused with a reason when there are none, or the filter is wrong', async () => {
    const experiment = await scene.make.ready();
    const viewer = await scene.of(scene.world.people.viewer);
    const none = await viewer.use('get_results', scene.at(experiment));
    expect([none.isError, none.text]).toEqual([
      true,
      expect.stringContaining('No result found for this experiment\nNobody has taken part yet.'),
    ]);
    const wrong = await viewer.use('get_results', { ...scene.at(experiment), startDate: '2026-02-30' });
    expect([wrong.isError, wrong.text]).toEqual([true, expect.stringContaining('- startDate: ')]);
  });
});

describe('wrong arguments', () => {
  it.each([
    ['an unknown one', { project: 1 }, /Unrecognized key.*project/],
    ['a missing one', {}, /project_id/],
    ['one of another type', { project_id: '1' }, /project_id/],
    ['one out of range', { project_id: 1, per_page: 101 }, /per_page/],
    ['one that is no choice', { project_id: 1, status: ['stopped'] }, /status/],
  ])('are refused with their names: %s', async (_, args, expected) => {
    const viewer = await scene.of(scene.world.people.viewer);
    const { isError, text } = await viewer.use('list_experiments', args);
    expect([isError, text]).toEqual([true, expect.stringMatching(expected)]);
  });

  it('that only the API can judge are refused with its messages', async () => {
    const editor = await scene.of(scene.world.people.editor);
    const { text } = await editor.use('draft_experiment', {
      ...scene.here(),
      name: ' ',
      js: 'if (',
      goals: [999_999],
    });
    expect(text).toMatch(/^Refused with status 422: /);
    for (const field of ['name', 'js', 'goals.0']) {
      expect(text).toContain(`\n- ${field}: `);
    }
  });

  it('include tools that there are not', async () => {
    const { client } = await scene.of(scene.world.people.viewer);
    await expect(client.callTool({ name: 'delete_project', arguments: {} })).rejects.toThrow(
      'Tool delete_project not found',
    );
  });
});
