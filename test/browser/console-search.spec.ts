import { describeInBrowser, misfits } from '../support/browser';
import { DIFFICULT_NAMES, useBrowser } from '../support/browser-scene';
import { Maker } from '../support/scene';

/* The search in a real browser, with names that are hard to display. */

describeInBrowser('the search', () => {
  const scene = useBrowser();

  beforeAll(async () => {
    const { api, client, world } = scene;
    for (const name of DIFFICULT_NAMES) {
      const team = await api.team(name);
      await api.join(team, world.people.admin, 'admin');
      const make = new Maker(client, `/projects/${await api.project(team, name)}`);
      await make.withStatus('running', { name, tags: [name.slice(0, 50), 'checkout'] });
    }
  });

  it('fits the window and is accessible', async () => {
    const visit = await scene.visitAsAdmin('/experiments', { bypassCSP: true });
    expect(await visit.page.locator('tbody tr').count()).toBe(4);
    await scene.expectFits(visit);
  });

  it('finds experiments by part of the name', async () => {
    const { page, complaints } = await scene.visitAsAdmin('/experiments');
    await page.getByLabel('Name contains').fill('注文');
    await page.getByRole('button', { name: 'Search' }).click();
    expect(await page.locator('tbody th').allTextContents()).toEqual(['注文が完了しました']);
    await page.getByRole('link', { name: 'Show all' }).click();
    expect(await misfits(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
