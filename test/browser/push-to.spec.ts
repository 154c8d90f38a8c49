import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser';
import { config, experiment, ORIGINAL, VARIATION, WrittenConfig } from '../support/snippet-config';
import { BLACK, colour, RED, SentMessage, useSnippetSite } from '../support/snippet-site';
import { until } from '../support/waiting';

/* Exposures that the snippet pushes to other scripts on the page. */

const SEGMENT = readFileSync(require.resolve('@segment/analytics-next/dist/umd/index.js'), 'utf8');
const VIEWED = {
  experiment_id: '1001',
  experiment_name: 'experiment_1001',
  variation_id: String(VARIATION),
  variation_name: 'red',
};
const EVENT = { event: 'experiment_viewed', ...VIEWED };
const ENABLE = { eventType: 'enableTrackingConsent' };
const DISABLE = { eventType: 'disableTrackingConsent' };
const push = (command: object): string => `gosset.push(${JSON.stringify(command)})`;

const variations = [
  { id: ORIGINAL, apiName: 'original' },
  { id: VARIATION, apiName: 'red', css: 'h1{color:rgb(255,0,0)}' },
];
const told = (pushTo: WrittenConfig['pushTo'], fields: Partial<WrittenConfig> = {}) =>
  config({ pushTo, experiments: [experiment({ variations })], ...fields });

/** Stubs of gtag.js and Segment that record their calls. */
const STUBS = `
  window.calls = [];
  window.gtag = (...args) => calls.push(['gtag', ...args]);
  window.analytics = { track(...args) { calls.push([this === window.analytics ? 'track' : 'lost', ...args]); } };`;
const calls = (page: Page): Promise<unknown[]> => page.evaluate('window.calls ?? null');
/** Timers that the test controls. */
const OWN_TIMERS = `
  window.timers = [];
  window.setTimeout = (callback, delay) => timers.push([callback, delay]);`;
/** Runs all timers, including those that other timers start. @returns the delays of all timers */
const RUN_TIMERS = `
  (() => {
    const waits = [];
    while (timers.length > 0 && waits.length < 1_000) {
      const [callback, delay] = timers.shift();
      waits.push(delay);
      callback();
    }
    return waits;
  })()`;
const dataLayer = (page: Page): Promise<unknown> => page.evaluate('window.dataLayer ?? null');

describeInBrowser('exposures', () => {
  const site = useSnippetSite();
  const exposures = async (page: Page): Promise<SentMessage[]> =>
    (await site.told(page)).filter(({ event }) => event === 'Experiment Viewed');

  it('are pushed to each target, once for each exposure', async () => {
    site.publish(told(['dataLayer', 'gtag', 'analytics']));
    const { page, complaints } = await site.visit('/', { before: STUBS });
    await page.evaluate('gosset.reInit()');
    const expected = [
      ['gtag', 'event', 'experiment_viewed', VIEWED],
      ['track', 'Experiment Viewed', VIEWED],
    ];
    expect([await dataLayer(page), await calls(page)]).toEqual([[EVENT], expected]);
    expect(await exposures(page)).toHaveLength(1);
    await page.reload();
    expect([await colour(page), await dataLayer(page), await calls(page)]).toEqual([RED, null, []]);
    expect(complaints).toEqual([]);
  });

  it('are not pushed to other targets', async () => {
    site.publish(told(['gtag']));
    const { page } = await site.visit('/', { before: STUBS });
    expect([await dataLayer(page), await calls(page)]).toEqual([
      null,
      [['gtag', 'event', 'experiment_viewed', VIEWED]],
    ]);
    site.publish(told(undefined));
    const { page: other } = await site.visit('/', { before: STUBS });
    expect([await colour(other), await dataLayer(other), await calls(other)]).toEqual([RED, null, []]);
  });

  it('are added to an existing data layer', async () => {
    site.publish(told(['dataLayer']));
    const { page } = await site.visit('/', { before: "window.dataLayer = [{ event: 'first' }];" });
    expect(await dataLayer(page)).toEqual([{ event: 'first' }, EVENT]);
  });

  it('are pushed to scripts that load later', async () => {
    site.publish(told(['gtag', 'analytics']));
    const { page, complaints } = await site.visit('/', { before: OWN_TIMERS });
    expect(await exposures(page)).toHaveLength(1);
    await page.evaluate(`${STUBS} ${RUN_TIMERS}`);
    expect(await calls(page)).toHaveLength(2);
    expect(complaints).toEqual([]);
  });

  it('are not pushed to page elements whose id is the name of a target', async () => {
    site.publish(told(['gtag', 'analytics', 'dataLayer']));
    const { page, complaints } = await site.visit('/', {
      before: `document.addEventListener('DOMContentLoaded', () => {
        for (const id of ['gtag', 'analytics', 'dataLayer']) {
          document.body.append(Object.assign(document.createElement('i'), { id }));
        }
        gosset.push(${JSON.stringify(ENABLE)});
      });
      window.gosset = [${JSON.stringify(DISABLE)}];`,
    });
    expect([await colour(page), complaints]).toEqual([RED, []]);
    expect(await exposures(page)).toHaveLength(1);
  });

  it.each([
    [
      'throw when they are called',
      `window.gtag = () => { throw new Error('of gtag') }; window.dataLayer = { push: window.gtag };`,
    ],
    [
      'throw when they are accessed',
      `Object.defineProperty(window, 'gtag', { get() { throw new Error('of gtag') } });`,
    ],
    ['change their arguments', `window.gtag = (...args) => { args[2].experiment_id = '2'; };`],
  ])('are recorded even if other scripts %s', async (_, script) => {
    site.publish(told(['dataLayer', 'gtag', 'analytics']));
    const { page, complaints } = await site.visit('/', { before: `${STUBS} ${script}` });
    expect(await colour(page)).toBe(RED);
    expect(complaints.join()).not.toMatch(/uncaught/);
    expect(await exposures(page)).toMatchObject([{ properties: { experiment_id: 1001 } }]);
    expect(await calls(page)).toContainEqual(['track', 'Experiment Viewed', VIEWED]);
  });

  it('are not pushed before consent, or after consent is withdrawn', async () => {
    site.publish(told(['dataLayer', 'gtag']), { tag: 'data-consent="required"' });
    const { page } = await site.visit('/', { before: OWN_TIMERS });
    expect(await dataLayer(page)).toBeNull();
    await page.evaluate(push(ENABLE));
    expect(await dataLayer(page)).toEqual([EVENT]);
    await page.evaluate(push(DISABLE));
    await page.evaluate(`${STUBS} ${RUN_TIMERS}`);
    expect(await calls(page)).toEqual([]);
  });

  it('are not pushed further if one of the targets withdraws consent', async () => {
    site.publish(told(['dataLayer', 'gtag']));
    const { page } = await site.visit('/', {
      before: `${STUBS} window.dataLayer = { push() { ${push(DISABLE)} } };`,
    });
    expect([await colour(page), await calls(page), await exposures(page)]).toEqual([BLACK, [], []]);
    expect(await page.evaluate('localStorage.length')).toBe(0);
  });

  it('wait for other scripts to load, but not forever', async () => {
    site.publish(told(['gtag']));
    const { page } = await site.visit('/', { before: OWN_TIMERS });
    const waits = await page.evaluate<number[]>(RUN_TIMERS);
    expect(waits.filter((wait) => wait === 500)).toHaveLength(120);
    expect(await page.evaluate('timers')).toEqual([]);
  });

  it('are not pushed if the browser sends Global Privacy Control', async () => {
    site.publish(told(['dataLayer', 'gtag']));
    const { page } = await site.visit('/', {
      before: `Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', { value: true }); ${STUBS}`,
    });
    expect([await dataLayer(page), await calls(page)]).toEqual([null, []]);
  });

  it('are not pushed in previews or for forced variations', async () => {
    site.publish(told(['dataLayer', 'gtag']));
    site.publishPreview({ ...told(['dataLayer', 'gtag']), preview: { variation: VARIATION } });
    const forced = { eventType: 'forceVariation', experimentId: 1001, variationId: VARIATION };
    for (const [path, pushed] of [
      ['/?gosset_preview=5002.abc', []],
      ['/', [forced]],
    ] as const) {
      const { page } = await site.visit(path, {
        before: `${STUBS} window.gosset = ${JSON.stringify(pushed)};`,
      });
      await until(async () => (await colour(page)) === RED);
      expect([await dataLayer(page), await calls(page)]).toEqual([null, []]);
    }
  });

  it('reach Segment through its own library if it loads after the snippet', async () => {
    const requests: { event?: string; anonymousId?: string; properties?: object }[] = [];
    site.publish(told(['analytics']));
    const { page, context } = await site.visit('/', { bypassCSP: true });
    await context.route('https://api.segment.io/**', async (route) => {
      requests.push(route.request().postDataJSON() as (typeof requests)[number]);
      await route.fulfill({ status: 200, json: {}, headers: { 'access-control-allow-origin': '*' } });
    });
    await page.evaluate(SEGMENT);
    await page.evaluate(`window.analytics = AnalyticsNext.AnalyticsBrowser.load({
      writeKey: 'key', cdnSettings: { integrations: { 'Segment.io': { apiKey: 'key' } } } });`);
    await until(() => requests.some(({ event }) => event === 'Experiment Viewed'));
    const [{ properties }] = requests.filter(({ event }) => event === 'Experiment Viewed');
    expect(properties).toMatchObject(VIEWED);
    // The library can use Gosset's visitor id as its own.
    await page.evaluate("analytics.setAnonymousId(gosset.getVisitorId()), analytics.track('later')");
    await until(() => requests.some(({ event }) => event === 'later'));
    const later = requests.find(({ event }) => event === 'later');
    expect(later?.anonymousId).toBe(await page.evaluate('gosset.getVisitorId()'));
  });
});
