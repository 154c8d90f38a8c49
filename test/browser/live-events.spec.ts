import type { BrowserContextOptions } from 'playwright-core';
import { describeInBrowser, misfits, USER_AGENT, Visit } from '../support/browser';
import { HOSTILE_NAME, LONG_NAME, unexpected, useBrowser } from '../support/browser-scene';
import { conversion, exposure, send } from '../support/events';
import type { Made } from '../support/scene';

/* A project's live events and installation card in a real browser. */

const SNIPPET = { context: { library: { name: 'gosset.js' } } };

const PAGES = [
  'with messages',
  'without messages',
  'project with messages',
  'project without messages',
] as const;

type Name = (typeof PAGES)[number];

describeInBrowser('live events', () => {
  const scene = useBrowser();
  let experiment: Made;
  let places: Record<Name, string>;

  beforeAll(async () => {
    const { project } = scene.make;
    const { project: empty } = await scene.project('Corner shop');
    places = {
      'with messages': `${project}/live-events`,
      'without messages': `${empty}/live-events`,
      'project with messages': project,
      'project without messages': empty,
    };
    experiment = await scene.make.withStatus('running', { name: 'Green buy button' });
    await scene.make.goal({ name: 'Sale', value_type: 'revenue' });
    await sendAll();
  });

  const keyOf = async (): Promise<string> =>
    (await scene.client.get(scene.make.project)).body.client_key as string;

  async function sendAll(): Promise<void> {
    const key = await keyOf();
    const page = { 'user-agent': USER_AGENT, origin: 'https://shop.example.com' };
    const [original] = experiment.variations as { id: number }[];
    await scene.api.as(null).get(`//s/${key}.js`, { referer: 'https://shop.example.com/' });
    const once = conversion('ann', 'sale', 49.9, SNIPPET);
    await send(
      scene.api,
      key,
      [{ ...exposure('ann', experiment.id, original.id), ...SNIPPET }, once],
      {},
      page,
    );
    await send(
      scene.api,
      key,
      [once, conversion('ben', 'sail', 5), { type: 'identify', userId: 'ben' }],
      {},
      page,
    );
    const properties = { build: '', where: 'js', message: `${LONG_NAME} is not defined` };
    await send(
      scene.api,
      key,
      [
        {
          type: HOSTILE_NAME,
          event: HOSTILE_NAME,
          anonymousId: HOSTILE_NAME,
          properties: { value: HOSTILE_NAME },
        },
        {
          type: 'track',
          event: LONG_NAME,
          anonymousId: LONG_NAME,
          properties: { experiment_id: LONG_NAME, variation_id: LONG_NAME },
        },
        { type: 'error', anonymousId: 'cleo', messageId: 'm-1', properties, ...SNIPPET },
      ],
      {},
      page,
    );
    await scene.api.as(null).post('//v1/batch', '{', { 'x-api-key': key });
  }

  const visit = (name: Name, options: BrowserContextOptions = {}): Promise<Visit> =>
    scene.visitAsAdmin(places[name], options);

  it.each(PAGES)('%s: fits the window, is accessible and loads nothing from other hosts', async (name) => {
    const opened = await visit(name, { bypassCSP: true });
    await scene.expectFits(opened);
    expect(await misfits(opened.page)).toEqual([]);
  });

  it.each(PAGES)('%s: complies with its CSP', async (name) => {
    const { page, complaints } = await visit(name);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect([await page.locator('script').count(), unexpected(complaints)]).toEqual([1, []]);
  });

  it.each([true, false])(
    'include new messages when the page is refreshed, with JavaScript: %s',
    async (javaScriptEnabled) => {
      const { page } = await visit('project with messages', { javaScriptEnabled });
      await page.getByRole('link', { name: 'Live events' }).first().click();
      await page.getByRole('link', { name: /^Rejected/ }).click();
      expect(new URL(page.url()).search).toBe('?outcome=rejected');
      const rows = page.locator('tbody tr');
      const before = await rows.count();
      const visitor = `late-${String(javaScriptEnabled)}`;
      await send(scene.api, await keyOf(), [conversion(visitor, 'nothing'), conversion(visitor, 'sale', 1)]);
      expect(await rows.count()).toBe(before);
      await page.getByRole('link', { name: 'Refresh' }).click();
      await page.getByText(visitor).waitFor();
      expect(await rows.count()).toBe(before + 1);
      expect(await rows.first().textContent()).toContain('unknown_event');
    },
  );
});
