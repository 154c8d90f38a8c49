import type { Page } from 'playwright-core';
import { ATTRIBUTES } from '../../src/publishing/attribute-names';
import { describeInBrowser } from '../support/browser';
import { anywhere, config, experiment, pageAt, varied } from '../support/snippet-config';
import { useSnippetSite } from '../support/snippet-site';
import { until } from '../support/waiting';

/* Conversions that occur just before an exposure on the same page count for it, as on page load. */

const EXPOSURE = 'Experiment Viewed';
const changed = "document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));";
const bought = "gosset.push({ eventType: 'custom', eventName: 'bought' });";

describeInBrowser('conversions', () => {
  const site = useSnippetSite();

  const names = async (page: Page): Promise<unknown[]> =>
    (await site.told(page)).map(({ type, event }) => event ?? type);

  it('follow the exposures of a route whose components report them', async () => {
    const experiments = [experiment({ pages: [pageAt('/checkout', 'url_change')] })];
    const clickGoals = [{ apiName: 'buy', selector: '#buy' }];
    site.publish(config({ experiments, clickGoals, viewedPages: [pageAt('/checkout')] }));
    const { page } = await site.visit('/');
    await page.evaluate(`
      history.pushState({}, '', '/checkout');
      Promise.resolve().then(() => { ${bought} document.querySelector('#buy').click(); });`);
    expect(await names(page)).toEqual([EXPOSURE, 'page', 'bought', 'buy']);
  });

  it('follow the exposures that a document change in the same script causes', async () => {
    const conditions = ["return document.querySelector('#text')?.textContent === 'Offer';"];
    const rule = { ...experiment().rule, condition: { [`${ATTRIBUTES.javascript}.0`]: true } };
    site.publish(
      config({ conditions, experiments: [experiment({ pages: [anywhere('dom_change')], rule })] }),
    );
    const { page } = await site.visit('/');
    await page.evaluate(`document.querySelector('#text').textContent = 'Offer'; ${bought}`);
    expect(await names(page)).toEqual([EXPOSURE, 'bought']);
  });

  it('precede the exposures of a later route', async () => {
    const experiments = [experiment({ pages: [pageAt('/checkout', 'url_change')] })];
    site.publish(config({ experiments }));
    const { page } = await site.visit('/');
    await page.evaluate(`
      history.pushState({}, '', '/basket');
      ${bought}
      history.pushState({}, '', '/checkout');`);
    expect(await names(page)).toEqual(['bought', EXPOSURE]);
  });

  it('follow the exposures of their route if an anchor changes in the meantime', async () => {
    const experiments = [experiment({ pages: [pageAt('/checkout', 'url_change')] })];
    site.publish(config({ experiments, viewedPages: [pageAt('/checkout')] }));
    const { page } = await site.visit('/');
    await page.evaluate(`history.pushState({}, '', '/checkout'); ${bought} location.hash = '#pay';`);
    expect(await names(page)).toEqual([EXPOSURE, 'page', 'bought']);
  });

  it.each(['before', 'after'])(
    'precede the exposures of the route that variation code sets: evaluated %s',
    async (when) => {
      const js = `${bought} history.pushState({}, '', '/landing');`;
      const experiments = [
        experiment({ id: 1002, pages: [pageAt('/landing', 'url_change')] }),
        experiment({ pages: [pageAt('/start')], variations: varied({ js }) }),
      ];
      if (when === 'after') {
        experiments.reverse();
      }
      site.publish(config({ experiments, viewedPages: [pageAt('/start'), pageAt('/landing')] }));
      const { page } = await site.visit('/start');
      await until(async () => (await site.told(page)).length === 5);
      const told = (await site.told(page)).map(
        ({ type, event, properties }) =>
          `${event ?? type} ${String(properties.experiment_id ?? properties.url)}`,
      );
      expect(told).toEqual([
        `${EXPOSURE} 1001`,
        `page ${site.at('/start')}`,
        'bought undefined',
        `${EXPOSURE} 1002`,
        `page ${site.at('/landing')}`,
      ]);
    },
  );

  it('are reported if the visitor leaves before the exposures', async () => {
    site.publish(config({ experiments: [experiment({ variations: varied({}) })] }));
    const { page } = await site.visit('/');
    await page.evaluate(`
      const onFrame = requestAnimationFrame;
      requestAnimationFrame = () => 1;
      history.pushState({}, '', '/checkout');
      ${bought}
      dispatchEvent(new Event('pagehide'));
      requestAnimationFrame = onFrame;`);
    expect(await names(page)).toEqual([EXPOSURE, 'bought']);
  });

  it.each([
    [
      'pagehide',
      "dispatchEvent(new Event('pagehide'));",
      "dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));",
    ],
    [
      'visibilitychange',
      "Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });" +
        changed,
      `delete document.visibilityState; ${changed}`,
    ],
  ])('are stored at once if the page reports them on %s', async (type, leave, comeBack) => {
    site.publish(config({ experiments: [experiment({ pages: [pageAt('/checkout', 'url_change')] })] }));
    const { page } = await site.visit('/');
    const stored = await page.evaluate(`
      addEventListener('${type}', () => { ${bought} }, { once: true });
      history.pushState({}, '', '/basket');
      ${leave}
      Object.values(localStorage).filter((item) => item.includes('"bought"')).length`);
    expect(stored).toBe(1);
    await page.evaluate(`
      ${comeBack}
      history.pushState({}, '', '/checkout');
      gosset.push({ eventType: 'custom', eventName: 'returned' });`);
    expect(await names(page)).toEqual(['bought', EXPOSURE, 'returned']);
  });

  it('and page views are stored at once while the page is hidden', async () => {
    const experiments = [experiment({ pages: [pageAt('/checkout', 'url_change')] })];
    site.publish(config({ experiments, viewedPages: [pageAt('/thanks')] }));
    const { page } = await site.visit('/');
    const stored = await page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
      ${changed}
      history.pushState({}, '', '/thanks');
      const views = Object.values(localStorage).filter((item) => item.includes('"page"')).length;
      ${bought}
      [views, Object.values(localStorage).filter((item) => item.includes('"bought"')).length]`);
    expect(stored).toEqual([1, 1]);
  });

  it('of a click on a label count once if its control is a custom element', async () => {
    site.publish(config({ experiments: [], clickGoals: [{ apiName: 'option', selector: 'label' }] }));
    const { page } = await site.visit('/');
    await page.evaluate(`
      customElements.define('x-box', class extends HTMLElement {
        static formAssociated = true;
        constructor() { super(); this.internals = this.attachInternals(); }
      });
      const label = document.createElement('label');
      label.append('Text ', document.createElement('x-box'));
      label.addEventListener('click', ({ target }) => { window.last = target.localName; });
      document.querySelector('#text').replaceWith(label);`);
    await page.click('label', { position: { x: 3, y: 5 } });
    expect([await page.evaluate('last'), await names(page)]).toEqual(['x-box', ['option']]);
  });
});
