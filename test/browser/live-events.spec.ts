import type { Browser, BrowserContextOptions } from 'playwright-core';
import type { TestApi, World } from '../support/api';
import {
  accessibilityProblems,
  describeInBrowser,
  launchBrowser,
  LOOKS,
  misfits,
  open,
  overflow,
  USER_AGENT,
  Visit,
} from '../support/browser';
import { conversion, exposure, send } from '../support/events';
import { startLive } from '../support/live-server';
import { Made, Maker } from '../support/scene';
import { signedIn, withPassword } from '../support/visitor';

/* The live events of a project and the card of its installation in a real browser. */

const VERY_NARROW = { width: 320, height: 640 };
const LONG = 'Extraordinarily'.repeat(17);
const HOSTILE = '</td><script>alert(1)</script>شراء \u202e الآن';
const SNIPPET = { context: { library: { name: 'gosset.js' } } };

const PAGES = [
  'with messages',
  'without messages',
  'project with messages',
  'project without messages',
] as const;

type Name = (typeof PAGES)[number];

describeInBrowser('live events', () => {
  const visits: Visit[] = [];
  let api: TestApi;
  let world: World;
  let browser: Browser;
  let origin: string;
  let shop: Maker;
  let experiment: Made;
  let places: Record<Name, string>;
  let secret: string;

  beforeAll(async () => {
    [browser, api] = [await launchBrowser(), await startLive()];
    origin = api.config.publicUrl;
    world = await api.world();
    const { admin } = world.people;
    shop = new Maker(admin.client, world.project);
    const empty = `/projects/${await api.project(world.teamId, 'Corner shop')}`;
    places = {
      'with messages': `${world.project}/live-events`,
      'without messages': `${empty}/live-events`,
      'project with messages': world.project,
      'project without messages': empty,
    };
    experiment = await shop.withStatus('running', { name: 'Green buy button' });
    await shop.goal({ name: 'Sale', value_type: 'revenue' });
    await sendAll();
    const { visitor } = await signedIn(api, await withPassword(api, admin));
    secret = visitor.cookies.get('gosset') ?? '';
  });
  afterEach(async () => {
    await Promise.all(visits.splice(0).map(({ context }) => context.close()));
  });
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  const keyOf = async (): Promise<string> =>
    (await world.people.admin.client.get(world.project)).body.client_key as string;

  async function sendAll(): Promise<void> {
    const key = await keyOf();
    const page = { 'user-agent': USER_AGENT, origin: 'https://shop.example.com' };
    const [original] = experiment.variations as { id: number }[];
    await api.as(null).get(`//s/${key}.js`, { referer: 'https://shop.example.com/' });
    const once = conversion('ann', 'sale', 49.9, SNIPPET);
    await send(api, key, [{ ...exposure('ann', experiment.id, original.id), ...SNIPPET }, once], {}, page);
    await send(api, key, [once, conversion('ben', 'sail', 5), { type: 'identify', userId: 'ben' }], {}, page);
    const properties = { build: '', where: 'js', message: `${LONG} is not defined` };
    await send(
      api,
      key,
      [
        { type: HOSTILE, event: HOSTILE, anonymousId: HOSTILE, properties: { value: HOSTILE } },
        {
          type: 'track',
          event: LONG,
          anonymousId: LONG,
          properties: { experiment_id: LONG, variation_id: LONG },
        },
        { type: 'error', anonymousId: 'cleo', messageId: 'm-1', properties, ...SNIPPET },
      ],
      {},
      page,
    );
    await api.as(null).post('//v1/batch', '{', { 'x-api-key': key });
  }

  async function visit(name: Name, options: BrowserContextOptions = {}): Promise<Visit> {
    const cookie = { name: 'gosset', value: secret, domain: '127.0.0.1', path: '/' };
    const cookies = [{ ...cookie, expires: -1, httpOnly: true, secure: false, sameSite: 'Lax' as const }];
    const opened = await open(browser, `${origin}${places[name]}`, {
      storageState: { cookies, origins: [] },
      ...options,
    });
    visits.push(opened);
    return opened;
  }

  /** Browsers ask for an icon of the site, and report that there is none. */
  const isUnexpected = (text: string): boolean => !/status of 404/.test(text);

  it.each(PAGES)('%s: fits, is accessible and loads nothing from elsewhere', async (name) => {
    const { page, requests, complaints } = await visit(name, { bypassCSP: true });
    for (const { size, scheme } of LOOKS) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: scheme });
      const problems = await accessibilityProblems(page);
      expect([size, scheme, await overflow(page), problems]).toEqual([size, scheme, 0, []]);
    }
    expect(await misfits(page)).toEqual([]);
    await page.setViewportSize(VERY_NARROW);
    expect(await overflow(page)).toBe(0);
    expect(requests.filter((address) => new URL(address).origin !== origin)).toEqual([]);
    expect(complaints.filter(isUnexpected)).toEqual([]);
  });

  it.each(PAGES)('%s: keeps to its policy', async (name) => {
    const { page, complaints } = await visit(name);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect([await page.locator('script').count(), complaints.filter(isUnexpected)]).toEqual([1, []]);
  });

  it.each([true, false])(
    'show what comes when they are refreshed, with JavaScript: %s',
    async (javaScriptEnabled) => {
      const { page } = await visit('project with messages', { javaScriptEnabled });
      await page.getByRole('link', { name: 'Live events' }).first().click();
      await page.getByRole('link', { name: /^Rejected/ }).click();
      expect(new URL(page.url()).search).toBe('?outcome=rejected');
      const rows = page.locator('tbody tr');
      const before = await rows.count();
      const visitor = `late-${String(javaScriptEnabled)}`;
      await send(api, await keyOf(), [conversion(visitor, 'nothing'), conversion(visitor, 'sale', 1)]);
      expect(await rows.count()).toBe(before);
      await page.getByRole('link', { name: 'Refresh' }).click();
      await page.getByText(visitor).waitFor();
      expect(await rows.count()).toBe(before + 1);
      expect(await rows.first().textContent()).toContain('unknown_event');
    },
  );
});
