import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { Person } from '../support/api';
import { describeInBrowser, misfits, Visit } from '../support/browser';
import { HOSTILE_NAME, LONG_NAME, openDetails, useBrowser, VERY_NARROW } from '../support/browser-scene';
import { Cells } from '../support/cells';
import { Made, Maker } from '../support/scene';
import { daysOfMay } from '../support/shared-experiment';

/* The pages of teams, projects and experiments in a real browser. */

const PAGES = [
  'start page',
  'start page of a user without a team',
  'project',
  'project with many experiments',
  'project without matching experiments',
  'project without experiments',
  'project without experiments, for a viewer',
  'running experiment',
  'difficult experiment',
  'incomplete draft',
  'draft, for a viewer',
  'invalid filter',
  '404 page',
] as const;

type Name = (typeof PAGES)[number];

describeInBrowser('the console', () => {
  const scene = useBrowser();
  let places: Record<Name, { path: string; as: Person }>;

  beforeAll(async () => {
    const { admin, viewer } = scene.world.people;
    places = await arrange(admin, viewer, await scene.api.person());
  });

  async function running(maker: Maker, fields: object, days: number, converters: number): Promise<Made> {
    const made = await maker.withStatus('running', fields);
    const cells = new Cells(scene.api, made.id);
    for (const [index, day] of daysOfMay(days).entries()) {
      const more = [(index * 7) % 11, converters + ((index * 5) % 17)];
      for (const [arm, { id }] of (made.variations as { id: number }[]).entries()) {
        const place = { variation: id, day };
        cells.entered(place, 400 + 10 * arm);
        cells.converted(made.goals[0].id as number, place, { converters: 24 + more[arm] });
      }
    }
    await cells.store();
    return made;
  }

  async function arrange(admin: Person, viewer: Person, alone: Person): Promise<typeof places> {
    await scene.api.join(await scene.api.team('Team without a project'), admin, 'editor');
    const [empty, busy] = [await scene.project('Corner shop'), await scene.project('Busy shop')];
    const shop = scene.make;
    await admin.client.patch(shop.project, { description: 'The shop for tea.\nAnd for pots.' });
    const usual = await running(
      shop,
      { name: 'Green buy button', description: 'Does green sell more?', tags: ['colour'] },
      14,
      22,
    );
    await running(shop, { name: 'Headline' }, 6, 1);
    const difficult = await running(
      shop,
      {
        name: LONG_NAME,
        variations: [{ name: LONG_NAME }, { name: HOSTILE_NAME }],
        goals: [(await shop.goal({ name: LONG_NAME })).id],
        tags: [HOSTILE_NAME, LONG_NAME.slice(0, 50)],
      },
      1,
      170,
    );
    await running(shop, { name: HOSTILE_NAME }, 3, -20);
    const draft = await shop.experiment({ name: 'An idea' });
    await shop.withStatus('pause', { name: 'Checkout on one page' });
    await shop.withStatus('archive', { name: 'Free delivery' });
    for (let index = 1; index <= 26; index += 1) {
      await busy.experiment({ name: `Idea ${index}` });
    }
    return {
      'start page': { path: '/', as: admin },
      'start page of a user without a team': { path: '/', as: alone },
      project: { path: shop.project, as: viewer },
      'project with many experiments': { path: `${busy.project}?search=idea&status=draft`, as: admin },
      'project without matching experiments': { path: `${busy.project}?search=nothing`, as: admin },
      'project without experiments': { path: empty.project, as: admin },
      'project without experiments, for a viewer': { path: empty.project, as: viewer },
      'running experiment': { path: usual.path, as: admin },
      'difficult experiment': { path: difficult.path, as: admin },
      'incomplete draft': { path: draft.path, as: admin },
      'draft, for a viewer': { path: draft.path, as: viewer },
      'invalid filter': { path: `${usual.path}?startDate=2026-05-09&endDate=2026-05-01`, as: admin },
      '404 page': { path: `${shop.project}/experiments/999999`, as: admin },
    };
  }

  function visit(name: Name, options: BrowserContextOptions = {}): Promise<Visit> {
    const { path, as } = places[name];
    return scene.visitAs(as, path, options);
  }

  it.each(PAGES)(
    'on the page "%s" fits the window, is accessible, complies with its CSP and loads nothing from other hosts',
    async (name) => {
      const opened = await visit(name);
      await opened.page.getByRole('heading', { level: 1 }).waitFor();
      await scene.expectFits(opened);
      expect(await smallestTarget(opened.page)).toBeGreaterThanOrEqual(24);
      expect(await misfits(opened.page)).toEqual([]);
    },
  );

  it.each(['running experiment', 'invalid filter'] as const)(
    'on the page "%s" fits the window with local times',
    async (name) => {
      const { page } = await visit(name, { timezoneId: 'Pacific/Kiritimati' });
      await page.locator('.local-time').first().waitFor();
      expect(await misfits(page)).toEqual([]);
    },
  );

  const smallestTarget = (page: Page): Promise<number> =>
    page.evaluate(
      "Math.min(...[...document.querySelectorAll('a, button, summary, input:not([type=hidden]), .choice')].map((target) => target.closest('.choice') ?? target).filter((target) => getComputedStyle(target).display !== 'inline' || target.closest('p') === null).map((target) => target.getBoundingClientRect().height).filter((height) => height > 0))",
    );

  it.each([true, false])(
    'links from the start page to an experiment and back, with JavaScript: %s',
    async (javaScriptEnabled) => {
      const { page } = await visit('start page', { javaScriptEnabled });
      await page.getByRole('link', { name: 'Shop', exact: true }).click();
      await page.getByRole('link', { name: 'Running 4' }).click();
      expect(new URL(page.url()).search).toBe('?status=running');
      await page.getByLabel('Name contains').fill('buy');
      await page.getByRole('button', { name: 'Search' }).click();
      expect(new URL(page.url()).search).toBe('?search=buy&status=running');
      await page.getByRole('link', { name: 'Green buy button' }).click();
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Green buy button');
      await page.getByText('Filter', { exact: true }).click();
      await page.getByLabel('First day').fill('2026-05-02');
      await page.getByRole('button', { name: 'Show' }).click();
      expect(await page.locator('.facts dd').first().textContent()).toBe('10\u202f530');
      await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Shop' }).click();
      expect(page.url()).toBe(`${scene.origin}${scene.world.project}`);
      await page
        .getByRole('navigation', { name: 'Gosset' })
        .getByRole('link', { name: 'Experiments' })
        .click();
      expect(page.url()).toBe(`${scene.origin}/`);
      expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(javaScriptEnabled ? 1 : 0);
    },
  );

  const clipboard = async (context: BrowserContext, page: Page): Promise<string> => {
    await context.grantPermissions(['clipboard-read'], { origin: scene.origin });
    return page.evaluate<string>('navigator.clipboard.readText()');
  };

  it('copies commands, with and without the clipboard API', async () => {
    const { context, page, complaints } = await visit('incomplete draft');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const command = await page.locator('#step-0-curl').textContent();
    expect(command).toContain('"name":"Original"');
    await openDetails(page);
    await page.getByRole('button', { name: 'Copy API command' }).first().click();
    await page.getByText('Copied.', { exact: true }).waitFor();
    expect([await clipboard(context, page), complaints]).toEqual([command, []]);
    await context.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.reload();
    await openDetails(page);
    await page.getByRole('button', { name: 'Copy HTML' }).click();
    await page.getByText('Copied.', { exact: true }).waitFor();
    const other = await visit('start page');
    expect(await clipboard(other.context, other.page)).toMatch(/^<script src=".*\.js"><\/script>$/);
  });

  it('is usable with the keyboard, and shows the focus', async () => {
    const { page } = await visit('project');
    const reached: string[] = [];
    for (let press = 0; press < 13; press += 1) {
      await page.keyboard.press('Tab');
      reached.push(await page.evaluate('document.activeElement.textContent'));
      expect(await page.evaluate('getComputedStyle(document.activeElement).outlineWidth')).toBe('3px');
    }
    expect(reached).toEqual([
      'Skip to content',
      'Experiments',
      'Search',
      'Settings',
      'API',
      'Sign out',
      'Experiments',
      'Shop',
      'Plan the sample size of an experiment',
      'Live events',
      'Goals, pages and audiences',
      'Publications',
      'History',
    ]);
  });

  it('does not break navigation labels within a word on the narrowest screens', async () => {
    const { page } = await visit('start page', { viewport: VERY_NARROW });
    const lines =
      "Array.from(document.querySelectorAll('.sections a'), (link) => { const text = document.createRange(); text.selectNodeContents(link); return text.getClientRects().length; })";
    expect(await page.evaluate(lines)).toEqual([1, 1, 1, 1]);
  });

  it('shows names exactly as stored', async () => {
    const { page } = await visit('difficult experiment');
    expect(await page.locator('.participants .name').nth(1).textContent()).toBe(
      HOSTILE_NAME.replace(/ \u202e /, ' '),
    );
    expect(await page.locator('script').count()).toBe(1);
  });

  it('truncates names to a few lines on screen, but not on paper', async () => {
    const { page } = await visit('project');
    const names = page.locator('.experiment-list .name').filter({ hasText: LONG_NAME });
    const lines =
      "[...document.querySelectorAll('.experiment-list .name')].map((name) => name.getBoundingClientRect().height / parseFloat(getComputedStyle(name).lineHeight))";
    expect(await names.count()).toBe(2);
    expect(Math.max(...(await page.evaluate<number[]>(lines)))).toBeLessThan(2.5);
    await page.emulateMedia({ media: 'print' });
    const printed = await page.evaluate<number[]>(lines);
    expect(printed.filter((count) => count > 2.5)).toHaveLength(2);
  });

  it('prints in light colours, without interactive elements', async () => {
    const { page } = await visit('running experiment', { colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    expect(await page.locator('.goal:visible .plot').count()).toBe(2);
    for (const hidden of [
      'button',
      'form',
      '.sections',
      '.step',
      '.data',
      'td a:text-matches("^(Edit|Open)")',
      'th:text-is("Preview")',
    ]) {
      expect([hidden, await page.locator(`${hidden}:visible`).count()]).toEqual([hidden, 0]);
    }
  });
});
