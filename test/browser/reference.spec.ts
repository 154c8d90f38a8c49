import type { Browser, Page } from 'playwright-core';
import { TestApi, type World } from '../support/api';
import {
  accessibilityProblems,
  describeInBrowser,
  launchBrowser,
  listen,
  LOOKS,
  open,
  overflow,
} from '../support/browser';
import { startLive } from '../support/live-server';
import { PathProxy } from '../support/path-proxy';

/* The interactive reference in a real browser. */

const CREATE_GOAL = '#/Goals/createGoal';

describeInBrowser('the reference', () => {
  let browser: Browser;
  let api: TestApi;
  let world: World;
  let address: string;

  beforeAll(async () => {
    [browser, api] = [await launchBrowser(), await startLive()];
    world = await api.world();
    address = `${api.config.publicUrl}/docs`;
  });
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  const opened = async (hash = '', options = {}): Promise<Page> => {
    const { page } = await open(browser, `${address}${hash}`, options);
    await page.waitForSelector(hash === '' ? '.opblock-summary' : '.gosset-samples');
    return page;
  };

  describe.each(LOOKS)('at $size.width pixels, $scheme', ({ size, scheme }) => {
    it('is accessible and as wide as the window, with everything open', async () => {
      const page = await opened(CREATE_GOAL, { viewport: size, colorScheme: scheme });
      const problems = await accessibilityProblems(page);
      // The check of all operations takes seconds, so the following ones look at two of them.
      await page.getByLabel('Filter operations').fill('POST goals');
      for (const error of await page.locator('.gosset-error button').all()) {
        await error.click();
      }
      await page.locator('.try-out__btn').click();
      await page.locator('.execute').click();
      await page.waitForSelector('.live-responses-table .response');
      problems.push(...(await accessibilityProblems(page)));
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      await page.locator('.auth-wrapper > .authorize').click();
      await page.waitForSelector('.dialog-ux');
      problems.push(...(await accessibilityProblems(page)));
      expect([problems, await overflow(page)]).toEqual([[], 0]);
      await page.context().close();
    });
  });

  it.each(LOOKS)('lists the operations without JavaScript at $size.width pixels, $scheme', async (look) => {
    const { page } = await open(browser, address, {
      javaScriptEnabled: false,
      viewport: look.size,
      colorScheme: look.scheme,
    });
    const operations = page.locator('#swagger-ui li');
    expect(await operations.count()).toBeGreaterThan(80);
    expect(
      await operations.filter({ hasText: 'POST /api/projects/{project}/goals' }).first().textContent(),
    ).toMatch(/^Create a goal /);
    expect(await page.getByText('Without it, this page lists the').isVisible()).toBe(true);
    await page.getByRole('link', { name: 'Create a goal', exact: true }).click();
    expect(page.url()).toBe(`${address}${CREATE_GOAL}`);
    await page.getByRole('link', { name: 'JSON', exact: true }).click();
    expect(page.url()).toBe(`${address}/openapi.json`);
    await page.context().close();
  });

  it.each(LOOKS)('is accessible at $size.width pixels, $scheme, before Swagger UI is there', async (look) => {
    const context = await browser.newContext({
      viewport: look.size,
      colorScheme: look.scheme,
      bypassCSP: true,
    });
    const page = await context.newPage();
    await page.route('**/swagger-ui-*.js', (route) => route.abort());
    await page.goto(address);
    expect([await accessibilityProblems(page), await overflow(page)]).toEqual([[], 0]);
    await context.close();
  });

  it('asks for the API token first, then for a client key once', async () => {
    const page = await opened();
    await page.locator('.auth-wrapper > .authorize').click();
    await page.waitForSelector('#auth-bearer-value:focus');
    expect(await page.locator('.auth-container h4').allTextContents()).toEqual([
      expect.stringContaining('bearer'),
      expect.stringContaining('clientKey'),
    ]);
    await page.keyboard.type(world.people.admin.token);
    await page.keyboard.press('Enter');
    await page.locator('.close-modal').click();
    await page.locator('#operations-Teams-listTeams .opblock-summary-control').click();
    await page.locator('.try-out__btn').click();
    await page.locator('.execute').click();
    const answer = page.locator('.live-responses-table .response .response-col_status');
    expect(await answer.first().textContent()).toBe('200');
    await page.context().close();
  });

  it('opens the operation of a link, and puts the one that is opened into the address', async () => {
    const page = await opened(CREATE_GOAL);
    await page.locator('#operations-Goals-showGoal .opblock-summary-control').click();
    expect(await page.evaluate('location.hash')).toBe('#/Goals/showGoal');
    await page.context().close();
  });

  it('shows only operations that the filter means', async () => {
    const page = await opened();
    const shown = (): Promise<string[]> => page.locator('.opblock-summary-description').allTextContents();
    expect((await shown()).length).toBeGreaterThan(80);
    await page.getByLabel('Filter operations').fill('POST goals');
    await page.locator('.opblock-summary').nth(2).waitFor({ state: 'detached' });
    expect(await shown()).toEqual(['Create a goal', 'Find a goal by its exact name']);
    await page.getByLabel('Filter operations').fill('listExper');
    await page.locator('.opblock-summary').nth(1).waitFor({ state: 'detached' });
    expect(await shown()).toEqual(['List the experiments of a project']);
    await page.context().close();
  });

  it('shows samples in the chosen language, and errors when they are opened', async () => {
    const page = await opened(CREATE_GOAL);
    const sample = page.locator('.gosset-sample');
    expect(await sample.textContent()).toMatch(/^curl -sS -X POST /);
    await page.getByRole('button', { name: 'Python' }).click();
    expect(await sample.textContent()).toContain('requests.post(');
    const bodies = page.locator('.responses-table .response');
    expect(await bodies.count()).toBe(1);
    await page.getByRole('button', { name: 'The body is not JSON.' }).click();
    expect(await bodies.nth(1).textContent()).toContain('BODY_NOT_JSON');
    await page.context().close();
  });

  it('is linked with the console, and loads nothing from other hosts', async () => {
    const { page, requests, complaints } = await open(browser, address);
    await page.waitForSelector('.opblock-summary');
    expect(requests.filter((url) => !url.startsWith(`${api.config.publicUrl}/`))).toEqual([]);
    expect(complaints).toEqual([]);
    expect(await page.getByRole('link', { name: 'Gosset', exact: true }).getAttribute('href')).toBe('/');
    await page.context().close();
  });

  it('works below a path of another site', async () => {
    const proxy = await PathProxy.listen('/tools/ab');
    const below = await TestApi.start({ PUBLIC_URL: proxy.publicUrl, TRUST_PROXY: '127.0.0.1' });
    proxy.target = await listen(below);
    const { page, complaints } = await open(browser, `${proxy.publicUrl}/docs`);
    await page.waitForSelector('.opblock-summary');
    const home = page.getByRole('link', { name: 'Gosset', exact: true });
    expect(await home.getAttribute('href')).toBe('/tools/ab/');
    expect([complaints, proxy.strays]).toEqual([[], []]);
    await page.context().close();
    await Promise.all([proxy.close(), below.close()]);
  });
});
