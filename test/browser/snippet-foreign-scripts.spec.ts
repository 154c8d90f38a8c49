import { describeInBrowser } from '../support/browser';
import { config, experiment, varied } from '../support/snippet-config';
import { colour, RED, useSnippetSite } from '../support/snippet-site';
import { storedRecord } from '../support/stored-visitor';

/* Pages with scripts that modify built-in objects. */

/** Prototype.js before 1.7.1 adds this function. */
const LISTS_AS_TEXTS =
  "Array.prototype.toJSON = function () { return '[' + this.map((each) => JSON.stringify(each)).join(', ') + ']'; };";

const INHERITED_BY_ALL = "Object.prototype.version = '1.0'; Object.prototype.extend = function () {};";

/** Deletes functions of ES2021 and ES2022 that Playwright's own scripts do not need. */
const WITHOUT_LATER_FUNCTIONS =
  'delete String.prototype.replaceAll; delete Promise.any; delete Object.hasOwn; delete String.prototype.at;';

describeInBrowser('the snippet next to other scripts', () => {
  const site = useSnippetSite();

  it.each(['localStorage', 'cookie'] as const)(
    'recognises its visitors with %s if arrays are serialised as strings',
    async (storage) => {
      site.publish(config({ storage }));
      const { page } = await site.visit('/', { before: LISTS_AS_TEXTS });
      const [{ anonymousId }] = await site.delivered(page);
      await page.reload();
      await page.evaluate("gosset.push({ eventType: 'custom', eventName: 'bought' })");
      expect((await site.delivered(page)).map((each) => [each.event, each.anonymousId])).toEqual([
        ['Experiment Viewed', anonymousId],
        ['bought', anonymousId],
      ]);
      expect((await storedRecord(page))?.id).toBe(storage === 'cookie' ? undefined : anonymousId);
    },
  );

  it.each(['localStorage', 'cookie'] as const)('works with %s in a browser from 2020', async (storage) => {
    const rule = { ...experiment().rule, condition: { 'query.utm%2Esource': 'mail' } };
    site.publish(config({ storage, experiments: [experiment({ rule })] }));
    const { page, complaints } = await site.visit('/?utm.source=mail', { before: WITHOUT_LATER_FUNCTIONS });
    expect(await colour(page)).toBe(RED);
    const id = await page.evaluate('gosset.getVisitorId()');
    await page.reload();
    expect(await page.evaluate('gosset.getVisitorId()')).toBe(id);
    expect(complaints).toEqual([]);
  });

  it('works if other scripts have added properties to Object.prototype', async () => {
    site.publish(config());
    const { page, complaints } = await site.visit('/', { before: INHERITED_BY_ALL });
    await page.evaluate("gosset.push({ eventType: 'custom', eventName: 'bought' })");
    expect((await site.told(page)).map(({ event }) => event)).toEqual(['Experiment Viewed', 'bought']);
    expect(complaints).toEqual([]);
  });

  it('does not hide global names from variation code', async () => {
    const js = 'window.seen = [start(), runtime]';
    site.publish(config({ experiments: [experiment({ variations: varied({ js }) })] }));
    const { page, complaints } = await site.visit('/', {
      before: "window.start = () => 'of the page'; window.runtime = 'theirs';",
    });
    expect(await page.evaluate('seen')).toEqual(['of the page', 'theirs']);
    expect(complaints).toEqual([]);
  });

  it('counts clicks even if other scripts stop their propagation', async () => {
    site.publish(config({ experiments: [], clickGoals: [{ apiName: 'buy', selector: '#buy' }] }));
    const { page } = await site.visit('/');
    await page.evaluate("addEventListener('click', (event) => event.stopImmediatePropagation(), true)");
    await page.click('#buy');
    expect((await site.told(page)).map(({ event }) => event)).toEqual(['buy']);
  });
});
