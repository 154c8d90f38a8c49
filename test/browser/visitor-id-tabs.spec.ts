import type { Page } from 'playwright-core';
import { assign, subjectOf } from '../../src/publishing/evaluation';
import { describeInBrowser } from '../support/browser';
import { config, experiment, HALF, VARIATION } from '../support/snippet-config';
import { BLACK, colour, RED, useSnippetSite } from '../support/snippet-site';

/* Tabs in which a visitor has different ids. */

const colourOf = (id: string): string =>
  assign(HALF, subjectOf(id, {})).variation === VARIATION ? RED : BLACK;
const visitorId = (page: Page): Promise<string> => page.evaluate('gosset.getVisitorId()');

describeInBrowser('the visitor id', () => {
  const site = useSnippetSite();

  it('stays the same in open pages, which show its variation, until the next page', async () => {
    site.publish(config({ experiments: [experiment({ rule: HALF })] }));
    const { page, context } = await site.visit('/');
    const id = await visitorId(page);
    const later = [...Array(99).keys()].map(String).find((each) => colourOf(each) !== colourOf(id)) ?? '';
    const other = await context.newPage();
    await other.addInitScript(`window.gosset = [{ eventType: 'setVisitorId', visitorId: '${later}' }];`);
    await other.goto(site.at('/other'));
    await page.evaluate("gosset.push({ eventType: 'custom', eventName: 'bought' })");
    expect((await site.delivered(page)).pop()).toMatchObject({ event: 'bought', anonymousId: id });
    expect([await visitorId(page), await colour(page)]).toEqual([id, colourOf(id)]);
    await page.reload();
    expect([await visitorId(page), await colour(page)]).toEqual([later, colourOf(later)]);
  });
});
