import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser';
import { anywhere, config, experiment, varied } from '../support/snippet-config';
import {
  BLACK,
  colour,
  loadScript,
  RED,
  SiteVisit,
  useSnippetSite,
  waitingEvents,
} from '../support/snippet-site';
import { known, storedRecord } from '../support/stored-visitor';
import { until } from '../support/waiting';

/* The snippet does not track visitors without their consent. */

const GPC = "Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', { value: true });";
const push = (command: object): string => `gosset.push(${JSON.stringify(command)})`;
const before = (...commands: object[]): string => `window.gosset = ${JSON.stringify(commands)};`;
const visitorId = (page: Page): Promise<string | null> => page.evaluate('gosset.getVisitorId()');
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

    it.each(['', 'type="module"'])(
      'are not tracked until they consent, if a tag that contains the script requires it: %s',
      async (type) => {
        site.publish(published, { tag: `data-consent="required" ${type}`, isInline: true });
        const { page } = await site.visit('/');
        await isLeftAlone(page);
        await page.evaluate(push(ENABLE));
        expect(await colour(page)).toBe(RED);
      },
    );

    it('are not tracked until they consent, if the tag that requires it is loaded by another one', async () => {
      site.publish(published, { tag: 'data-consent="required" type="text/plain"' });
      const { page } = await site.visit('/');
      await loadScript(page);
      await isLeftAlone(page);
      await page.evaluate(push(ENABLE));
      expect(await colour(page)).toBe(RED);
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
      site.forgetDeliveries();
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
      site.forgetDeliveries();
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
        site.forgetDeliveries();
        await isLeftAlone(other);
        await other.evaluate(push(ENABLE));
        expect([await colour(other), await colour(page)]).toEqual([RED, BLACK]);
      },
    );

    it('are not tracked in other tabs, even if the clock has been set back since their first visit', async () => {
      site.publish(published);
      const [later, now] = [Date.now() + 3_600_000, Date.now()];
      const { page, context } = await site.visit('/', { before: known({ since: later, seen: now }) });
      const other = await context.newPage();
      await other.goto(site.at('/other'));
      await site.delivered(page);
      await page.evaluate(push(DISABLE));
      await until(async () => (await colour(other)) === BLACK);
      expect(await other.evaluate('gosset.getVisitorId()')).toBeNull();
    });

    describe('on one subdomain, with cookie', () => {
      const at = (subdomain: string, path = '/'): string =>
        site.at(path).replace('localhost', `${subdomain}.shop.localhost`);

      async function withdraw({ context }: SiteVisit): Promise<void> {
        const other = await context.newPage();
        await other.goto(at('basket'));
        await other.evaluate(push(DISABLE));
        site.forgetDeliveries();
      }

      /** Opens a page on a subdomain. The visitor then withdraws consent on a different one. */
      async function withdrawnElsewhere(): Promise<Page> {
        const visit = await site.visit('/');
        await visit.page.goto(at('www'));
        expect(await colour(visit.page)).toBe(RED);
        await withdraw(visit);
        return visit.page;
      }

      it.each([
        ['the route changes', "history.pushState({}, '', '/second')"],
        ['the document changes', "document.body.dataset.changed = ''"],
        ['the visitor converts', push({ eventType: 'custom', eventName: 'bought' })],
        ['the page reads the id', 'gosset.getVisitorId()'],
        ['the visitor returns to the tab', "document.dispatchEvent(new Event('visibilitychange'))"],
      ])('are no longer tracked on the others when %s', async (_, code) => {
        const waiting = experiment({
          id: 1002,
          pages: [anywhere('dom_change')],
          rule: { ...experiment().rule, condition: { plan: 'gold' } },
        });
        site.publish({ ...published, storage: 'cookie', experiments: [...published.experiments, waiting] });
        const page = await withdrawnElsewhere();
        await page.evaluate(`${code}; undefined`);
        await until(async () => (await colour(page)) === BLACK);
        expect(await visitorId(page)).toBeNull();
        await isLeftAlone(page);
        await page.evaluate(push(ENABLE));
        expect(await colour(page)).toBe(RED);
      });

      it('have no waiting events sent by the others', async () => {
        site.collector = { status: 503 };
        site.publish({ ...published, storage: 'cookie' });
        const page = await withdrawnElsewhere();
        site.collector = { status: 200 };
        await until(async () => (await waitingEvents(page)).length === 0);
        expect([await colour(page), site.deliveries]).toEqual([BLACK, []]);
      });

      it('have no waiting events sent by the next page there', async () => {
        site.collector = { status: 503 };
        site.publish({ ...published, storage: 'cookie' });
        const visit = await site.visit('/');
        const { page } = visit;
        await page.goto(at('www'));
        const forgotten = await visitorId(page);
        expect((await waitingEvents(page)).map(({ anonymousId }) => anonymousId)).toContain(forgotten);
        await page.goto(site.at('/'));
        await withdraw(visit);
        await page.goto(at('www', '/second'));
        expect((await waitingEvents(page)).map(({ anonymousId }) => anonymousId)).not.toContain(forgotten);
      });
    });

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
