import { isDeepStrictEqual } from 'node:util';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { describeInBrowser, launchBrowser, open, USER_AGENT } from '../support/browser';
import { attributeAll } from '../support/events';
import { anotherProject, Made, Maker, useScene } from '../support/scene';
import { listening } from '../support/web-server';
import { eventually } from '../support/waiting';

/* GrowthBook's page script (`auto.min.js`) with its default options, together with Segment's library. */

const FILES: Record<string, string> = {
  'auto.min.js': join(dirname(require.resolve('@growthbook/growthbook')), '../bundles/auto.min.js'),
};
const SEGMENT = dirname(require.resolve('@segment/analytics-next/dist/umd/index.js'));

function servePages(): Promise<Server> {
  const server = createServer(({ url = '/' }, response) => {
    const name = basename(url);
    const isFile = name.endsWith('.js');
    response.setHeader('content-type', isFile ? 'text/javascript' : 'text/html');
    response.end(isFile ? readFileSync(FILES[name] ?? join(SEGMENT, name)) : '<title>Shop</title>');
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/* eslint-disable @typescript-eslint/no-explicit-any -- globals of the libraries */
describeInBrowser('auto.min.js', () => {
  const scene = useScene();
  let browser: Browser;
  let pages: Server;
  let origin: string;
  let address: string;
  let make: Maker;
  let goal: Made;
  let experiments: Made[];
  let key: string;

  beforeAll(async () => {
    [browser, pages, address] = [await launchBrowser(), await servePages(), await listening(scene.api.app)];
    origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await browser.close();
    pages.close();
  });
  beforeEach(async () => {
    make = await anotherProject(scene);
    goal = await make.goal({ value_type: 'revenue' });
    experiments = [
      await make.withStatus('running', { api_name: 'first', goals: [goal.id] }),
      await make.withStatus('running', { api_name: 'second', css: 'body{color:red}', goals: [goal.id] }),
    ];
    key = (await scene.client.get(make.project)).body.client_key as string;
  });

  /** A page on which Segment's library and GrowthBook's script are loaded. */
  async function pageWithScript(): Promise<{ page: Page; problems: string[] }> {
    const { page } = await open(browser, origin, { userAgent: USER_AGENT });
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('response', (response) => {
      if (response.url().startsWith(address) && response.status() >= 400) {
        problems.push(`${response.status()} ${response.url()}`);
      }
    });
    await page.addScriptTag({ url: `${origin}/index.js` });
    await page.evaluate(
      async ([server, writeKey]) => {
        const { host, protocol } = new URL(server);
        const segment = { apiKey: writeKey, apiHost: `${host}/v1`, protocol: protocol.slice(0, -1) };
        const cdnSettings = { integrations: { 'Segment.io': segment } };
        const loaded = (globalThis as any).AnalyticsNext.AnalyticsBrowser.load({ writeKey, cdnSettings });
        (globalThis as any).analytics = (await loaded)[0];
      },
      [address, key],
    );
    await page.evaluate(
      ([file, server, clientKey]) =>
        new Promise((resolve) => {
          const script = Object.assign((globalThis as any).document.createElement('script'), { src: file });
          Object.assign(script.dataset, { apiHost: server, clientKey });
          (globalThis as any).document.addEventListener('growthbookdata', resolve);
          (globalThis as any).document.head.append(script);
        }),
      [`${origin}/auto.min.js`, address, key],
    );
    return { page, problems };
  }

  /** Participants and conversions of each experiment, as shown in its results. */
  async function counted(): Promise<number[][]> {
    await attributeAll(scene.api);
    const counts: number[][] = [];
    for (const { path } of experiments) {
      const { status, body } = await scene.client.get(`${path}/results`);
      const figures = status === 404 ? [] : Object.values<Made>((body as Made[])[0].variationStatistics);
      counts.push(
        ['participants', 'conversions'].map((name) =>
          figures.reduce((total, each) => total + (each[name] as number), 0),
        ),
      );
    }
    return counts;
  }

  async function arrives(expected: number[][]): Promise<void> {
    let shown: number[][] = [];
    await eventually(async () => {
      shown = await counted();
      return isDeepStrictEqual(shown, expected);
    });
    expect(shown).toEqual(expected);
  }

  it('records nothing on load, and then, through Segment, only the experiment whose feature the page reads', async () => {
    const { page, problems } = await pageWithScript();
    expect(await page.evaluate(() => (globalThis as any)._growthbook.getExperiments())).toEqual([]);
    const value = await page.evaluate(() => (globalThis as any)._growthbook.getFeatureValue('first', 'none'));
    expect(experiments[0].variations.map(({ api_name }: Made) => api_name)).toContain(value);
    await page.evaluate(
      (name) => (globalThis as any).analytics.track(name, { value: 5 }),
      goal.api_name as string,
    );
    await arrives([
      [1, 1],
      [0, 0],
    ]);
    expect(problems).toEqual([]);
  });

  it('applies experiments that are started while the page is open', async () => {
    const { page, problems } = await pageWithScript();
    await make.withStatus('running', { api_name: 'third' });
    await page.waitForFunction(() => 'third' in (globalThis as any)._growthbook.getFeatures(), null, {
      timeout: 60_000,
    });
    expect(problems).toEqual([]);
  });
});
