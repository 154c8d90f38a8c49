import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { Person, TestApi, World } from '../support/api';
import {
  accessibilityProblems,
  describeInBrowser,
  launchBrowser,
  LOOKS,
  misfits,
  open,
  overflow,
  Visit,
} from '../support/browser';
import { Cells } from '../support/cells';
import { startLive } from '../support/live-server';
import { Made, Maker } from '../support/scene';
import { daysOfMay } from '../support/shared-experiment';
import { signedIn, withPassword } from '../support/visitor';

/* The pages of teams, projects and experiments in a real browser. */

const VERY_NARROW = { width: 320, height: 640 };
const LONG_NAME = 'Extraordinarily'.repeat(17);
const HOSTILE = '</title><script>alert(1)</script>شراء \u202e الآن';

const PAGES = [
  'first page',
  'first page of somebody in no team',
  'project',
  'project with many experiments',
  'project with no such experiment',
  'project without experiments',
  'project without experiments, for a viewer',
  'running experiment',
  'difficult experiment',
  'incomplete draft',
  'draft, for a viewer',
  'wrong filter',
  'nothing there',
] as const;

type Name = (typeof PAGES)[number];

describeInBrowser('the console', () => {
  const visits: Visit[] = [];
  let api: TestApi;
  let world: World;
  let browser: Browser;
  let origin: string;
  let places: Record<Name, { path: string; as: Person }>;
  let secrets: Map<Person, string>;

  beforeAll(async () => {
    [browser, api] = [await launchBrowser(), await startLive()];
    origin = api.config.publicUrl;
    world = await api.world();
    const alone = await api.person();
    const { admin, viewer } = world.people;
    places = await arrange(admin, viewer, alone);
    secrets = new Map();
    for (const person of [admin, viewer, alone]) {
      const { visitor } = await signedIn(api, await withPassword(api, person));
      secrets.set(person, visitor.cookies.get('gosset') ?? '');
    }
  });
  afterEach(async () => {
    await Promise.all(visits.splice(0).map(({ context }) => context.close()));
  });
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  async function project(name: string): Promise<Maker> {
    return new Maker(world.people.admin.client, `/projects/${await api.project(world.teamId, name)}`);
  }

  async function running(maker: Maker, fields: object, days: number, converters: number): Promise<Made> {
    const made = await maker.withStatus('running', fields);
    const cells = new Cells(api, made.id);
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
    await api.join(await api.team('Team without a project'), admin, 'editor');
    const [empty, busy] = [await project('Corner shop'), await project('Busy shop')];
    const shop = new Maker(admin.client, world.project);
    await admin.client.patch(world.project, { description: 'The shop for tea.\nAnd for pots.' });
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
        variations: [{ name: LONG_NAME }, { name: HOSTILE }],
        goals: [(await shop.goal({ name: LONG_NAME })).id],
        tags: [HOSTILE, LONG_NAME.slice(0, 50)],
      },
      1,
      170,
    );
    await running(shop, { name: HOSTILE }, 3, -20);
    const draft = await shop.experiment({ name: 'An idea' });
    await shop.withStatus('pause', { name: 'Checkout on one page' });
    await shop.withStatus('archive', { name: 'Free delivery' });
    for (let index = 1; index <= 26; index += 1) {
      await busy.experiment({ name: `Idea ${index}` });
    }
    return {
      'first page': { path: '/', as: admin },
      'first page of somebody in no team': { path: '/', as: alone },
      project: { path: shop.project, as: viewer },
      'project with many experiments': { path: `${busy.project}?search=idea&status=draft`, as: admin },
      'project with no such experiment': { path: `${busy.project}?search=nothing`, as: admin },
      'project without experiments': { path: empty.project, as: admin },
      'project without experiments, for a viewer': { path: empty.project, as: viewer },
      'running experiment': { path: usual.path, as: admin },
      'difficult experiment': { path: difficult.path, as: admin },
      'incomplete draft': { path: draft.path, as: admin },
      'draft, for a viewer': { path: draft.path, as: viewer },
      'wrong filter': { path: `${usual.path}?startDate=2026-05-09&endDate=2026-05-01`, as: admin },
      'nothing there': { path: `${shop.project}/experiments/999999`, as: admin },
    };
  }

  /** Opens a page as somebody who is signed in. */
  async function visit(name: Name, options: BrowserContextOptions = {}): Promise<Visit> {
    const { path, as } = places[name];
    const cookie = { name: 'gosset', value: secrets.get(as) ?? '', domain: '127.0.0.1', path: '/' };
    const state = {
      cookies: [{ ...cookie, expires: -1, httpOnly: true, secure: false, sameSite: 'Lax' as const }],
      origins: [],
    };
    const opened = await open(browser, `${origin}${path}`, { storageState: state, ...options });
    visits.push(opened);
    return opened;
  }

  const openDetails = "document.querySelectorAll('details').forEach((each) => { each.open = true; })";

  it.each(PAGES)('%s fits, is accessible and loads nothing from elsewhere', async (name) => {
    const { page, requests, complaints } = await visit(name, { bypassCSP: true });
    for (const { size, scheme } of LOOKS) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: scheme });
      // What else there is to check is the same in all looks.
      const rules = scheme === 'dark' ? ['color-contrast', 'target-size'] : undefined;
      const problems = await accessibilityProblems(page, rules);
      expect([size, scheme, await overflow(page), problems]).toEqual([size, scheme, 0, []]);
    }
    expect(await misfits(page)).toEqual([]);
    await page.evaluate(openDetails);
    await page.setViewportSize(VERY_NARROW);
    expect(await overflow(page)).toBe(0);
    expect(await smallestTarget(page)).toBeGreaterThanOrEqual(24);
    expect(requests.filter((address) => new URL(address).origin !== origin)).toEqual([]);
    // Browsers report each answer that is not 2xx.
    expect(complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  });

  const smallestTarget = (page: Page): Promise<number> =>
    page.evaluate(
      "Math.min(...[...document.querySelectorAll('a, button, summary, input:not([type=hidden]), .choice')].map((target) => target.closest('.choice') ?? target).filter((target) => getComputedStyle(target).display !== 'inline' || target.closest('p') === null).map((target) => target.getBoundingClientRect().height).filter((height) => height > 0))",
    );

  it.each(PAGES)('%s keeps to its policy', async (name) => {
    const { page, complaints } = await visit(name);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  });

  it.each([true, false])(
    'leads from the first page to an experiment and back, with JavaScript: %s',
    async (javaScriptEnabled) => {
      const { page } = await visit('first page', { javaScriptEnabled });
      await page.getByRole('link', { name: 'Shop', exact: true }).click();
      await page.getByRole('link', { name: 'Running 4' }).click();
      expect(new URL(page.url()).search).toBe('?status=running');
      await page.getByLabel('Part of the name').fill('buy');
      await page.getByRole('button', { name: 'Search' }).click();
      expect(new URL(page.url()).search).toBe('?search=buy&status=running');
      await page.getByRole('link', { name: 'Green buy button' }).click();
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Green buy button');
      await page.getByText('Filter', { exact: true }).click();
      await page.getByLabel('First day').fill('2026-05-02');
      await page.getByRole('button', { name: 'Show' }).click();
      expect(await page.locator('.facts dd').first().textContent()).toBe('10\u202f530');
      await page
        .getByRole('navigation', { name: 'Where this page is' })
        .getByRole('link', { name: 'Shop' })
        .click();
      expect(page.url()).toBe(`${origin}${world.project}`);
      await page
        .getByRole('navigation', { name: 'Gosset' })
        .getByRole('link', { name: 'Experiments' })
        .click();
      expect(page.url()).toBe(`${origin}/`);
      expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(javaScriptEnabled ? 1 : 0);
    },
  );

  const clipboard = async (context: BrowserContext, page: Page): Promise<string> => {
    await context.grantPermissions(['clipboard-read'], { origin });
    return page.evaluate<string>('navigator.clipboard.readText()');
  };

  it('copies commands, with and without a clipboard for pages', async () => {
    const { context, page, complaints } = await visit('running experiment');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const command = await page.locator('#step-0').textContent();
    expect(command).toContain('"status":"pause"');
    await page.getByRole('button', { name: 'Copy API command' }).click();
    await page.getByText('Copied.', { exact: true }).waitFor();
    expect([await clipboard(context, page), complaints]).toEqual([command, []]);
    await context.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.reload();
    await page.getByRole('button', { name: 'Copy HTML' }).click();
    await page.getByText('Copied.', { exact: true }).waitFor();
    const other = await visit('first page');
    expect(await clipboard(other.context, other.page)).toMatch(/^<script src=".*\.js"><\/script>$/);
  });

  it('can be gone through with the keyboard, and shows where the focus is', async () => {
    const { page } = await visit('project');
    const reached: string[] = [];
    for (let press = 0; press < 8; press += 1) {
      await page.keyboard.press('Tab');
      reached.push(await page.evaluate('document.activeElement.textContent'));
      expect(await page.evaluate('getComputedStyle(document.activeElement).outlineWidth')).toBe('3px');
    }
    expect(reached).toEqual([
      'Experiments',
      'Settings',
      'Sign out',
      'Experiments',
      'Shop',
      'Plan the sample size of an experiment',
      'Live events',
      'All 7',
    ]);
  });

  it('shows names as they were written', async () => {
    const { page } = await visit('difficult experiment');
    expect(await page.locator('.participants .name').nth(1).textContent()).toBe(
      HOSTILE.replace(/ \u202e /, ' '),
    );
    expect(await page.locator('script').count()).toBe(1);
  });

  it('cuts names to a few lines on the screen, and not on paper', async () => {
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

  it('is printed in light colours, without what paper cannot do', async () => {
    const { page } = await visit('running experiment', { colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    expect(await page.locator('.goal:visible .plot').count()).toBe(2);
    for (const hidden of ['button', 'form', '.sections', '.step', '.data']) {
      expect([hidden, await page.locator(`${hidden}:visible`).count()]).toEqual([hidden, 0]);
    }
  });
});
