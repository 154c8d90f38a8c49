import { describeInBrowser } from '../support/browser';
import { config, experiment, pageAt, varied } from '../support/snippet-config';
import { useSnippetSite } from '../support/snippet-site';

/* Page views for pageview goals. */

const QUIET = { experiments: [] };

describeInBrowser('page views', () => {
  const site = useSnippetSite();

  it('are sent for each new URL', async () => {
    const viewedPages = [pageAt('/thanks'), { wanted: ['color='], unwanted: ['blue'] }];
    site.publish(config({ ...QUIET, viewedPages }));
    const { page } = await site.visit('/thanks');
    await page.evaluate(`
      history.replaceState({ scrolled: 1 }, '');
      history.pushState({}, '', '/basket');
      history.pushState({}, '', '/thanks?order=1');
      history.replaceState({}, '', '/?color=red');
      history.pushState({}, '', '/?color=blue');`);
    await page.goBack();
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    const told = await site.told(page);
    expect(told.map(({ type, properties }) => [type, properties.url])).toEqual(
      ['/thanks', '/thanks?order=1', '/?color=red', '/?color=red', '/?color=red'].map((path) => [
        'page',
        site.at(path),
      ]),
    );
  });

  it('are sent without the query if the URL is too long, unless page conditions depend on the query', async () => {
    const viewedPages = [pageAt('/thanks'), { wanted: ['color='], unwanted: ['blue'] }];
    site.publish(config({ ...QUIET, viewedPages }));
    const long = 'x'.repeat(2_048);
    const { page } = await site.visit(`/thanks?order=${long}`);
    await page.evaluate(`
      history.pushState({}, '', '/thanks?order=1#${long}');
      history.pushState({}, '', '/thanks?color=red&order=${long}');
      history.pushState({}, '', '/basket?order=${long}');`);
    expect((await site.told(page)).map(({ properties }) => properties.url)).toEqual(
      ['/thanks', '/thanks?order=1'].map((path) => site.at(path)),
    );
  });

  it('count for experiments that a URL change in a single-page application activates', async () => {
    const experiments = [experiment({ pages: [pageAt('/thanks', 'url_change')] })];
    site.publish(config({ experiments, viewedPages: [pageAt('/thanks')] }));
    const { page } = await site.visit('/');
    await page.evaluate("history.pushState({}, '', '/thanks')");
    expect((await site.told(page)).map(({ type }) => type)).toEqual(['track', 'page']);
  });

  it('count once per URL if variation code changes the URL during load', async () => {
    const variations = varied({ js: "history.replaceState({}, '', '/thanks');" });
    const experiments = [experiment({ variations })];
    site.publish(config({ experiments, viewedPages: [pageAt('/basket'), pageAt('/thanks')] }));
    const { page } = await site.visit('/basket');
    expect((await site.told(page)).map(({ type, properties }) => properties.url ?? type)).toEqual([
      'track',
      ...['/basket', '/thanks'].map((path) => site.at(path)),
    ]);
  });

  it('follow the exposure of an experiment whose code changes the URL of a route', async () => {
    const variations = varied({ js: "history.replaceState({}, '', '/thanks?v=2');" });
    const experiments = [experiment({ pages: [pageAt('/thanks', 'url_change')], variations })];
    site.publish(config({ experiments, viewedPages: [pageAt('/thanks')] }));
    const { page } = await site.visit('/');
    await page.evaluate("history.pushState({}, '', '/thanks')");
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect((await site.told(page)).map(({ type, properties }) => properties.url ?? type)).toEqual([
      'track',
      ...['/thanks', '/thanks?v=2'].map((path) => site.at(path)),
    ]);
  });

  it('are sent for a URL that the visitor leaves immediately', async () => {
    site.publish(config({ ...QUIET, viewedPages: [pageAt('/thanks'), pageAt('/basket')] }));
    const { page } = await site.visit('/');
    await page.evaluate(`
      const onFrame = requestAnimationFrame;
      requestAnimationFrame = () => 1;
      history.pushState({}, '', '/thanks');
      history.pushState({}, '', '/basket');
      dispatchEvent(new Event('pagehide'));
      requestAnimationFrame = onFrame;`);
    expect((await site.told(page)).map(({ properties }) => properties.url)).toEqual(
      ['/thanks', '/basket'].map((path) => site.at(path)),
    );
  });

  it('are not sent for in-page anchors, but for each URL of a hash router', async () => {
    site.publish(config({ ...QUIET, viewedPages: [pageAt('/thanks')] }));
    const { page } = await site.visit('/thanks');
    await page.evaluate(`
      location.hash = 'top';
      history.pushState({}, '', '#below');
      history.pushState({}, '', '#/orders');
      history.pushState({}, '', '#/orders/1');`);
    const told = await site.told(page);
    expect(told.map(({ properties }) => properties.url)).toEqual(
      ['/thanks', '/thanks#/orders', '/thanks#/orders/1'].map((path) => site.at(path)),
    );
  });
});
