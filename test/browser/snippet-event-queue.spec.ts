import { describeInBrowser } from '../support/browser';
import { CLIENT_KEY, config } from '../support/snippet-config';
import { SentMessage, useSnippetSite } from '../support/snippet-site';
import { until } from '../support/waiting';

/* Events that wait in the browser until the server has acknowledged them. */

const push = (eventName: string, eventValue = 'undefined'): string =>
  `gosset.push({ eventType: 'custom', eventName: '${eventName}', eventValue: ${eventValue} })`;
const names = (messages: SentMessage[]): unknown[] => messages.map(({ event }) => event);

describeInBrowser('snippet event queues', () => {
  const site = useSnippetSite();

  it('keep all events after a burst', async () => {
    site.publish(config());
    const { page, complaints } = await site.visit('/');
    await page.evaluate(`for (let count = 0; count < 600; count += 1) { ${push('bought')}; }`);
    expect(names(await site.delivered(page))).toEqual([
      'Experiment Viewed',
      ...Array.from({ length: 600 }, () => 'bought'),
    ]);
    expect(complaints).toEqual([]);
  });

  it('keep exposures and rare events in an outage, and the first of the frequent ones', async () => {
    site.collector = { status: 503 };
    site.publish(config());
    const { page, complaints } = await site.visit('/');
    await page.evaluate(
      `for (let count = 0; count < 1100; count += 1) { ${push('scrolled', 'count')}; } ${push('bought')};`,
    );
    await until(() => complaints.join().includes('gosset: dropped events'));
    await page.reload();
    site.collector = { status: 200 };
    await page.evaluate("dispatchEvent(new Event('online'))");
    const delivered = await site.delivered(page);
    expect([names(delivered)[0], ...names(delivered.slice(-1))]).toEqual(['Experiment Viewed', 'bought']);
    expect(delivered.slice(1, -1).map(({ properties }) => properties.value)).toEqual(
      Array.from({ length: 998 }, (_, index) => index),
    );
  });

  it('are kept while something else responds with 200', async () => {
    const bodies = ['<!doctype html><title>Offline</title>', '', 'null', '{"success":false,"errors":[]}'];
    const retry = "dispatchEvent(new Event('online'))";
    site.collector = { status: 200, body: bodies[0] };
    site.publish(config());
    const { page, complaints } = await site.visit('/');
    for (const body of bodies) {
      site.collector = { status: 200, body };
      const earlier = site.deliveries.length;
      await page.evaluate(`${push('bought')}; ${retry}`);
      await until(() => site.deliveries.length > earlier);
    }
    site.collector = { status: 200 };
    await page.evaluate(retry);
    expect(names(await site.delivered(page))).toEqual([
      'Experiment Viewed',
      ...Array.from({ length: 4 }, () => 'bought'),
    ]);
    expect(complaints).toEqual([]);
  });

  it('drop events that are too old, too many or invalid', async () => {
    const key = `gosset.${CLIENT_KEY}.event.`;
    const event = (timestamp: number): string =>
      JSON.stringify({ type: 'page', timestamp: new Date(timestamp), properties: {} });
    const now = Date.now();
    site.publish(config({ experiments: [] }));
    const { page } = await site.visit('/', {
      before: `
        localStorage.setItem('${key}a', '{');
        localStorage.setItem('${key}b', '${event(now - 73 * 3_600_000)}');
        for (let count = 1000; count < 2100; count += 1) localStorage.setItem('${key}c' + count, '${event(now)}');
        localStorage.setItem('other', 'kept');`,
    });
    await until(() => site.deliveries.flatMap(({ batch }) => batch).length >= 1_000);
    await site.delivered(page);
    expect(site.deliveries.flatMap(({ batch }) => batch)).toHaveLength(1_000);
    expect(await page.evaluate("localStorage.getItem('other')")).toBe('kept');
  });
});
