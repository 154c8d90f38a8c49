import { parseHTML } from 'linkedom';
import { Maker } from '../support/scene';
import { daysOfMay, fillDays } from '../support/shared-experiment';
import { statementsDuring } from '../support/statements';
import { signedIn, Visitor } from '../support/visitor';
import { documentOf, rowsOf, textOf, textsOf, useConsole } from '../support/console';

/* The team and project pages. */

const stage = useConsole();
let admin: Visitor;
beforeAll(async () => {
  admin = await stage.admin();
});

describe('the start page', () => {
  it("shows teams with the user's role, projects, experiments by status, and running experiments", async () => {
    const { visitor, person } = await signedIn(stage.api);
    const teamId = await stage.api.team('Growth');
    await stage.api.join(teamId, person, 'editor');
    const admins = await stage.api.person();
    await stage.api.join(teamId, admins, 'admin');
    const shop = new Maker(admins.client, `/projects/${await stage.api.project(teamId, 'Corner shop')}`);
    await stage.api.project(teamId, 'Nothing in it');
    for (const status of ['draft', 'draft', 'preview', 'running', 'running', 'pause', 'archive']) {
      await shop.withStatus(status, { name: `In ${status}` });
    }
    await admins.client.delete((await shop.experiment()).path);
    const document = await documentOf(visitor, '/');
    expect(textsOf(document, 'h2')).toEqual(['Growth']);
    expect(textsOf(document, '.team-head p')).toEqual(['Your role: editor']);
    expect(textsOf(document, '.projects h3')).toEqual(['Corner shop', 'Nothing in it']);
    expect(textsOf(document, '.counts li')).toEqual([
      '2 draft',
      '1 preview',
      '2 running',
      '1 paused',
      '1 ended',
    ]);
    expect(textsOf(document, '.running li')).toEqual(['In running', 'In running']);
    expect(textsOf(document, '.projects li.card')[1]).toContain('No experiments yet. Create the first one');
    await stage.project('Empty');
    const viewer = await stage.visitorOf(stage.world.people.viewer);
    expect(textsOf(await documentOf(viewer, '/'), '.projects li.card')).toContain('EmptyNo experiments yet.');
  });

  it('lists five running experiments, and the number of further ones', async () => {
    const busy = await stage.project('Busy');
    for (let index = 1; index <= 7; index += 1) {
      await busy.withStatus('running', { name: `Run ${index}` });
    }
    const document = await documentOf(admin, '/');
    const card = [...document.querySelectorAll('.projects > li')].find((item) =>
      textOf(item).startsWith('Busy'),
    )!;
    expect([...card.querySelectorAll('.running li')].map(textOf)).toEqual([
      'Run 7',
      'Run 6',
      'Run 5',
      'Run 4',
      'Run 3',
    ]);
    expect(textOf(card)).toContain('And 2 others.');
  });

  it('explains the next step to users without a team or project', async () => {
    const { visitor, person } = await signedIn(stage.api);
    const [command] = textsOf(await documentOf(visitor, '/'), '.code');
    expect(command).toContain(
      `npm run -s admin -- teams:add-member --team TEAM_ID --email ${person.email} --role editor`,
    );
    const teamId = await stage.api.team('New');
    await stage.api.join(teamId, person, 'viewer');
    expect(textsOf(await documentOf(visitor, '/'), '.code')).toEqual([
      `npm run -s admin -- projects:create --team ${teamId} --name Shop`,
    ]);
  });
});

describe('the project page', () => {
  it('lists running experiments first, followed by paused, previewed, draft and archived ones, newest first', async () => {
    const { project: path, ...rest } = await stage.project('Ordered');
    const maker = Object.assign(new Maker(stage.client, path), rest);
    for (const status of ['archive', 'draft', 'running', 'preview', 'pause', 'running']) {
      await maker.withStatus(status, { name: status });
    }
    const document = await documentOf(admin, path);
    expect(textsOf(document, 'tbody th')).toEqual([
      'running',
      'running',
      'pause',
      'preview',
      'draft',
      'archive',
    ]);
    expect(textsOf(document, '.choices-list a')).toEqual([
      'All 6',
      'Draft 1',
      'Preview 1',
      'Running 2',
      'Paused 1',
      'Ended 1',
    ]);
    const running = await documentOf(admin, `${path}?status=running`);
    expect(textsOf(running, 'tbody th')).toEqual(['running', 'running']);
    expect(textsOf(running, '.choices-list [aria-current]')).toEqual(['Running 2']);
    const found = await documentOf(admin, `${path}?search=%20RUN%20&status=nonsense&page=-1`);
    expect(textsOf(found, 'tbody th')).toEqual(['running', 'running']);
    const none = await documentOf(admin, `${path}?search=%25`);
    expect([textsOf(none, 'tbody th'), textOf(none.querySelector('#search'))]).toEqual([[], '']);
    expect(textsOf(none, 'main p')).toContain('No experiments match. Show all');
  });

  it('shows the verdict of each experiment, in the words of the shared page', async () => {
    const maker = await stage.project('Standing');
    // The figures of a running experiment change every second.
    const better = await maker.withStatus('pause', { name: 'Better' });
    const mismatch = await maker.withStatus('running', { name: 'Mismatch' });
    const started = await maker.withStatus('running', { name: 'Just started' });
    await maker.ready({ name: 'Drafted' });
    await fillDays(stage.scene, better, daysOfMay(14), [
      { participants: 1000, converters: 50 },
      { participants: 1000, converters: 150 },
    ]);
    await fillDays(stage.scene, mismatch, daysOfMay(2), [
      { participants: 1000, converters: 50 },
      { participants: 100, converters: 5 },
    ]);
    const document = await documentOf(admin, maker.project);
    const rows = rowsOf(document);
    expect(rows.map((cells) => cells.slice(0, 4))).toEqual([
      ['Just started', 'Running', expect.stringMatching(/day/), '0'],
      ['Mismatch', 'Running', expect.stringMatching(/day/), '2\u202f200'.replace('\u202f', ' ')],
      ['Better', 'Paused', expect.stringMatching(/day/), '28 000'],
      [
        'Drafted',
        'Draft',
        expect.stringContaining('never ran'),
        expect.stringContaining('no participants yet'),
      ],
    ]);
    const { share_url: url } = (await maker['client'].get(`${better.path}/results/info`)).body;
    const shared = parseHTML((await admin.get(new URL(url).pathname)).text).document;
    const headline = textOf(shared.querySelector('.verdict-headline'));
    expect(headline).not.toBe('');
    expect(rows[2][4]).toBe(`${headline}Goal`);
    expect(rows[1][4]).toBe('This result cannot be trustedGoal');
    expect([rows[0][4], rows[3][4]]).toEqual(['–no results yet', '–no results yet']);
    const lines = [...document.querySelectorAll('.sparkline')].map((line) => line.getAttribute('aria-label'));
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(
      /^Conversion rate\. From 1 May 2026 to .* At the end: Original 5\.00\u202f% and Variation 15\.0\u202f%\.$/,
    );
    expect(started.status).toBe('running');
  });

  it('shows its settings and the tag of its snippet', async () => {
    const maker = await stage.project('With settings');
    const { body } = await stage.client.patch(maker.project, {
      significance: 99.5,
      min_conversions: 1234,
      min_runtime_days: 1,
      description: 'Two lines\n<b>of text</b>',
    });
    const document = await documentOf(admin, maker.project);
    expect(textsOf(document, '#snippet-tag')).toEqual([`<script src="${body.snippet_url}"></script>`]);
    expect(textsOf(document, '[aria-labelledby=settings] .settings-list > div').slice(0, 6)).toEqual([
      'Required confidence99.5 %',
      'Statistical methodSequential: valid on any day',
      'Minimum conversions1 234 (2 468 in the original and a variation together)',
      'Minimum runtime1 day',
      'Visitor storageLocal storage',
      'SnippetNot published yet',
    ]);
    expect(textsOf(document, '.description')).toEqual(['Two lines <b>of text</b>']);
  });

  it('has pages of 25 experiments, with a constant number of SQL statements', async () => {
    const [small, large] = [await stage.project('Small'), await stage.project('Large')];
    const bodies = (count: number) => Array.from({ length: count }, (_, index) => `Experiment ${index}`);
    // The large project has five pages. The last page has three experiments.
    for (const name of bodies(3)) {
      await small.experiment({ name });
    }
    for (const name of bodies(103)) {
      await large.experiment({ name });
    }
    const shown = async (query: string): Promise<unknown[]> => {
      const document = await documentOf(admin, `${large.project}${query}`);
      const links = [...document.querySelectorAll('.pages a')].map((link) => link.getAttribute('href'));
      const names = textsOf(document, 'tbody th');
      return [names.length, names[0], textsOf(document, '.pages span')[0], links];
    };
    const at = (query: string): string => `${large.project}${query}`;
    const [one, two, three, four, five] = ['', '?page=2', '?page=3', '?page=4', '?page=5'].map(at);
    expect(await shown('')).toEqual([25, 'Experiment 102', 'Page 1 of 5', [two, five]]);
    expect(await shown('?page=2')).toEqual([25, 'Experiment 77', 'Page 2 of 5', [one, three, five]]);
    expect(await shown('?page=3')).toEqual([25, 'Experiment 52', 'Page 3 of 5', [one, two, four, five]]);
    expect(await shown('?page=4')).toEqual([25, 'Experiment 27', 'Page 4 of 5', [one, three, five]]);
    expect(await shown('?page=5')).toEqual([3, 'Experiment 2', 'Page 5 of 5', [one, four]]);
    expect(await shown('?page=99999')).toEqual(await shown('?page=5'));
    expect(textsOf(await documentOf(admin, at('?page=3')), '.pages a')).toEqual([
      'First page',
      'Previous page',
      'Next page',
      'Last page',
    ]);
    expect(await shown('?page=1&page=2')).toEqual(await shown(''));
    expect((await shown('?search=experiment&status=draft&page=2'))[3]).toEqual([
      at('?status=draft&search=experiment'),
      at('?status=draft&search=experiment&page=3'),
      at('?status=draft&search=experiment&page=5'),
    ]);
    const counts: number[] = [];
    for (const { project: path } of [small, large]) {
      counts.push((await statementsDuring(stage.api, () => admin.get(path))).length);
    }
    expect(counts[1]).toBe(counts[0]);
    expect(counts[0]).toBeLessThanOrEqual(8);
  });

  it('needs the same number of SQL statements for each experiment that has run', async () => {
    const counts: number[] = [];
    for (const size of [1, 2, 3]) {
      const maker = await stage.project(`Run ${size}`);
      for (let index = 0; index < size; index += 1) {
        const goals = [await maker.goal(), await maker.goal()].map(({ id }) => id);
        const made = await maker.withStatus('running', { goals });
        await fillDays(stage.scene, made, daysOfMay(5 * size), [
          { participants: 10, converters: 1 },
          { participants: 10, converters: 2 },
        ]);
      }
      counts.push((await statementsDuring(stage.api, () => admin.get(maker.project))).length);
    }
    expect(counts[1] - counts[0]).toBe(counts[2] - counts[1]);
    expect(counts[1] - counts[0]).toBeLessThanOrEqual(8);
  });
});
