import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { TestApi } from '../support/api';
import { accessibilityProblems, describeInBrowser, launchBrowser, LOOKS, overflow } from '../support/browser';
import { demoExperiment, SeededDemo, seedDemo, updateShop } from '../support/demo';
import { attributeAll } from '../support/events';
import { startLive } from '../support/live-server';
import { freePort } from '../support/server-process';
import type { Made } from '../support/scene';
import { knownAt, Visitor } from '../support/visitors';

/* The demo shop in a real browser. */

const GREEN = 'rgb(26, 127, 55)';
const GREY = 'rgb(93, 101, 112)';
const PAGES = [
  '/',
  '/products/tea-pot',
  '/checkout',
  '/checkout?item=tea-pot',
  '/checkout?item=tea-pot&bought=yes',
];
const APPEARANCES = [
  { name: 'Grey button', colour: GREY, text: 'Add to cart' },
  { name: 'Green button', colour: GREEN, text: 'Add to cart' },
  { name: 'Green button with a promise', colour: GREEN, text: 'Buy now, arrives tomorrow' },
];

interface Figures {
  participants: number;
  conversions: number;
  totalConversions: number;
  totalValue: number;
}

const button = (page: Page) => page.locator('.product .add-to-cart');

async function appearance(page: Page): Promise<object> {
  const colour = await page.evaluate(
    "getComputedStyle(document.querySelector('.product .add-to-cart')).backgroundColor",
  );
  return { colour, text: await button(page).textContent() };
}

describeInBrowser('the demo shop', () => {
  const visitors: Visitor[] = [];
  let api: TestApi;
  let demo: SeededDemo;
  let experiment: Made;
  let shop: string;
  let browser: Browser;

  beforeAll(async () => {
    const environment = { DEMO_PORT: String(await freePort()) };
    [api, browser] = await Promise.all([startLive(environment), launchBrowser()]);
    demo = await seedDemo(api);
    shop = await updateShop(api);
    experiment = await demoExperiment(demo, 'Green buy button');
  });
  afterEach(async () => {
    await Promise.all(visitors.splice(0).map((visitor) => visitor.leave()));
  });
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  async function visit(address: string, options: BrowserContextOptions = {}): Promise<Visitor> {
    const visitor = await Visitor.come(browser, demo.clientKey, options);
    visitors.push(visitor);
    await visitor.page.goto(new URL(address, shop).href);
    return visitor;
  }

  const variationNamed = ({ variations }: Made, name: string): { id: number; preview_url: string } =>
    variations.find((each: Made) => each.name === name);

  /** A visitor to whom a variation is already assigned. */
  const assigned = (variation: number): BrowserContextOptions['storageState'] =>
    knownAt(shop, demo.clientKey, {
      id: randomUUID(),
      assignments: { [`exp-${experiment.id}`]: String(variation) },
    });

  /** The results of a variation, by goal name. */
  async function figuresOf(variation: number): Promise<Record<string, Figures>> {
    await attributeAll(api);
    const { body } = await demo.client.get(`${experiment.path}/results`);
    return Object.fromEntries(
      body.map((goal: { name: string; variationStatistics: Record<number, Figures> }) => [
        goal.name,
        goal.variationStatistics[variation],
      ]),
    );
  }

  it.each(APPEARANCES)('shows $name to its visitors and in its preview', async ({ name, ...expected }) => {
    const { id, preview_url } = variationNamed(experiment, name);
    const having = await visit('/products/cups', { storageState: assigned(id) });
    const following = await visit(preview_url);
    for (const { page, complaints } of [having, following]) {
      await page.waitForFunction(
        `document.querySelector('.product .add-to-cart').textContent === '${expected.text}'`,
      );
      expect([await appearance(page), complaints]).toEqual([expected, []]);
    }
    expect(await following.kept()).toBeNull();
  });

  it('counts visits, carts, checkouts and purchases', async () => {
    const { id } = variationNamed(experiment, 'Green button with a promise');
    const before = await figuresOf(id);
    const visitor = await visit('/', { storageState: assigned(id) });
    const { page } = visitor;
    await page.getByRole('link', { name: 'Kettle' }).click();
    await button(page).click();
    const buy = page.getByRole('button', { name: 'Buy for €59.00' });
    await buy.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Next step' }).click();
    await page.getByRole('button', { name: 'Next step' }).click();
    await buy.click();
    expect(await page.getByRole('heading', { name: 'Thank you' }).isVisible()).toBe(true);
    await visitor.told();
    const after = await figuresOf(id);
    for (const [goal, value] of [
      ['Added to cart', 0],
      ['Checkout viewed', 0],
      ['Order placed', 59],
    ] as const) {
      const { participants, conversions, totalConversions, totalValue } = before[goal];
      expect([goal, after[goal]]).toMatchObject([
        goal,
        {
          participants: participants + 1,
          conversions: conversions + 1,
          totalConversions: totalConversions + 1,
        },
      ]);
      expect(after[goal].totalValue - totalValue).toBeCloseTo(value, 4);
    }
    expect(visitor.complaints).toEqual([]);
  });

  it('shows the other experiments with their preview links', async () => {
    const [onePage, spring, footer] = await Promise.all(
      [
        ['Checkout on one page', 'One page'],
        ['Spring headline', 'Spring headline'],
        ['Newsletter in the footer', 'Form in the footer'],
      ].map(async ([name, variation]) => {
        const { preview_url } = variationNamed(await demoExperiment(demo, name), variation);
        return visit(preview_url);
      }),
    );
    await spring.page.getByRole('heading', { name: 'Spring is here: tea for the garden' }).waitFor();
    await footer.page.locator('footer .newsletter').waitFor();
    await onePage.page.getByRole('button', { name: 'Buy for €38.00' }).waitFor();
    expect(await onePage.page.getByRole('button', { name: 'Next step' }).isVisible()).toBe(false);
    expect([onePage, spring, footer].flatMap(({ complaints }) => complaints)).toEqual([]);
  });

  it('can also be opened through its path on the console, with a preview', async () => {
    const { preview_url } = variationNamed(experiment, 'Green button');
    const { pathname, search } = new URL(preview_url);
    const { page, complaints } = await visit(`${api.config.publicUrl}/demo${pathname}${search}`);
    await page.waitForFunction(
      `getComputedStyle(document.querySelector('.product .add-to-cart')).backgroundColor === '${GREEN}'`,
    );
    expect([new URL(page.url()).origin, complaints]).toEqual([shop, []]);
  });

  it('works without scripts, with links and a form', async () => {
    const { page } = await visit('/products/cups', { javaScriptEnabled: false });
    await button(page).click();
    await page.getByRole('button', { name: 'Buy for €24.00' }).click();
    expect(await page.getByRole('heading', { name: 'Thank you' }).isVisible()).toBe(true);
    await page.getByRole('link', { name: 'Back to the shop' }).click();
    expect(await page.getByRole('link', { name: 'Kettle' }).isVisible()).toBe(true);
  });

  async function look(page: Page, { size, scheme }: (typeof LOOKS)[number]): Promise<void> {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: scheme });
  }

  it.each(PAGES)(
    'fits the window, is accessible and complies with its CSP, on any screen, in light and dark mode: %s',
    async (path) => {
      const { id } = variationNamed(experiment, 'Green button');
      const { page, complaints } = await visit(path, { storageState: assigned(id) });
      expect(await accessibilityProblems(page)).toEqual([]);
      for (const one of LOOKS) {
        await look(page, one);
        const problems = await accessibilityProblems(page, ['color-contrast', 'target-size']);
        expect([one, await overflow(page), problems]).toEqual([one, 0, []]);
      }
      expect(complaints).toEqual([]);
    },
  );

  it('has enough contrast in the original variation', async () => {
    const { id } = variationNamed(experiment, 'Grey button');
    const { page } = await visit('/products/tea-pot', { storageState: assigned(id) });
    for (const one of LOOKS) {
      await look(page, one);
      expect(await accessibilityProblems(page, ['color-contrast'])).toEqual([]);
    }
  });
});
