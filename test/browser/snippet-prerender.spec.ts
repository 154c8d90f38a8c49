import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser';
import { config, experiment, pageAt, VARIATION } from '../support/snippet-config';
import { colour, nextFrame, RED, useSnippetSite } from '../support/snippet-site';
import { storedRecord } from '../support/stored-visitor';
import { until } from '../support/waiting';

/* Pages that the browser prerenders before the visitor opens them. */

const PRERENDERED = `window.isHidden = true;
  Object.defineProperty(Document.prototype, 'prerendering', { get: () => window.isHidden });`;

/** Opens the prerendered page. */
const show = (page: Page): Promise<unknown> =>
  page.evaluate("isHidden = false; document.dispatchEvent(new Event('prerenderingchange'))");

describeInBrowser('a prerendered page with the snippet', () => {
  const site = useSnippetSite();

  it('keeps the data that the previous page has stored in the meantime', async () => {
    const onBoth = experiment({ id: 1003, pages: [pageAt('/first', 'manual'), pageAt('/second')] });
    const [onFirst, onSecond] = [
      experiment({ pages: [pageAt('/first', 'manual')] }),
      experiment({ id: 1002, pages: [pageAt('/second')] }),
    ];
    site.publish(config({ experiments: [onFirst, onSecond, onBoth] }));
    const { page, context } = await site.visit('/first');
    const next = await context.newPage();
    await next.addInitScript(PRERENDERED);
    await next.goto(site.at('/second'));
    await page.evaluate('gosset.activate(1001); gosset.activate(1003)');
    await site.delivered(page);
    await until(async () => (await storedRecord(page))?.exposed.length === 2);
    await show(next);
    const told = await site.delivered(next);
    const id = String(VARIATION);
    expect(await storedRecord(next)).toMatchObject({
      assignments: { 'exp-1001': id, 'exp-1002': id, 'exp-1003': id },
    });
    expect(told.map(({ properties }) => properties.experiment_id)).toEqual([1001, 1003, 1002]);
  });

  it('does not count experiments that it no longer shows', async () => {
    const [onFirst, onSecond] = [
      experiment({ pages: [pageAt('/first')] }),
      experiment({ id: 1002, pages: [pageAt('/second', 'url_change')] }),
    ];
    site.publish(config({ experiments: [onFirst, onSecond] }));
    const { page } = await site.visit('/first', { before: PRERENDERED });
    expect(await colour(page)).toBe(RED);
    await page.evaluate("history.pushState({}, '', '/second')");
    await nextFrame(page);
    await show(page);
    const told = await site.delivered(page);
    expect(told.map(({ properties }) => properties.experiment_id)).toEqual([1002]);
  });
});
