import { describeInBrowser } from '../support/browser';
import { DIFFICULT_NAMES, openDetails, useBrowser } from '../support/browser-scene';

/* The publications page of a project and its forms in a real browser, with names and code that are hard to display. */

const CODE = ['f();', `show('${'long'.repeat(200)}');`, 'شراء();', '</code>'].join('\n');
const PAGES = ['publications', 'publications/1/rollback'];

describeInBrowser('the publications', () => {
  const scene = useBrowser();

  beforeAll(async () => {
    const { client, make } = scene;
    const experiments = [];
    for (const name of DIFFICULT_NAMES) {
      experiments.push(await make.withStatus('running', { name }));
    }
    for (const { path } of experiments) {
      await client.patch(path, {
        css: 'a { color: red }\n'.repeat(3),
        js: `/*${CODE}*/`,
        traffic_allocation: 50,
      });
    }
    await client.patch(`${experiments[0].path}/publish`);
  });

  it.each(PAGES)('at %s fit the window and are accessible', async (path) => {
    const visit = await scene.visitAsAdmin(`${scene.make.project}/${path}`, { bypassCSP: true });
    expect(await visit.page.locator('.changes li').count()).toBeGreaterThan(3);
    await openDetails(visit.page);
    await scene.expectFits(visit);
  });

  it.each(PAGES)('at %s comply with the CSP of the page', async (path) => {
    const { complaints } = await scene.visitAsAdmin(`${scene.make.project}/${path}`);
    expect(complaints).toEqual([]);
  });
});
