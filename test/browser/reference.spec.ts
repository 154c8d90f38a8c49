import type { Browser, Locator, Page } from 'playwright-core';
import { TestApi, type World } from '../support/api';
import {
  accessibilityProblems,
  describeInBrowser,
  launchBrowser,
  listen,
  LOOKS,
  open,
  overflow,
  SIZES,
  Visit,
} from '../support/browser';
import { startLive } from '../support/live-server';
import { PathProxy } from '../support/path-proxy';
import { until } from '../support/waiting';

/* The interactive API reference in a real browser. */

const CREATE_GOAL = '#/Goals/createGoal';
const RULES_OF_COLORS = ['color-contrast', 'link-in-text-block', 'target-size'];
/**
 * Whether the current colour scheme is fully applied: a script sets it, and the colours change with a CSS transition.
 */
const IS_IN_ITS_COLORS = `(document.querySelector('.swagger-ui') === null ||
  matchMedia('(prefers-color-scheme: dark)').matches === document.documentElement.classList.contains('dark-mode')) &&
  document.getAnimations().length === 0`;

/** The operations, resolved by the page's plugin and by Swagger UI without it. */
const READ_OF = (paths: readonly (readonly string[])[]): string => `(async () => {
  const page = window.ui.getSystem();
  const spec = page.specSelectors.specJson().toJS();
  const plain = SwaggerUIBundle({ spec, domNode: document.createElement('div') }).getSystem();
  const read = ({ fn }) => Promise.all(
    ${JSON.stringify(paths)}.map((path) => fn.resolveSubtree(spec, path, { baseDoc: location.origin + '/docs' })));
  return [await read(page), await read(plain)];
})()`;

describeInBrowser('the reference', () => {
  let browser: Browser;
  let api: TestApi;
  let world: World;
  let address: string;
  /** The cases share one page, because Swagger UI takes a second to read the document. */
  let visit: Visit;

  beforeAll(async () => {
    [browser, api] = [await launchBrowser(), await startLive()];
    world = await api.world();
    address = `${api.config.publicUrl}/docs`;
    visit = await open(browser, `${address}${CREATE_GOAL}`, { colorScheme: 'dark' });
    await visit.page.waitForSelector('.gosset-samples');
  });
  afterAll(async () => {
    await browser.close();
    await api.close();
  });
  beforeEach(() => visit.page.setViewportSize(SIZES.desktop));

  const filter = (phrase: string): Promise<void> => visit.page.getByLabel('Filter operations').fill(phrase);
  const operation = (id: string): Locator => visit.page.locator(`#operations-${id}`);

  async function execute(part: Locator): Promise<void> {
    await part.locator('.try-out__btn').click();
    await part.locator('.execute').click();
    await part.locator('.live-responses-table .response').waitFor();
  }

  /** Asserts that the page is accessible and fits the window, at every size and in both colour schemes. */
  async function expectFits(page: Page): Promise<void> {
    for (const { size, scheme } of LOOKS) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: scheme });
      await until(() => page.evaluate<boolean>(IS_IN_ITS_COLORS));
      // Only these rules depend on the colour scheme, so the others are checked in light mode only.
      const problems = await accessibilityProblems(page, scheme === 'dark' ? RULES_OF_COLORS : undefined);
      expect([size, scheme, await overflow(page), problems]).toEqual([size, scheme, 0, []]);
    }
  }

  it('links to the console, supports dark mode, and loads nothing from other hosts', async () => {
    const { page, requests, complaints } = visit;
    expect(requests.filter((url) => !url.startsWith(`${api.config.publicUrl}/`))).toEqual([]);
    expect(complaints).toEqual([]);
    expect(await page.getByRole('link', { name: 'Gosset', exact: true }).getAttribute('href')).toBe('/');
    expect(await page.locator('html.dark-mode').count()).toBe(1);
  });

  it('shows samples in the selected language, and errors when unfolded', async () => {
    const { page } = visit;
    const sample = page.locator('.gosset-sample');
    expect(await sample.textContent()).toMatch(/^curl -sS -X POST /);
    await page.getByRole('button', { name: 'Python' }).click();
    expect(await sample.textContent()).toContain('requests.post(');
    const bodies = page.locator('.responses-table .response');
    expect(await bodies.count()).toBe(1);
    await page.getByRole('button', { name: 'The body is not JSON.' }).click();
    expect(await bodies.nth(1).textContent()).toContain('BODY_NOT_JSON');
  });

  it('is accessible and fits the window, with all operations', async () => {
    await expectFits(visit.page);
  });

  it('is accessible and fits the window, with everything unfolded', async () => {
    const { page } = visit;
    await page.setViewportSize(SIZES.phone);
    // Checking all operations takes several seconds, so the following cases use two of them.
    await filter('POST goals');
    const foldedErrors = page.locator('.gosset-error button[aria-expanded=false]');
    while ((await foldedErrors.count()) > 0) {
      await foldedErrors.first().click();
    }
    await execute(operation('Goals-createGoal'));
    await expectFits(page);
    await page.setViewportSize(SIZES.phone);
    await page.locator('.auth-wrapper > .authorize').click();
    await page.waitForSelector('.dialog-ux');
    await expectFits(page);
    await page.locator('.close-modal').click();
  });

  it('resolves recursive references, and references in allOf and in route parameters, like Swagger UI', async () => {
    const operations = [
      ['paths', '/api/projects/{project}/audiences', 'post'],
      ['paths', '/api/projects/{project}/experiments/{experiment}/results', 'get'],
    ];
    const [read, expected] = await visit.page.evaluate<unknown[][]>(READ_OF(operations));
    expect(JSON.stringify(expected)).toContain('#/components/schemas/ConditionList');
    expect(read).toEqual(expected);
  });

  it('shows only operations that match the filter', async () => {
    const { page } = visit;
    const shown = (): Promise<string[]> => page.locator('.opblock-summary-description').allTextContents();
    await filter('');
    await page.locator('.opblock-summary').nth(80).waitFor();
    expect((await shown()).length).toBeGreaterThan(80);
    await filter('POST goals');
    await page.locator('.opblock-summary').nth(2).waitFor({ state: 'detached' });
    expect(await shown()).toEqual(['Create a goal', 'Find a goal by its exact name']);
    await filter('no such operation');
    await visit.page.getByText('No operation matches the filter.').waitFor();
    await filter('listExper');
    await page.locator('.opblock-summary').nth(1).waitFor({ state: 'detached' });
    expect(await shown()).toEqual(['List the experiments of a project']);
  });

  it('opens the operation that a link names, and stores the open operation in the URL', async () => {
    expect(await visit.page.evaluate('location.hash')).toBe(CREATE_GOAL);
    await filter('goals');
    await operation('Goals-createGoal').locator('.gosset-samples').waitFor();
    await operation('Goals-showGoal').locator('.opblock-summary-control').click();
    expect(await visit.page.evaluate('location.hash')).toBe('#/Goals/showGoal');
  });

  it('asks for the API token first, and then once for a client key', async () => {
    const { page } = visit;
    await filter('');
    await page.locator('.auth-wrapper > .authorize').click();
    await page.waitForSelector('#auth-bearer-value:focus');
    expect(await page.locator('.auth-container h4').allTextContents()).toEqual([
      expect.stringContaining('bearer'),
      expect.stringContaining('clientKey'),
    ]);
    await page.keyboard.type(world.people.admin.token);
    await page.keyboard.press('Enter');
    await page.locator('.close-modal').click();
    const list = operation('Teams-listTeams');
    await list.locator('.opblock-summary-control').click();
    await execute(list);
    const answer = list.locator('.live-responses-table .response .response-col_status');
    expect(await answer.first().textContent()).toBe('200');
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
    expect(await page.getByText('Without it, the page lists the').isVisible()).toBe(true);
    await page.getByRole('link', { name: 'Create a goal', exact: true }).click();
    expect(page.url()).toBe(`${address}${CREATE_GOAL}`);
    await page.getByRole('link', { name: 'JSON', exact: true }).click();
    expect(page.url()).toBe(`${address}/openapi.json`);
    await page.context().close();
  });

  it('is accessible and fits the window before Swagger UI is loaded', async () => {
    const context = await browser.newContext({ bypassCSP: true });
    const page = await context.newPage();
    await page.route('**/swagger-ui-*.js', (route) => route.abort());
    await page.goto(address);
    await expectFits(page);
    await context.close();
  });

  it('works below a path prefix', async () => {
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
