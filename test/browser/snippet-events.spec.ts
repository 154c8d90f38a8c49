import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser';
import { CLIENT_KEY, config, experiment, pageAt, VARIATION, varied } from '../support/snippet-config';
import {
  BLACK,
  colour,
  nextFrame,
  SentMessage,
  useSnippetSite,
  waitingEvents,
} from '../support/snippet-site';
import { until } from '../support/waiting';

/* Messages that the snippet sends, and their delivery. */

const QUIET = { experiments: [] };
const UUID_V7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const bought = (eventValue?: unknown): string =>
  `gosset.push(${JSON.stringify({ eventType: 'custom', eventName: 'bought', eventValue })})`;
const PAGEHIDE = "dispatchEvent(new Event('pagehide'))";

const names = (messages: SentMessage[]): unknown[] => messages.map(({ type, event }) => event ?? type);

describeInBrowser('snippet events', () => {
  const site = useSnippetSite();

  it('include an exposure when a variation is applied, once per visitor', async () => {
    site.publish(config());
    const { page } = await site.visit('/');
    const [exposure] = await site.delivered(page);
    expect(exposure).toEqual({
      type: 'track',
      event: 'Experiment Viewed',
      anonymousId: expect.stringMatching(UUID_V7),
      messageId: expect.stringMatching(UUID_V7),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      properties: { experiment_id: 1001, variation_id: VARIATION, phase: 1 },
      context: { library: { name: 'gosset.js' } },
    });
    await page.reload();
    await page.evaluate("history.pushState({}, '', '/other'); gosset.reInit()");
    await nextFrame(page);
    expect(await site.told(page)).toHaveLength(1);
    expect(site.deliveries.map(({ writeKey, sentAt }) => [writeKey, sentAt >= exposure.timestamp!])).toEqual([
      [CLIENT_KEY, true],
    ]);
  });

  describe('include conversions', () => {
    it('of click goals, at most once per goal and click', async () => {
      const clickGoals = [
        { apiName: 'buy', selector: '#buy, #buy b, button' },
        { apiName: 'any_button', selector: 'body button' },
        { apiName: 'nothing', selector: '#nothing' },
        { apiName: 'broken', selector: '#buy:unheard-of(' },
        { apiName: 'shadow', selector: '.inner' },
      ];
      site.publish(config({ ...QUIET, clickGoals }));
      const { page, complaints } = await site.visit('/');
      await page.evaluate(
        "document.querySelector('#buy').addEventListener('click', (event) => event.stopPropagation())",
      );
      await page.click('#buy b');
      expect(names(await site.told(page))).toEqual(['buy', 'any_button']);
      await page.evaluate(`
        const inner = document.createElement('i');
        inner.className = 'inner';
        document.querySelector('p').attachShadow({ mode: 'open' }).append(inner);
        inner.click();`);
      expect(names(await site.told(page)).slice(2)).toEqual(['shadow']);
      expect(complaints).toEqual([]);
    });

    it('of click goals, once if the browser forwards a click on a label to its control', async () => {
      site.publish(config({ ...QUIET, clickGoals: [{ apiName: 'option', selector: '.option' }] }));
      const { page } = await site.visit('/');
      const html = `<label class="option"><b>Text</b> <input id="inside" type="checkbox"></label>
        <label class="option" for="outside"><i>Text</i></label> <input id="outside" class="option" type="radio">`;
      await page.evaluate(`const policy = trustedTypes.createPolicy('test', { createHTML: (html) => html });
        document.querySelector('#text').outerHTML = policy.createHTML(${JSON.stringify(html)});`);
      const selectors = ['label b', 'label b', '#inside', 'label i', '#outside', '#outside'];
      for (const [index, selector] of selectors.entries()) {
        await page.click(selector);
        expect(names(await site.told(page))).toHaveLength(index + 1);
      }
      await page.focus('#inside');
      await page.keyboard.press('Space');
      await page.evaluate("document.querySelector('label').click()");
      expect(names(await site.told(page))).toHaveLength(selectors.length + 2);
    });

    it('of custom goals, with the value that the page passed', async () => {
      site.publish(config(QUIET));
      const { page, complaints } = await site.visit('/');
      await page.evaluate(`${bought(12.5)}; ${bought('12.50')}; ${bought()}`);
      const told = await site.told(page);
      expect(told.map(({ event, properties }) => [event, properties.value])).toEqual([
        ['bought', 12.5],
        ['bought', '12.50'],
        ['bought', undefined],
      ]);
      expect(complaints).toEqual([]);
    });
  });

  describe('are delivered', () => {
    it('if the visitor navigates to another page immediately', async () => {
      site.publish(config({ ...QUIET, clickGoals: [{ apiName: 'next', selector: '#next' }] }));
      const { page } = await site.visit('/');
      await page.click('#next');
      await page.waitForURL('**/next');
      expect(names(await site.delivered(page))).toEqual(['next']);
    });

    it('if the visitor leaves the site', async () => {
      site.publish(config(QUIET));
      const { page } = await site.visit('/');
      await page.evaluate(bought());
      await page.goto('about:blank');
      await until(() => site.deliveries.length === 1);
    });

    it.each([
      ['does not respond', { status: 0 }],
      ['is unavailable', { status: 503 }],
      ['is unknown to its proxy', { status: 404 }],
      ['times out on a slow connection', { status: 408 }],
      ['limits the request rate', { status: 429, headers: { 'retry-after': '1' } }],
    ])('if the server %s for a while', async (_, collector) => {
      site.collector = collector;
      site.publish(config(QUIET));
      const { page } = await site.visit('/');
      await page.evaluate(bought());
      await until(() => site.deliveries.length === 1);
      expect(await waitingEvents(page)).toHaveLength(1);
      site.collector = { status: 200 };
      expect(names(await site.delivered(page))).toEqual(['bought']);
    });

    it('at the next attempt, even if the system clock is set back by a month', async () => {
      site.collector = { status: 503 };
      site.publish(config(QUIET));
      const { page } = await site.visit('/', {
        before:
          'const set = setTimeout; window.timers = 0; setTimeout = (...args) => { timers += 1; return set(...args); };',
      });
      await page.evaluate(`${bought()}; ${PAGEHIDE}`);
      await until(() => site.deliveries.length === 1);
      await nextFrame(page);
      await page.evaluate('const { now } = Date; Date.now = () => now() - 30 * 24 * 3_600_000; undefined');
      site.collector = { status: 200 };
      expect(names(await site.delivered(page))).toEqual(['bought']);
      expect(await page.evaluate('timers')).toBeLessThan(10);
    });

    it('by the next page, if the server is available again by then', async () => {
      site.collector = { status: 0 };
      site.publish(config());
      const { page, context } = await site.visit('/');
      await page.evaluate(`${bought(1)}; ${PAGEHIDE}`);
      await page.close();
      site.collector = { status: 200 };
      const next = await context.newPage();
      await next.goto(site.at('/next'));
      expect(names(await site.delivered(next))).toEqual(['Experiment Viewed', 'bought']);
    });

    it('as soon as the connection is restored', async () => {
      site.collector = { status: 503, headers: { 'retry-after': '3600' } };
      site.publish(config(QUIET));
      const { page } = await site.visit('/');
      await page.evaluate(`${bought()}; ${PAGEHIDE}`);
      await until(() => site.deliveries.length === 1);
      site.collector = { status: 200 };
      // The page may not have read the response yet.
      await until(async () => {
        await page.evaluate("dispatchEvent(new Event('online'))");
        return (await waitingEvents(page)).length === 0;
      });
      await page.evaluate(bought());
      expect(await site.delivered(page)).toHaveLength(2);
    });

    it('together with exposures that the server has not acknowledged, which could arrive later', async () => {
      let respond = (): void => undefined;
      site.collector = { status: 200, after: new Promise((resolve) => (respond = resolve)) };
      site.publish(config());
      const { page } = await site.visit('/');
      await until(() => site.deliveries.length === 1);
      site.collector = { status: 200 };
      await page.evaluate(bought(1));
      await until(() => site.deliveries.length === 2);
      const [first, second] = site.deliveries.map(({ batch }) => batch);
      expect([names(first), names(second)]).toEqual([['Experiment Viewed'], ['Experiment Viewed', 'bought']]);
      expect(second[0]).toEqual(first[0]);
      await site.delivered(page);
      await page.evaluate(bought(2));
      await site.delivered(page);
      expect(names(site.deliveries[2].batch)).toEqual(['bought']);
      respond();
    });

    it('in batches of fifty, each event only once', async () => {
      site.publish(config(QUIET));
      const { page } = await site.visit('/');
      await page.evaluate(
        `for (let count = 0; count < 120; count += 1) { ${bought()}; } ${PAGEHIDE}; ${PAGEHIDE};`,
      );
      await site.delivered(page);
      const sizes = site.deliveries.map(({ batch }) => batch.length).sort((a, b) => a - b);
      expect(sizes).toEqual([20, 50, 50]);
    });

    it('in keepalive requests', async () => {
      const long = '漢'.repeat(255);
      site.publish(config(QUIET));
      const { page } = await site.visit('/');
      const push = `gosset.push({ eventType: 'custom', eventName: '${long}', eventValue: '${long}' })`;
      await page.evaluate(`for (let count = 0; count < 120; count += 1) { ${push}; }`);
      await site.delivered(page);
      const bytes = site.deliveries.map((delivery) => Buffer.byteLength(JSON.stringify(delivery)));
      expect(Math.max(...bytes)).toBeLessThanOrEqual(61_440);
      expect(site.deliveries.flatMap(({ batch }) => batch)).toHaveLength(120);
    });

    it.each([400, 401, 403])('unless the server permanently rejects them with %i', async (status) => {
      site.collector = { status };
      site.publish(config(QUIET));
      const { page } = await site.visit('/');
      await page.evaluate(bought());
      expect(await site.delivered(page)).toEqual([]);
      expect(site.deliveries).toHaveLength(1);
    });

    it('in smaller batches if the server rejects larger ones', async () => {
      site.collector = { status: 200, most: 3 };
      site.publish(config(QUIET));
      const { page } = await site.visit('/');
      await page.evaluate(`for (let count = 0; count < 10; count += 1) { ${bought()}; }`);
      expect(await site.delivered(page)).toHaveLength(10);
      const sizes = site.deliveries.map(({ batch }) => batch.length);
      expect(sizes).toEqual([10, 5, 2, 2, 2, 2, 2]);
    });

    it('unless the server rejects even batches with a single event', async () => {
      site.collector = { status: 200, most: 0 };
      site.publish(config(QUIET));
      const { page } = await site.visit('/');
      await page.evaluate(`${bought()}; ${bought()};`);
      expect(await site.delivered(page)).toEqual([]);
      expect(site.deliveries.map(({ batch }) => batch.length)).toEqual([2, 1, 1]);
    });
  });

  describe('include error reports', () => {
    const reports = async (page: Page): Promise<unknown[]> =>
      (await site.told(page)).filter(({ type }) => type === 'error').map(({ properties }) => properties);

    it.each([
      [3, 3],
      [12, 10],
    ])(
      'once for each piece of code, ten at most: %i broken pieces cause %i reports',
      async (broken, reported) => {
        const throwing = (id: number) =>
          experiment({
            id,
            rule: { ...experiment().rule, key: `exp-${id}` },
            variations: varied({ js: "throw 'x'.repeat(1000)" }),
          });
        site.publish(
          config({ experiments: Array.from({ length: broken }, (_, index) => throwing(index + 1)) }),
        );
        const { page } = await site.visit('/');
        await page.evaluate('gosset.reInit()');
        const told = await reports(page);
        expect(told).toHaveLength(reported);
        expect(told[0]).toEqual({
          experiment_id: 1,
          variation_id: VARIATION,
          build: 'b0',
          where: 'js',
          message: 'x'.repeat(500),
        });
      },
    );

    it('for code that reverts changes', async () => {
      const resetJs = 'throw Object.create(null)';
      site.publish(config({ experiments: [experiment({ resetJs, pages: [pageAt('/shop')] })] }));
      const { page } = await site.visit('/shop');
      await page.evaluate("history.pushState({}, '', '/other')");
      expect(await reports(page)).toMatchObject([
        { experiment_id: 1001, where: 'reset_js', message: 'object' },
      ]);
      expect(await colour(page)).toBe(BLACK);
    });
  });
});
