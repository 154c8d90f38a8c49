import { describeInBrowser } from '../support/browser';
import { DIFFICULT_NAMES, useBrowser } from '../support/browser-scene';

/*
 * The page of a project's goals, pages, audiences and environments in a real browser, with names and values that are
 * hard to display.
 */

const KINDS = ['goals', 'pages', 'audiences', 'environments'];

describeInBrowser('the definitions', () => {
  const scene = useBrowser();
  let project: string;

  beforeAll(async () => {
    ({ project } = scene.make);
    const { client } = scene;
    for (const name of DIFFICULT_NAMES) {
      await client.post(`${project}/goals`, {
        name,
        type: 'click',
        selector: `.${name.replace(/\W/g, '') || 'a'}`,
      });
      await client.post(`${project}/pages`, {
        name,
        conditions: [{ match: 'contains', value: 'https://shop.example.com/'.repeat(20) }],
      });
      const leaf = { type: 'attribute', name, match: 'exact', value: name.repeat(3) };
      const conditions = ['and', leaf, ['or', leaf, ['not', ['and', leaf, ['or', leaf, leaf]]]]];
      await client.post(`${project}/audiences`, { name, description: name, conditions });
    }
    await scene.make.ready({ name: DIFFICULT_NAMES[0] });
  });

  it.each(KINDS)('%s fit the window and are accessible', async (kind) => {
    const visit = await scene.visitAsAdmin(`${project}/definitions?kind=${kind}`, { bypassCSP: true });
    expect(await visit.page.locator('main section.card').count()).toBeGreaterThan(0);
    await visit.page.locator('details summary').click();
    await scene.expectFits(visit);
  });

  it.each(KINDS)('%s comply with the CSP of the page', async (kind) => {
    const { page, complaints } = await scene.visitAsAdmin(`${project}/definitions?kind=${kind}`);
    await page.locator('details summary').click();
    expect(complaints).toEqual([]);
  });
});
