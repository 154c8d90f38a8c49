import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser';
import { config, experiment, varied } from '../support/snippet-config';
import { BLACK, colour, RED, useSnippetSite } from '../support/snippet-site';
import { known, storedRecord } from '../support/stored-visitor';
import { until } from '../support/waiting';

/* The snippet does not track visitors without their consent. */

const GPC = "Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', { value: true });";
const push = (command: object): string => `gosset.push(${JSON.stringify(command)})`;
const before = (...commands: object[]): string => `window.gosset = ${JSON.stringify(commands)};`;
const ENABLE = { eventType: 'enableTrackingConsent' };
const DISABLE = { eventType: 'disableTrackingConsent' };

describeInBrowser('visitors on a page with the snippet', () => {
  const site = useSnippetSite();

  describe('without consent', () => {
    const goals = {
      viewedPages: [{ wanted: [], unwanted: [] }],
      clickGoals: [{ apiName: 'buy', selector: '#buy' }],
    };
    const changes = { css: 'h1{color:red}', resetJs: 'window.reset = true', variations: varied({}) };
    const published = config({
      ...goals,
      environments: { production: 'window.asked = true; return true;' },
      experiments: [experiment(changes)],
    });

    async function isLeftAlone(page: Page): Promise<void> {
      await page.click('#buy');
      await page.evaluate(push({ eventType: 'custom', eventName: 'bought' }));
      await page.evaluate("dispatchEvent(new Event('pagehide'))");
      expect(await page.evaluate('[Object.keys(localStorage), document.cookie]')).toEqual([[], '']);
      expect([await colour(page), site.deliveries]).toEqual([BLACK, []]);
    }

    it.each([
      ['the script tag requires it', 'data-consent="required"', ''],
      ['the tag of a module script requires it', 'type="module" data-consent="required"', ''],
      ['the page disables tracking', '', before({ eventType: 'custom', eventName: 'early' }, DISABLE)],
    ])('are not tracked until they consent, if %s', async (_, tag, script) => {
      site.publish(published, { tag });
      const { page } = await site.visit('/', { before: script });
      await isLeftAlone(page);
      expect(await page.evaluate('window.asked')).toBeUndefined();
      await page.evaluate(push(ENABLE));
      expect(await colour(page)).toBe(RED);
      expect((await site.told(page)).map(({ type, event }) => event ?? type)).toEqual([
        'Experiment Viewed',
        'page',
      ]);
    });

    it('can consent before the script is loaded', async () => {
      site.publish(published, { tag: 'data-consent="required"' });
      const { page } = await site.visit('/', { before: before(ENABLE) });
      expect(await colour(page)).toBe(RED);
    });

    it('see the original and are forgotten when they withdraw consent', async () => {
      site.collector = { status: 503 };
      site.publish(published);
      const { page } = await site.visit('/');
      expect(await colour(page)).toBe(RED);
      await page.evaluate(push(DISABLE));
      site.deliveries.length = 0;
      expect(await page.evaluate('window.reset')).toBe(true);
      await isLeftAlone(page);
      await page.evaluate(push(ENABLE));
      expect(await colour(page)).toBe(RED);
    });

    it('have no stored data if variation code withdraws consent', async () => {
      const js = `if (!window.done) { window.done = true; ${push(DISABLE)} }`;
      const resetJs = "throw new Error('unheard')";
      const experiments = [experiment({ resetJs, variations: varied({ js }) }), experiment({ id: 1002 })];
      site.publish(config({ experiments }));
      const { page } = await site.visit('/');
      await isLeftAlone(page);
    });

    it('keep their identity if they consent on each page', async () => {
      site.publish(published, { tag: 'data-consent="required"' });
      const { page } = await site.visit('/');
      await page.evaluate(push(ENABLE));
      const record = await storedRecord(page);
      await page.reload();
      await page.evaluate(push(ENABLE));
      expect((await storedRecord(page))?.id).toBe(record?.id);
    });

    it('are forgotten when they withdraw consent on a page that requires it', async () => {
      site.collector = { status: 503 };
      site.publish(published, { tag: 'data-consent="required"' });
      const { page } = await site.visit('/');
      await page.evaluate(push(ENABLE));
      await page.reload();
      expect(await storedRecord(page)).not.toBeNull();
      await page.evaluate(push(DISABLE));
      site.deliveries.length = 0;
      await isLeftAlone(page);
    });

    it.each(['localStorage', 'cookie'] as const)(
      'are not tracked in other tabs when they withdraw consent, with %s',
      async (storage) => {
        site.publish({ ...published, storage });
        const { page, context } = await site.visit('/');
        const other = await context.newPage();
        await other.goto(site.at('/other'));
        await site.delivered(page);
        await page.evaluate(push(DISABLE));
        await until(async () => (await colour(other)) === BLACK);
        expect(await other.evaluate('gosset.getVisitorId()')).toBeNull();
        site.deliveries.length = 0;
        await isLeftAlone(other);
        await other.evaluate(push(ENABLE));
        expect([await colour(other), await colour(page)]).toEqual([RED, BLACK]);
      },
    );

    it('are not tracked if the browser sends Global Privacy Control, even if the page enables tracking', async () => {
      site.publish(published, { tag: 'data-anti-flicker' });
      const now = Date.now();
      const { page, complaints } = await site.visit('/', {
        before: `${GPC} ${known({ since: now, seen: now })} ${before(ENABLE)}`,
      });
      await page.evaluate(`${push(ENABLE)}; gosset.reInit(); gosset.activate(1001)`);
      await isLeftAlone(page);
      expect(complaints).toEqual([]);
    });
  });
});
