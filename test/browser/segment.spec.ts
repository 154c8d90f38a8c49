import { isDeepStrictEqual } from 'node:util';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { describeInBrowser, launchBrowser, open, USER_AGENT } from '../support/browser';
import { attributeAll } from '../support/events';
import { Made, useScene } from '../support/scene';
import { listening } from '../support/web-server';
import { eventually } from '../support/waiting';

/* The libraries of Segment, RudderStack and Jitsu with their default options, on pages of another origin. */

const SEGMENT = dirname(require.resolve('@segment/analytics-next/dist/umd/index.js'));

/** A build that includes the parts that the standard script loads from a CDN. */
const RUDDERSTACK = join(dirname(require.resolve('@rudderstack/analytics-js/bundled')), '../umd/index.js');

const JITSU = join(dirname(require.resolve('@jitsu/js')), 'jitsu.es.js');

const FILES: Readonly<Record<string, string>> = { '/rudderstack.js': RUDDERSTACK, '/jitsu.js': JITSU };

/** Serves a page and the library files. */
function servePages(): Promise<Server> {
  const server = createServer(({ url = '/' }, response) => {
    const isFile = url.endsWith('.js');
    response.setHeader('content-type', isFile ? 'text/javascript' : 'text/html');
    const file = FILES[url] ?? join(SEGMENT, basename(url));
    response.end(isFile ? readFileSync(file) : '<title>Shop</title>');
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

interface Told {
  key: string;
  address: string;
  goal: string;
  viewed: object;
}

describeInBrowser('analytics libraries on a page', () => {
  const scene = useScene();
  let browser: Browser;
  let pages: Server;
  let origin: string;
  let address: string;
  let experiment: Made;
  let told: Told;

  beforeAll(async () => {
    [browser, pages, address] = [await launchBrowser(), await servePages(), await listening(scene.api.app)];
    origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await browser.close();
    pages.close();
  });
  beforeEach(async () => {
    const goal = await scene.make.goal({ value_type: 'revenue' });
    experiment = await scene.make.withStatus('running', { goals: [goal.id] });
    const { client_key } = (await scene.client.get(scene.project)).body as Made;
    told = {
      key: client_key as string,
      address,
      goal: goal.api_name as string,
      viewed: { experiment_id: experiment.api_name, variation_id: experiment.variations[1].api_name },
    };
  });

  /** Waits until the second variation's results equal `expected`: `[participants, conversions, totalValue]`. */
  async function arrives(expected: number[]): Promise<void> {
    let shown: number[] = [];
    await eventually(async () => {
      await attributeAll(scene.api);
      // The results are 404 until the first exposure.
      const { status, body } = await scene.client.get(`${experiment.path}/results`);
      const result = status === 200 ? (body as Made[])[0] : undefined;
      const variations = Object.values<Made>(result?.variationStatistics ?? {});
      const { participants, conversions, totalValue } = variations[1] ?? {};
      shown = [participants, conversions, totalValue];
      return isDeepStrictEqual(shown, expected);
    });
    expect(shown).toEqual(expected);
  }

  /** Runs code on a page on which a library has been loaded. @returns the failed requests */
  async function run(script: string, code: (given: Told) => Promise<void>): Promise<string[]> {
    const { page } = await open(browser, origin, { userAgent: USER_AGENT });
    const refused = refusedRequests(page);
    await page.addScriptTag({ url: `${origin}/${script}` });
    await page.evaluate(code, told);
    return refused;
  }

  function refusedRequests(page: Page): string[] {
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.url().startsWith(address) && response.status() >= 400) {
        refused.push(`${response.status()} ${response.url()}`);
      }
    });
    return refused;
  }

  it('the exposures and conversions of @segment/analytics-next appear in the results', async () => {
    const refused = await run('index.js', async ({ key, address: server, goal, viewed }) => {
      /* eslint-disable @typescript-eslint/no-explicit-any -- a global of the library */
      const { AnalyticsBrowser } = (globalThis as any).AnalyticsNext;
      const { host, protocol } = new URL(server);
      const segment = { apiKey: key, apiHost: `${host}/v1`, protocol: protocol.slice(0, -1) };
      const cdnSettings = { integrations: { 'Segment.io': segment } };
      const [analytics] = await AnalyticsBrowser.load({ writeKey: key, cdnSettings });
      await analytics.page();
      await analytics.identify('user-1', { plan: 'premium' });
      await analytics.track('Experiment Viewed', viewed);
      await analytics.track(goal, { value: 30 });
    });
    await arrives([1, 1, 30]);
    expect(refused).toEqual([]);
  });

  it('the exposures and conversions of @rudderstack/analytics-js appear in the results', async () => {
    const refused = await run('rudderstack.js', async ({ key, address: server, goal, viewed }) => {
      const library = (globalThis as any).rudderanalytics;
      const analytics = library.RudderAnalytics === undefined ? library : new library.RudderAnalytics();
      const source = { id: 'source', name: 'Shop', writeKey: key, enabled: true, workspaceId: 'workspace' };
      const config = { source: { ...source, config: {}, destinations: [] } };
      analytics.load(key, server, { getSourceConfig: () => config });
      analytics.page();
      analytics.identify('user-1', { plan: 'premium' });
      analytics.track('Experiment Viewed', viewed);
      // Each event is sent in a separate request, and its time is the arrival time. The exposure must arrive first.
      const isSent = () => performance.getEntriesByType('resource').some(({ name }) => /track$/.test(name));
      while (!isSent()) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      analytics.track(goal, { value: 30 });
    });
    await arrives([1, 1, 30]);
    expect(refused).toEqual([]);
  });

  it('a conversion sent by @rudderstack/analytics-js counts even if its exposure was delivered later by a retry', async () => {
    const { page } = await open(browser, origin, { userAgent: USER_AGENT });
    const requests: string[] = [];
    // Exposures fail until the conversion has been sent.
    await page.route(`${address}/v1/track`, async (route) => {
      const isExposure = (route.request().postData() ?? '').includes('Experiment Viewed');
      const fails = isExposure && !requests.includes('conversion');
      requests.push(isExposure ? (fails ? 'failed exposure' : 'exposure') : 'conversion');
      await (fails ? route.abort() : route.continue());
    });
    await page.addScriptTag({ url: `${origin}/rudderstack.js` });
    await page.evaluate(async ({ key, address: server, goal, viewed }) => {
      const library = (globalThis as any).rudderanalytics;
      const analytics = library.RudderAnalytics === undefined ? library : new library.RudderAnalytics();
      const source = { id: 'source', name: 'Shop', writeKey: key, enabled: true, workspaceId: 'workspace' };
      const config = { source: { ...source, config: {}, destinations: [] } };
      analytics.load(key, server, { getSourceConfig: () => config });
      analytics.track('Experiment Viewed', viewed);
      // The server derives event times from arrival times, so the events must be further apart than a request takes on
      // a busy machine.
      await new Promise((resolve) => setTimeout(resolve, 4_000));
      analytics.track(goal, { value: 30 });
    }, told);
    await arrives([1, 1, 30]);
    expect([...new Set(requests)]).toEqual(['failed exposure', 'conversion', 'exposure']);
  });

  it('the exposures and conversions of @jitsu/js appear in the results', async () => {
    const { page } = await open(browser, origin, { userAgent: USER_AGENT });
    const refused = refusedRequests(page);
    // The code is a string, because the test compiler would replace the import.
    await page.evaluate("import('/jitsu.js').then((library) => { globalThis.jitsu = library; })");
    await page.evaluate(async ({ key, address: server, goal, viewed }) => {
      const { jitsuAnalytics } = (globalThis as any).jitsu;
      const analytics = jitsuAnalytics({ host: server, writeKey: `${key}:public` });
      await analytics.page();
      await analytics.track('Experiment Viewed', viewed);
      // Signing in links the user id to the visitor's id, so the conversion counts for the same visitor.
      await analytics.identify('user-1', { plan: 'premium' });
      await analytics.track(goal, { value: 30 });
    }, told);
    await arrives([1, 1, 30]);
    expect(refused).toEqual([]);
  });
});
