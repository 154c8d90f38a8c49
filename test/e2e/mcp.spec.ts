import { Era, TOOLS, useAssistants } from '../support/assistant';
import { Maker } from '../support/scene';

/* Instructions and reads for assistants, over HTTP with the official client. */

const MODERN: Era = { pin: '2026-07-28' };

const scene = useAssistants();

/** The paths of arrays whose items have no schema. Some MCP hosts reject such schemas. */
const listsWithoutItems = (schema: unknown, path = ''): string[] =>
  typeof schema !== 'object' || schema === null
    ? []
    : [
        ...('type' in schema && [schema.type].flat().includes('array') && !('items' in schema) ? [path] : []),
        ...Object.entries(schema).flatMap(([key, part]) => listsWithoutItems(part, `${path}.${key}`)),
      ];

describe.each<[string, Era]>([
  ['that begin with a handshake', 'legacy'],
  ['that need no handshake', MODERN],
])('clients %s', (_, era) => {
  it('get a description of the server and its use', async () => {
    const { client } = await scene.assistantOf(scene.world.people.viewer.token, era);
    expect(client.getServerVersion()).toMatchObject({ name: 'gosset' });
    expect(client.getInstructions()).toMatch(/^Gosset runs A\/B experiments/);
    expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: false } });
  });

  it('see all tools with descriptions and annotations', async () => {
    const { client } = await scene.assistantOf(scene.world.people.viewer.token, era);
    const { tools } = await client.listTools();
    const byEffect = { reads: [], adds: [], changes: [] } as Record<string, string[]>;
    for (const { name, title, description = '', annotations, inputSchema } of tools) {
      expect([name, title !== undefined]).toEqual([name, true]);
      expect(description.length > 40 ? '' : `${name}: describe it in more than 40 characters.`).toBe('');
      expect([name, inputSchema.type]).toEqual([name, 'object']);
      expect([name, listsWithoutItems(inputSchema)]).toEqual([name, []]);
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

  it('receive less than 24 KiB of tool descriptions', async () => {
    const { client } = await scene.assistantOf(scene.world.people.viewer.token, era);
    const { tools } = await client.listTools();
    const excess = Buffer.byteLength(JSON.stringify({ tools })) - (24 * 1_024 - 1);
    const advice = `The tool descriptions are ${excess} bytes too long: shorten them, or declare a new resource with tools: false.`;
    expect(excess > 0 ? advice : '').toBe('');
  });

  it('can read and change records', async () => {
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
  it('leads from teams to projects to experiments', async () => {
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

  it('lists goals, pages and audiences, page by page', async () => {
    const own = new Maker(
      scene.world.people.admin.client,
      `/projects/${await scene.api.project(scene.world.teamId, 'Pages')}`,
    );
    const project_id = own.projectId;
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
      expect(text).toBe(`2 of 3 ${kind}, page 1. There are more: request page 2.`);
      const rest = await viewer.get(`list_${kind}`, { ...args, page: 2 });
      expect(rest.items).toHaveLength(1);
      expect(rest.paging).toEqual({ page: 2, per_page: 2, total: 3, next_page: null });
      const whole = await viewer.get(`list_${kind}`, { ...args, per_page: 3 });
      expect([whole.items.length, whole.paging.next_page]).toEqual([3, null]);
    }
  });

  it('omits code unless it is requested', async () => {
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

describe('wrong arguments', () => {
  it.each([
    [
      'an unknown argument',
      { project: 1 },
      /project: The field project is unknown\. Did you mean project_id\?/,
    ],
    ['a missing argument', {}, /project_id/],
    ['an argument of another type', { project_id: '1' }, /project_id: The project id must be a whole number/],
    [
      'an argument out of range',
      { project_id: 1, per_page: 101 },
      /per_page: The per page must be .* 1 and 100/,
    ],
    [
      'an argument that is not one of the choices',
      { project_id: 1, status: ['stopped'] },
      /status\.0: .* one of: draft, preview/,
    ],
    ['a text that is too long for a URL', { project_id: 1, search: 'x'.repeat(256) }, /search.*255/s],
    ['a text that is far too long', { project_id: 1, search: 'x'.repeat(500_000) }, /search.*255/s],
    ['a tag that is too long', { project_id: 1, tags: ['x'.repeat(256)] }, /tags.*255/s],
    ['too many tags', { project_id: 1, tags: Array<string>(51).fill('x') }, /tags.*50/s],
    ['a tag with a comma', { project_id: 1, tags: ['a,b'] }, /tags.*comma/s],
    ['a tag of only spaces', { project_id: 1, tags: [' '] }, /tags/],
  ])('are rejected with an error that names them: %s', async (_, args, expected) => {
    const viewer = await scene.of(scene.world.people.viewer);
    const { isError, text } = await viewer.use('list_experiments', args);
    expect([isError, text]).toEqual([true, expect.stringMatching(expected)]);
  });

  it('do not include texts of up to 255 characters that are sent in a URL', async () => {
    const viewer = await scene.of(scene.world.people.viewer);
    const found = await viewer.get('list_experiments', { ...scene.here(), search: 'ä'.repeat(255) });
    expect(found.items).toEqual([]);
  });

  it.each([
    'schl\u00fcssel',
    '\u2713',
    'two\nlines',
    'a\u0000',
    ' blank',
    'blank ',
    ' ',
    '',
    'x'.repeat(256),
  ])('include idempotency keys that are invalid in headers: %j', async (idempotency_key) => {
    const editor = await scene.of(scene.world.people.editor);
    const { isError, text } = await editor.use('create_goal', {
      ...scene.here(),
      name: 'Keyless',
      idempotency_key,
    });
    expect([isError, text]).toEqual([true, expect.stringMatching(/idempotency_key.*(printable ASCII|255)/s)]);
    expect((await editor.get('list_goals', { ...scene.here(), search: 'Keyless' })).items).toEqual([]);
  });

  it('do not include other idempotency keys', async () => {
    const editor = await scene.of(scene.world.people.editor);
    for (const idempotency_key of ['x'.repeat(255), '~', 'a key, "quoted" & more!']) {
      await editor.get('create_goal', { ...scene.here(), name: 'Keyed', idempotency_key });
    }
  });

  it('include a wildcard or an invalid value for if_match', async () => {
    const experiment = await scene.make.ready({ name: 'Guarded' });
    const [{ id: variation_id }] = experiment.variations;
    const admin = await scene.of(scene.world.people.admin);
    const { if_match: own } = await admin.get('get_experiment', scene.at(experiment));
    for (const if_match of ['*', '"a", *', '"a,*,b"', `${own}, ${own}`, own.slice(1, -1), '\u2713', '']) {
      for (const [tool, args] of [
        ['update_experiment', { name: 'Overwritten' }],
        ['update_variation', { variation_id, name: 'Overwritten' }],
        ['start_experiment', {}],
      ] as const) {
        const { isError, text } = await admin.use(tool, { ...scene.at(experiment), ...args, if_match });
        expect([tool, if_match, isError, text]).toEqual([
          tool,
          if_match,
          true,
          expect.stringMatching(/if_match.*exactly as in the response/s),
        ]);
      }
    }
    const weak = { ...scene.at(experiment), if_match: `W/${own}`, description: 'As proxies mark it' };
    const { experiment: changed } = await admin.get('update_experiment', weak);
    expect([changed.name, changed.status, changed.variations[0].name]).toEqual([
      'Guarded',
      'draft',
      'Original',
    ]);
  });

  it('that only the API can validate are rejected with its error messages', async () => {
    const editor = await scene.of(scene.world.people.editor);
    const { text } = await editor.use('draft_experiment', {
      ...scene.here(),
      name: ' ',
      js: 'if (',
      goals: [999_999],
    });
    expect(text).toMatch(/^Rejected with status 422: /);
    for (const field of ['name', 'js', 'goals.0']) {
      expect(text).toContain(`\n- ${field}: `);
    }
  });

  it('include the name of an unknown tool', async () => {
    const { client } = await scene.of(scene.world.people.viewer);
    await expect(client.callTool({ name: 'delete_project', arguments: {} })).rejects.toThrow(
      'Tool delete_project not found',
    );
  });
});
