import { describeInBrowser } from '../support/browser';
import { DIFFICULT_NAMES, openDetails, useBrowser } from '../support/browser-scene';

/* The history page of a project in a real browser, with the same change twice and names that are hard to display. */

describeInBrowser('the history', () => {
  const scene = useBrowser();

  it('fits the window and is accessible', async () => {
    for (const name of DIFFICULT_NAMES) {
      const { path } = await scene.make.withStatus('running', { name });
      await scene.client.patch(path, {
        css: 'a { color: red }\n'.repeat(3),
        description: 'long'.repeat(200),
      });
      await scene.client.patch(`${path}/status`, { status: 'pause' });
    }
    const visit = await scene.visitAsAdmin(`${scene.make.project}/audit`);
    const titles = await visit.page.locator('main h2').allTextContents();
    expect(new Set(titles).size).toBeLessThan(titles.length);
    await openDetails(visit.page);
    await scene.expectFits(visit);
  });

  it('shows complete dates in its filter on a phone', async () => {
    const { page } = await scene.visitAsAdmin(`${scene.make.project}/audit`, {
      viewport: { width: 375, height: 740 },
    });
    // Scripts cannot measure the parts of a date field. The text mm/dd/yyyy and the button need about 145 px.
    const widths = "[...document.querySelectorAll('[type=date]')].map(({ clientWidth }) => clientWidth)";
    expect(Math.min(...(await page.evaluate<number[]>(widths)))).toBeGreaterThan(150);
  });
});
