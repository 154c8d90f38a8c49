import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { parseHTML } from 'linkedom';
import { ROLES } from '../../src/platform/access/roles';
import type { Person } from '../support/api';
import { daysOfMay, fillDays } from '../support/shared-experiment';
import type { Visitor } from '../support/visitor';
import { commandsOf, documentOf, rowsOf, textOf, textsOf, useConsole } from '../support/console';

/* An experiment's page, and its next steps. */

const run = promisify(execFile);

const stage = useConsole();
let admin: Visitor;
beforeAll(async () => {
  admin = await stage.admin();
});

/** Runs a command exactly as copied from a page. */
async function runCommand(command: string, { token }: Person): Promise<Record<string, unknown>> {
  const { stdout } = await run('sh', ['-c', command], {
    env: { PATH: process.env.PATH, GOSSET_TOKEN: token, no_proxy: '*' },
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe('the experiment page', () => {
  it('shows results that are not shared, without URLs that contain the share link', async () => {
    const goals = await Promise.all(
      [1, 2, 3, 4].map((number) => stage.make.goal({ name: `Goal ${number}` })),
    );
    const experiment = await stage.make.ready({ goals: goals.map(({ id }) => id) });
    await stage.make.move(experiment, 'running');
    await stage.make.move(experiment, 'pause');
    const entered = { participants: 100, converters: 10 };
    await fillDays(stage.scene, experiment, daysOfMay(2), [entered, entered]);
    expect((await admin.get(experiment.path)).text).toContain('/share/');
    await stage.client.patch(experiment.path, { shared: false });
    const { status, text } = await admin.get(experiment.path);
    expect([status, text.includes('/share/')]).toEqual([200, false]);
    expect(text).toContain('The results are not shared.');
    expect(text).toContain('The plots of this goal are shown when the results are shared.');
    expect(text).toContain('Goal 4');
  });

  it('shows the same results as the shared page, with the same filter', async () => {
    // The figures of a running experiment change every second.
    const experiment = await stage.make.withStatus('pause', { name: 'Measured' });
    await fillDays(stage.scene, experiment, daysOfMay(5), [
      { participants: 100, converters: 10 },
      { participants: 100, converters: 12 },
    ]);
    const { share_url: url } = (await stage.client.get(`${experiment.path}/results/info`)).body;
    const share = new URL(url).pathname;
    const figures = (text: string): string[] => {
      const { document } = parseHTML(text);
      const parts = '.verdict, .facts, .goal .table, .participants, .plot, .notes, .filter';
      return textsOf(document, parts);
    };
    for (const query of ['', '?startDate=2026-05-02&endDate=2026-05-03&deviceTypes=']) {
      const own = figures((await admin.get(`${experiment.path}${query}`)).text);
      expect(own.length).toBeGreaterThan(6);
      expect(own).toEqual(figures((await admin.get(`${share}${query}`)).text));
    }
    const wrong = await admin.get(`${experiment.path}?startDate=yesterday`);
    expect([wrong.status, /<title>([^<]*)/.exec(wrong.text)?.[1]]).toEqual([
      422,
      'Invalid filter: Measured – Gosset',
    ]);
    expect(wrong.text).toContain('value="yesterday"');
    const document = await documentOf(admin, experiment.path);
    expect(textsOf(document, '#share-url')).toEqual([url]);
    expect(textsOf(document, '[aria-label="Breadcrumbs"] li')).toEqual(['Experiments', 'Shop', 'Measured']);
  });

  it('shows the settings', async () => {
    const [audience, other] = [
      await stage.make.audience({ name: 'Mobile' }),
      await stage.make.audience({ name: 'Returning' }),
    ];
    const group = await stage.make.of('exclusion-groups', { name: 'Checkout <b>' });
    const experiment = await stage.make.ready({
      name: 'Defined',
      tags: ['checkout', 'colour'],
      traffic_allocation: 12.34,
      audiences: [audience.id, other.id],
      audiences_match_type: 'all',
      example_url: 'https://shop.example.com/?a=b',
      css: '.é { color: red }',
      minimum_effect: 2.25,
      exclusion_group_id: group.id,
      exclusion_share: 33.33,
      planned_participants: 20_000,
      planned_end: '2096-02-29',
      variations: [
        { name: 'A' },
        { name: 'B', js: 'f();', css: 'a { color: red }' },
        { name: 'C', traffic_allocation: 49.5 },
      ],
    });
    const document = await documentOf(admin, experiment.path);
    const settings = Object.fromEntries(
      [...document.querySelectorAll('.settings-list > div')].map((each) => [
        textOf(each.querySelector('dt')),
        textOf(each.querySelector('dd')),
      ]),
    );
    expect(settings).toMatchObject({
      Traffic: '12.34 % of eligible visitors',
      'Exclusion group': 'Checkout <b>, 33.33 % of its visitors',
      'Visitors in all of these audiences': 'MobileReturning Change the audiences',
      Pages: 'Page Change the pages',
      'Goals (primary goal first)': 'Goal Change the goals',
      Environments: 'Production',
      Plan: '20 000 participants, until 29 February 2096, to detect an effect of +2.25 %',
      Tags: 'checkoutcolour',
      'Example page': 'https://shop.example.com/?a=b',
      'Experiment code': 'CSS 18 bytes',
    });
    const rows = rowsOf(document);
    const ids = (experiment.variations as { id: number }[]).map(({ id }) => id);
    expect(rows.map(([name]) => name)).toEqual([
      `AThe original, id ${ids[0]}`,
      `BId ${ids[1]}`,
      `CId ${ids[2]}`,
    ]);
    expect(rows.map((cells) => cells.slice(1, 3))).toEqual([
      ['25.25 % Edit A', 'None'],
      ['25.25 % Edit B', 'JavaScript 4 bytes, CSS 16 bytes'],
      ['49.5 % Edit C', 'None'],
    ]);
    const [preview] = document.querySelectorAll('tbody td:last-child a');
    expect(preview.getAttribute('href')).toBe(experiment.variations[0].preview_url);
  });

  it('shows hostile names as text', async () => {
    const hostile = '</title><script>alert(1)</script>"\'>\u202e';
    const maker = await stage.project(hostile);
    const variations = [{ name: hostile }, { name: 'W'.repeat(255) }];
    const made = await maker.withStatus('running', { name: hostile, description: hostile, variations });
    await fillDays(stage.scene, made, daysOfMay(2), [
      { participants: 100, converters: 10 },
      { participants: 100, converters: 12 },
    ]);
    for (const path of ['/', maker.project, made.path]) {
      const document = await documentOf(admin, path);
      expect([path, document.querySelectorAll('script').length]).toEqual([path, 1]);
      const attributes = [...document.querySelectorAll('*')].flatMap((each) => [...each.attributes]);
      expect(attributes.filter(({ name }) => /^on/.test(name))).toEqual([]);
      expect(document.body.textContent).toContain('<script>alert(1)</script>');
    }
  });
});

describe('the next step', () => {
  it('is a curl command, starting with the first experiment', async () => {
    const maker = await stage.project("Quote's");
    const publisher = stage.world.people.publisher;
    const visitor = await stage.visitorOf(publisher);
    const [create] = commandsOf(await documentOf(visitor, maker.project));
    const { id } = await runCommand(create, publisher);
    const path = `${maker.project}/experiments/${String(id)}`;
    const walked: string[] = [];
    for (let step = 0; step < 5; step += 1) {
      const document = await documentOf(visitor, path);
      walked.push(textOf(document.querySelector('.step h3')));
      const answer = await runCommand(commandsOf(document)[0], publisher);
      expect([walked, answer]).toEqual([walked, expect.objectContaining({ id: expect.any(Number) })]);
    }
    expect(walked).toEqual([
      'The experiment needs at least one page.',
      'The experiment needs at least one page.',
      'The experiment needs at least one goal.',
      'The experiment needs at least one goal.',
      'Start',
    ]);
    expect((await publisher.client.get(path)).body.status).toBe('running');
  });

  it('is one command for each allowed status change', async () => {
    const outcomes: Record<string, string[]> = {};
    for (const history of ['draft', 'preview', 'running', 'pause', 'archive']) {
      const titles = textsOf(
        await documentOf(admin, (await stage.make.withStatus(history)).path),
        '.step h3',
      );
      outcomes[history] = [];
      for (const index of titles.keys()) {
        const { path } = await stage.make.withStatus(history);
        const { status } = await runCommand(
          commandsOf(await documentOf(admin, path))[index],
          stage.world.people.admin,
        );
        outcomes[history].push(`${titles[index]}: ${String(status)}`);
      }
    }
    expect(outcomes).toEqual({
      draft: ['Start: running', 'Preview: preview'],
      preview: ['Start: running', 'Back to draft: draft'],
      running: [],
      pause: ['Resume: running', 'Archive: archive'],
      archive: ['Back to draft: draft'],
    });
  });

  it('is to restart if an experiment in preview has run before, with a note that its data is kept', async () => {
    const experiment = await stage.make.withStatus('running');
    const { client } = stage.world.people.admin;
    expect((await client.patch(`${experiment.path}/status`, { status: 'preview' })).status).toBe(200);
    const steps = textsOf(await documentOf(admin, experiment.path), '.step');
    expect(steps[0]).toMatch(
      /^Restart ?The experiment goes live with .* within two minutes\. Collected data is kept\./,
    );
    expect(steps.join()).not.toContain('from now on');
    const fresh = await stage.make.withStatus('preview');
    expect(textsOf(await documentOf(admin, fresh.path), '.step')[0]).toContain('from now on');
  });

  it('reads the token from a variable, which is explained to users with permission', async () => {
    const experiment = await stage.make.ready();
    const document = await documentOf(admin, experiment.path);
    const hint = document.querySelector('.step .as-curl p');
    expect([textOf(hint), hint?.querySelector('a')?.getAttribute('href')]).toEqual([
      expect.stringContaining('Set GOSSET_TOKEN to a read & write token first.'),
      '/settings/api-tokens',
    ]);
    const viewer = await stage.visitorOf(stage.world.people.viewer);
    expect(textsOf(await documentOf(viewer, experiment.path), '.as-curl')).toEqual([]);
    const empty = await stage.project('No experiments');
    expect(textsOf(await documentOf(admin, empty.project), '#token-variable')).toEqual([
      'export GOSSET_TOKEN=gos_...',
    ]);
  });

  it('is to publish after a change to a running experiment', async () => {
    const experiment = await stage.make.withStatus('running');
    const { client } = stage.world.people.admin;
    const first = async (): Promise<string> =>
      textsOf(await documentOf(admin, experiment.path), '.advice h3, .step h3').at(-1) ?? '';
    expect(await first()).toBe('Wait for the first participants');
    await client.patch(experiment.path, { name: 'Renamed', description: 'Nothing that visitors see' });
    expect(await first()).toBe('Wait for the first participants');
    for (const edit of [
      () => client.patch(experiment.path, { css: 'a { color: red }' }),
      () => client.patch(`${experiment.path}/variations/${experiment.variations[1].id}`, { js: 'f();' }),
      () =>
        client.patch(`${stage.make.project}/pages/${experiment.pages[0].id}`, {
          conditions: [{ match: 'simple', value: '/cart' }],
        }),
    ]) {
      expect((await edit()).status).toBe(200);
      expect(await first()).toBe('Publish the changes');
      const answer = await runCommand(
        commandsOf(await documentOf(admin, experiment.path))[0],
        stage.world.people.admin,
      );
      expect(answer.id).toBe(stage.world.projectId);
      expect(await first()).toBe('Wait for the first participants');
    }
  });

  it('completes traffic shares that do not sum to 100', async () => {
    const variations = [
      { name: 'A', traffic_allocation: 30 },
      { name: 'B', traffic_allocation: 30 },
    ];
    const experiment = await stage.make.ready({ variations });
    const document = await documentOf(admin, experiment.path);
    expect(textsOf(document, '.step h3')).toEqual([
      'The traffic allocations of the variations sum to 60, not 100.',
    ]);
    await runCommand(commandsOf(document)[0], stage.world.people.admin);
    expect(textsOf(await documentOf(admin, experiment.path), '.step h3')[0]).toBe('Start');
  });

  it('names the required roles to users without permission', async () => {
    const experiment = await stage.make.ready();
    const outcomes: Record<string, string[]> = {};
    for (const role of ROLES) {
      const document = await documentOf(await stage.visitorOf(stage.world.people[role]), experiment.path);
      outcomes[role] = textsOf(document, '.step h3, .who-may');
    }
    expect(outcomes).toEqual({
      viewer: ['Start: Your role in the team is viewer. Only publishers and admins can do this.'],
      editor: ['Preview'],
      publisher: ['Start', 'Preview'],
      admin: ['Start', 'Preview'],
    });
    const empty = await stage.project('Empty');
    const page = await documentOf(await stage.visitorOf(stage.world.people.viewer), empty.project);
    expect(commandsOf(page)).toEqual([]);
    expect(textsOf(page, '.who-may')).toEqual([
      'Your role in the team is viewer. Only editors, publishers and admins can do this.',
    ]);
  });
});
