import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { describeInBrowser, EXECUTABLE_WITH_HISTORY } from '../support/browser';
import { config, experiment, pageAt, varied } from '../support/snippet-config';
import { BLACK, colour, nextFrame, RED, useSnippetSite } from '../support/snippet-site';
import { until } from '../support/waiting';

/* Pages that the browser restores from its back/forward cache. */

const NOTE_RETURN = "addEventListener('pageshow', (event) => { window.isBack = event.persisted; });";

/** A browser with a back/forward cache, like the browsers of visitors. */
const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: EXECUTABLE_WITH_HISTORY,
    args: ['--no-sandbox'],
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  });

/** @param meanwhile code that runs on the other page */
async function leaveAndReturn(page: Page, address: string, meanwhile = ''): Promise<void> {
  await page.goto(address);
  await page.evaluate(meanwhile);
  await page.evaluate('void setTimeout(() => history.back())');
  await until(() => page.evaluate<boolean>('window.isBack === true').catch(() => false));
}

describeInBrowser('returning to a page with the snippet', () => {
  const site = useSnippetSite(launch);

  it('counts as a page load for experiments that were not shown', async () => {
    site.publish(config({ experiments: [experiment({ pages: [pageAt('/shop')] })] }));
    const { page } = await site.visit('/start', { before: NOTE_RETURN });
    await page.evaluate("history.pushState({}, '', '/shop')");
    await nextFrame(page);
    expect(await colour(page)).toBe(BLACK);
    await leaveAndReturn(page, site.at('/other'));
    expect(await colour(page)).toBe(RED);
  });

  it('keeps shown experiments, and counts as another page view', async () => {
    const variations = varied({ css: 'h1{color:red}', js: 'this.runs = (this.runs ?? 0) + 1' });
    const experiments = [experiment({ variations })];
    site.publish(config({ experiments, viewedPages: [pageAt('/shop')] }));
    const { page } = await site.visit('/shop', { before: NOTE_RETURN });
    await leaveAndReturn(page, site.at('/other'));
    expect([await colour(page), await page.evaluate('runs')]).toEqual([RED, 1]);
    const told = await site.delivered(page);
    expect(told.map(({ type, event }) => event ?? type)).toEqual(['Experiment Viewed', 'page', 'page']);
  });

  it.each(['localStorage', 'cookie'] as const)(
    'counts as a page load with the new id for visitors who have withdrawn consent and consented again, with %s',
    async (storage) => {
      site.publish(config({ storage, viewedPages: [pageAt('/shop')] }));
      const { page } = await site.visit('/shop', { before: NOTE_RETURN });
      await site.delivered(page);
      const consents = ['disableTrackingConsent', 'enableTrackingConsent'];
      const meanwhile = consents.map((eventType) => `gosset.push({ eventType: '${eventType}' });`).join('');
      await leaveAndReturn(
        page,
        site.at('/other'),
        `${meanwhile} sessionStorage.id = gosset.getVisitorId();`,
      );
      await nextFrame(page);
      await page.evaluate("gosset.push({ eventType: 'custom', eventName: 'bought' })");
      const id: string = await page.evaluate('sessionStorage.id');
      expect([await colour(page), await page.evaluate('gosset.getVisitorId()')]).toEqual([RED, id]);
      const told = (await site.delivered(page)).filter(({ anonymousId }) => anonymousId === id);
      expect(told.map(({ type, event }) => event ?? type)).toEqual(['Experiment Viewed', 'page', 'bought']);
    },
  );

  it.each(['localStorage', 'cookie'] as const)(
    'does not track visitors who have withdrawn consent in the meantime, with %s',
    async (storage) => {
      site.publish(config({ storage, viewedPages: [pageAt('/shop')] }));
      const { page } = await site.visit('/shop', { before: NOTE_RETURN });
      await site.delivered(page);
      await leaveAndReturn(page, site.at('/other'), "gosset.push({ eventType: 'disableTrackingConsent' })");
      expect([await colour(page), await page.evaluate('gosset.getVisitorId()')]).toEqual([BLACK, null]);
      await page.evaluate("gosset.push({ eventType: 'custom', eventName: 'bought' })");
      expect(await page.evaluate('[Object.keys(localStorage), document.cookie]')).toEqual([[], '']);
    },
  );
});
