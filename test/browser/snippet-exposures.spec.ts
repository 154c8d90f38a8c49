import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser';
import { anywhere, CLIENT_KEY, config, experiment, varied } from '../support/snippet-config';
import { type SentMessage, useSnippetSite, waitingEvents } from '../support/snippet-site';
import { until } from '../support/waiting';

/* Exposures are sent until the server has stored them. */

const EXPOSURE = 'Experiment Viewed';
const isExposure = ({ event }: SentMessage): boolean => event === EXPOSURE;
const bought = "gosset.push({ eventType: 'custom', eventName: 'bought' })";
const pushes = (page: Page): Promise<number> => page.evaluate('(window.dataLayer ?? []).length');

describeInBrowser('a snippet exposure', () => {
  const site = useSnippetSite();

  /** The exposures in all deliveries so far, including rejected deliveries. */
  const reported = (): SentMessage[] => site.deliveries.flatMap(({ batch }) => batch).filter(isExposure);

  it.each([
    ['rejects the request', { status: 403 }],
    ['rejects the exposure', { status: 200, rejects: isExposure }],
  ])('is sent by the next page if the server %s', async (_, collector) => {
    site.collector = collector;
    site.publish(config({ pushTo: ['dataLayer'] }));
    const { page } = await site.visit('/');
    await page.evaluate(bought);
    await until(async () => reported().length === 1 && (await waitingEvents(page)).length === 0);
    await page.evaluate('gosset.reInit()');
    expect(await site.delivered(page)).not.toContainEqual(expect.objectContaining({ event: EXPOSURE }));
    site.collector = { status: 200 };
    for (const path of ['/next', '/other']) {
      await page.goto(site.at(path));
      await site.delivered(page);
    }
    const [refused, stored, ...others] = reported();
    expect(others).toEqual([]);
    expect(stored).toMatchObject({ anonymousId: refused.anonymousId, properties: refused.properties });
  });

  it("is sent before conversions from its variation's code, so that these conversions count", async () => {
    const js = "this.gosset.push({ eventType: 'custom', eventName: 'offered' });";
    site.publish(
      config({ experiments: [experiment({ pages: [anywhere('manual')], variations: varied({ js }) })] }),
    );
    const { page } = await site.visit('/');
    await page.evaluate('gosset.activate(1001)');
    expect((await site.told(page)).map(({ event }) => event)).toEqual(['Experiment Viewed', 'offered']);
  });

  it('is stored even if another message in its batch is rejected', async () => {
    site.collector = { status: 200, rejects: (message) => !isExposure(message) };
    site.publish(config());
    const { page } = await site.visit('/');
    await page.evaluate(bought);
    await until(async () => (await waitingEvents(page)).length === 0);
    await page.reload();
    await page.evaluate(bought);
    await until(() => site.deliveries.length === 2);
    expect(reported()).toHaveLength(1);
  });

  it('is sent again if it expired before it could be delivered', async () => {
    site.collector = { status: 503, headers: { 'retry-after': '3600' } };
    site.publish(config());
    const { page } = await site.visit('/');
    await until(() => site.deliveries.length === 1);
    await page.evaluate(`
      for (const key of Object.keys(localStorage).filter((key) => key.startsWith('gosset.${CLIENT_KEY}.event.'))) {
        const event = JSON.parse(localStorage.getItem(key));
        localStorage.setItem(key, JSON.stringify({ ...event, timestamp: '2020-01-01T00:00:00.000Z' }));
      }`);
    site.collector = { status: 200 };
    await page.reload();
    const told = await site.delivered(page);
    expect(told.map(({ event, timestamp }) => [event, String(timestamp) > '2021'])).toEqual([
      [EXPOSURE, true],
    ]);
  });

  it('that is pending is sent and pushed by only one page', async () => {
    site.collector = { status: 503, headers: { 'retry-after': '3600' } };
    site.publish(config({ pushTo: ['dataLayer'], experiments: [experiment()] }));
    const { page, context } = await site.visit('/');
    await until(() => site.deliveries.length === 1);
    const other = await context.newPage();
    await other.goto(site.at('/other'));
    await until(() => site.deliveries.length === 2);
    expect(await waitingEvents(other)).toHaveLength(1);
    expect([await pushes(page), await pushes(other)]).toEqual([1, 0]);
    site.collector = { status: 403 };
    await other.reload();
    await until(async () => (await waitingEvents(other)).length === 0);
    site.collector = { status: 200 };
    await page.reload();
    await site.delivered(page);
    await other.reload();
    expect([await pushes(page), await pushes(other)]).toEqual([1, 0]);
    expect(new Set(reported().map(({ messageId }) => messageId)).size).toBe(2);
  });
});
