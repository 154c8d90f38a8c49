import { readFileSync } from 'node:fs';
import { createServer, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { describeInBrowser, USER_AGENT } from '../support/browser';
import { ROOT } from '../support/documents';
import { attributeAll } from '../support/events';
import { ExampleServer } from '../support/example-server';
import { Figures, idsOf, LiveProject, LiveSite } from '../support/live-site';
import type { Made, Maker } from '../support/scene';
import { until } from '../support/waiting';

/*
 * The examples that set the visitor id, in browsers and with a server: the snippet, the SDK and the back end use the
 * same id.
 */

const VISITORS = 4;
const APPLICATION = join(ROOT, 'examples/single-page-application');
const SDK = join(dirname(require.resolve('@growthbook/growthbook')), '../bundles/esm.min.js');
const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const ANY_ORIGIN = { 'access-control-allow-origin': '*' };
const EVENLY = {
  variations: [
    { name: 'Original', traffic_allocation: 50 },
    { name: 'Free', traffic_allocation: 50 },
  ],
};

/** Sums a figure of a goal over both variations. */
const sum = (figures: Record<number, Figures>, key: keyof Figures): number =>
  Object.values(figures).reduce((total, each) => total + each[key], 0);

describeInBrowser('the examples', () => {
  let site: LiveSite;
  let project: LiveProject;
  let everywhere: Made;
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    site = await LiveSite.start();
  });
  afterEach(() => Promise.all(contexts.splice(0).map((context) => context.close())));
  afterAll(() => site.stop());

  async function inProject(storage: 'localStorage' | 'cookie'): Promise<Maker> {
    project = await site.project(storage);
    everywhere = await project.make.page({ name: 'Everywhere' });
    return project.make;
  }

  async function startExample(file: string, more: Record<string, string> = {}): Promise<ExampleServer> {
    return ExampleServer.start(file, {
      GOSSET_URL: site.api.config.publicUrl,
      GOSSET_PROJECT: String(project.id),
      GOSSET_CLIENT_KEY: project.clientKey,
      GOSSET_TOKEN: await site.token(),
      ...more,
    });
  }

  async function comes(address: string, userAgent = USER_AGENT): Promise<Page> {
    const context = await site.browser.newContext({ userAgent });
    contexts.push(context);
    const page = await context.newPage();
    await page.goto(address);
    return page;
  }

  const visitorId = (page: Page): Promise<string> => page.evaluate('gosset.getVisitorId()');

  /** Resolves when the server has received all events of the page. */
  const arrived = (page: Page): Promise<void> =>
    until(
      async () =>
        (await page.evaluate<number>(
          "Object.keys(localStorage).filter((key) => key.includes('.event.')).length",
        )) === 0,
    );

  describe('server-rendered shop', () => {
    it('makes the same decisions as the snippet for the same visitor', async () => {
      const make = await inProject('cookie');
      const goal = await make.goal({ name: 'Paid', value_type: 'revenue', trusted_only: true });
      const experiment = await make.experiment({
        ...{ name: 'Shipping', pages: [everywhere.id], goals: [goal.id] },
        ...EVENLY,
      });
      await make.move(experiment, 'running');
      const shop = await startExample('back-end/server.mjs', { GOSSET_EXPERIMENT: String(experiment.id) });
      try {
        const [, free] = idsOf(experiment);
        for (let count = 0; count < VISITORS; count += 1) {
          const page = await comes(shop.address);
          const cookies = Object.fromEntries(
            (await page.context().cookies()).map(({ name, value }) => [name, value]),
          );
          expect(cookies[`gosset_id_${project.clientKey}`]).toBe(await visitorId(page));
          const isFree = cookies[`gosset.${project.clientKey}`].includes(`'exp-${experiment.id}':'${free}'`);
          expect(await page.textContent('p')).toBe(isFree ? 'Free shipping' : 'Shipping 4.90');
          await page.click('button');
          expect(await page.textContent('p')).toBe('Thank you');
          await arrived(page);
        }
        // The shop sends payments in the background.
        await until(async () => sum((await site.figures(experiment)).paid, 'conversions') === VISITORS);
        expect(shop.complaints).toBe('');
      } finally {
        shop.stop();
      }
      const { paid } = await site.figures(experiment);
      expect([sum(paid, 'participants'), sum(paid, 'conversions')]).toEqual([VISITORS, VISITORS]);
    });

    it('recognises a visitor on all subdomains, on pages with and without the snippet', async () => {
      const make = await inProject('cookie');
      const experiment = await make.experiment({
        ...{ name: 'Shipping', pages: [everywhere.id], goals: [(await make.goal({ name: 'Paid' })).id] },
        ...EVENLY,
      });
      await make.move(experiment, 'running');
      const shop = await startExample('back-end/server.mjs', {
        GOSSET_EXPERIMENT: String(experiment.id),
        COOKIE_DOMAIN: 'shop.localhost',
      });
      const at = (host: string, path: string): string => shop.address.replace('127.0.0.1', host) + path;
      try {
        const page = await comes('about:blank');
        await page.route('**/s/*.js', (route) => route.abort());
        await page.goto(at('www.shop.localhost', '/'));
        await page.unroute('**/s/*.js');
        const ids: string[] = [];
        for (const [host, path] of [
          // The shop does not request a decision for its 404 page.
          ['blog.shop.localhost', '/none'],
          ['www.shop.localhost', '/'],
          ['blog.shop.localhost', '/none'],
        ]) {
          await page.goto(at(host, path));
          ids.push(await visitorId(page));
        }
        await arrived(page);
        expect(new Set(ids).size).toBe(1);
        const cookies = await page.context().cookies(at('www.shop.localhost', '/'));
        expect(cookies.filter(({ name }) => name.startsWith('gosset_id_'))).toMatchObject([
          { domain: '.shop.localhost', value: ids[0] },
        ]);
      } finally {
        shop.stop();
      }
      expect(await site.participants(experiment)).toBe(1);
    });
  });

  describe('single-page application', () => {
    let files: Server;
    let origin: string;

    beforeAll(async () => {
      files = createServer(({ url = '/' }, response) => {
        const name = url === '/' ? 'index.html' : url.slice(1).replace(/\?.*/, '');
        const text = readFileSync(join(APPLICATION, name || 'index.html'), 'utf8')
          .replaceAll('http://localhost:3000', site.api.config.publicUrl)
          .replaceAll('pk_5Yb2kQe7RtUw9ZxC3vBn1mAs', project.clientKey);
        response.setHeader('content-type', name.endsWith('.js') ? 'text/javascript' : 'text/html');
        response.end(text);
      });
      await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
      origin = `http://127.0.0.1:${(files.address() as AddressInfo).port}/`;
    });
    afterAll(() => void files.close());

    it("uses the same visitor in the snippet and in GrowthBook's SDK, after consent", async () => {
      const make = await inProject('localStorage');
      const goal = await make.goal({ name: 'Subscribed' });
      // The snippet runs one of the two experiments, and the SDK runs the other.
      const plans = await make.experiment({
        ...{ name: 'Plans', pages: [everywhere.id], goals: [goal.id] },
        ...EVENLY,
      });
      await make.move(plans, 'running');
      const chat = await runChat(make, goal);
      const shown: Record<string, boolean> = {};
      for (let count = 0; count < VISITORS; count += 1) {
        const page = await opens();
        await page.click('nav a:last-child');
        expect(await page.evaluate('[gosset.getVisitorId(), localStorage.length]')).toEqual([null, 0]);
        await consents(page, chat);
        await page.click('.subscribe');
        await arrived(page);
        await until(() => page.evaluate<boolean>("typeof gosset.getVisitorId() === 'string'"));
        shown[await visitorId(page)] = await page.isVisible('#chat');
      }
      for (const [id, isShown] of Object.entries(shown)) {
        expect([id, isShown]).toEqual([id, (await decided(chat, id)) === 'shown']);
      }
      for (const experiment of [plans, chat]) {
        const { subscribed } = await site.figures(experiment);
        expect([sum(subscribed, 'participants'), sum(subscribed, 'conversions')]).toEqual([
          VISITORS,
          VISITORS,
        ]);
      }
    });

    it('remembers consent on the next page load', async () => {
      const make = await inProject('localStorage');
      const chat = await runChat(make, await make.goal({ name: 'Subscribed' }));
      const page = await opens();
      await consents(page, chat);
      const id = await visitorId(page);
      await Promise.all([exposureOf(page, chat), page.reload()]);
      expect([await visitorId(page), await page.isVisible('#consent')]).toEqual([id, false]);
    });

    it('does not count bots, which consent like other visitors', async () => {
      const make = await inProject('localStorage');
      const chat = await runChat(make, await make.goal({ name: 'Subscribed' }));
      const bot = await opens(BOT);
      await consents(bot, chat);
      const page = await opens();
      await consents(page, chat);
      expect(await site.participants(chat)).toBe(1);
    });

    it('counts a visitor with an older payload in the phase of this payload', async () => {
      const make = await inProject('localStorage');
      const chat = await runChat(make, await make.goal({ name: 'Subscribed' }));
      const features = `/api/features/${project.clientKey}`;
      const body = await (await fetch(site.api.config.publicUrl + features)).text();
      for (const [index, { id }] of chat.variations.entries()) {
        await site.client.patch(`${chat.path}/variations/${id}`, { traffic_allocation: [10, 90][index] });
      }
      expect((await site.client.patch(`${chat.path}/publish`)).status).toBe(200);
      const page = await opens();
      await page.route(`**${features}*`, (route) =>
        route.fulfill({ body, contentType: 'application/json', headers: ANY_ORIGIN }),
      );
      await consents(page, chat);
      await consents(await opens(), chat);
      await attributeAll(site.api);
      const { phases } = (await site.client.get(`${chat.path}/results/info`)).body;
      expect(phases).toMatchObject([{ participants: 1 }, { participants: 1 }]);
    });

    /** Opens the application, which loads the SDK from `node_modules`. */
    async function opens(userAgent = USER_AGENT): Promise<Page> {
      const page = await comes('about:blank', userAgent);
      await page.route('https://cdn.jsdelivr.net/**', (route) =>
        route.fulfill({
          contentType: 'text/javascript',
          headers: ANY_ORIGIN,
          body: readFileSync(SDK, 'utf8'),
        }),
      );
      await page.goto(origin);
      return page;
    }

    /** Resolves when the server has responded to the next exposure that the SDK reports. */
    const exposureOf = (page: Page, { id }: Made): Promise<unknown> =>
      page.waitForResponse((response) => response.request().postData()?.includes(`"exp-${id}"`) ?? false);

    /** Resolves when the server has responded to the exposure that the SDK reports after consent. */
    async function consents(page: Page, chat: Made): Promise<void> {
      const exposure = exposureOf(page, chat);
      await page.click('#consent');
      await exposure;
    }

    /** Starts an experiment that the SDK evaluates. Its page does not exist, so the snippet does not run it. */
    async function runChat(make: Maker, goal: Made): Promise<Made> {
      const elsewhere = await make.page({
        name: 'Elsewhere',
        conditions: [{ match: 'contains', value: '/nowhere' }],
      });
      const chat = await make.experiment({
        ...{ name: 'Chat', pages: [elsewhere.id], goals: [goal.id] },
        variations: [
          { name: 'Original', traffic_allocation: 50 },
          { name: 'Shown', traffic_allocation: 50 },
        ],
      });
      await make.move(chat, 'running');
      return chat;
    }

    /** The `api_name` of the variation that the server assigns to a visitor. */
    async function decided(experiment: Made, id: string): Promise<string> {
      const answer = await fetch(`${site.api.config.publicUrl}/v1/decide`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': project.clientKey },
        body: JSON.stringify({ user: { id }, selector: { experiments: [experiment.id] }, record: false }),
      });
      const { experiments } = (await answer.json()) as { experiments: { variation: { api_name: string } }[] };
      return experiments[0].variation.api_name;
    }
  });

  describe('application with sign-in', () => {
    /** Signs in on a new device. */
    async function signsIn(address: string, user: string): Promise<Page> {
      const page = await comes(address);
      const before = await visitorId(page);
      await page.fill('input', user);
      await page.click('form[action="/sign-in"] button');
      expect(await page.textContent('h1')).toBe(`Hello, ${user}`);
      expect(await visitorId(page)).toBe(before);
      await arrived(page);
      return page;
    }

    it('recognises the same visitor before and after sign-in, on all devices', async () => {
      const make = await inProject('localStorage');
      const goal = await make.goal({ name: 'Subscribed', trusted_only: true });
      const experiment = await make.experiment({
        ...{ name: 'Landing', pages: [everywhere.id], goals: [goal.id] },
        ...EVENLY,
      });
      await make.move(experiment, 'running');
      const application = await startExample('sign-in/server.mjs');
      try {
        for (let count = 0; count < VISITORS; count += 1) {
          await signsIn(application.address, `user-${count}`);
          const another = await signsIn(application.address, `user-${count}`);
          await another.click('form[action="/subscribe"] button');
          await arrived(another);
        }
        expect(application.complaints).toBe('');
      } finally {
        application.stop();
      }
      const { subscribed } = await site.figures(experiment);
      expect([sum(subscribed, 'participants'), sum(subscribed, 'conversions')]).toEqual([VISITORS, VISITORS]);
    });
  });
});
