import { readFileSync } from 'node:fs';
import { createServer, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { describeInBrowser, USER_AGENT } from '../support/browser';
import { ROOT } from '../support/documents';
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

  async function comes(address: string): Promise<Page> {
    const context = await site.browser.newContext({ userAgent: USER_AGENT });
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
        expect(shop.complaints).toBe('');
      } finally {
        shop.stop();
      }
      const { paid } = await site.figures(experiment);
      expect([sum(paid, 'participants'), sum(paid, 'conversions')]).toEqual([VISITORS, VISITORS]);
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
      const elsewhere = await make.page({
        name: 'Elsewhere',
        conditions: [{ match: 'contains', value: '/nowhere' }],
      });
      // The snippet runs one of the two experiments, and the SDK runs the other.
      const plans = await make.experiment({
        ...{ name: 'Plans', pages: [everywhere.id], goals: [goal.id] },
        ...EVENLY,
      });
      const chat = await make.experiment({
        ...{ name: 'Chat', pages: [elsewhere.id], goals: [goal.id] },
        variations: [
          { name: 'Original', traffic_allocation: 50 },
          { name: 'Shown', traffic_allocation: 50 },
        ],
      });
      await make.move(plans, 'running');
      await make.move(chat, 'running');
      const shown: Record<string, boolean> = {};
      for (let count = 0; count < VISITORS; count += 1) {
        const page = await comes('about:blank');
        await page.route('https://cdn.jsdelivr.net/**', (route) =>
          route.fulfill({
            contentType: 'text/javascript',
            headers: { 'access-control-allow-origin': '*' },
            body: readFileSync(SDK, 'utf8'),
          }),
        );
        await page.goto(origin);
        await page.click('nav a:last-child');
        expect(await page.evaluate('[gosset.getVisitorId(), localStorage.length]')).toEqual([null, 0]);
        const exposure = page.waitForResponse(
          (response) => response.request().postData()?.includes(`"exp-${chat.id}"`) ?? false,
        );
        await page.click('#consent');
        await exposure;
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
