import type { Browser, Page } from 'playwright-core';
import {
  accessibilityProblems,
  describeInBrowser,
  launchBrowser,
  LOOKS,
  listen,
  misfits,
  open,
  overflow,
  SIZES,
  Visit,
} from '../support/browser';
import { Cells } from '../support/cells';
import { useScene } from '../support/scene';
import { daysOfMay, fillDays, SharedExperiment, sharedExperiment } from '../support/shared-experiment';

/* The shared results page of an experiment in a real browser. */

const PAGES = ['usual', 'difficult', 'crowded', 'empty', 'wrong', 'unknown'] as const;
const LONG_NAME = 'Extraordinarily'.repeat(17);
const OPEN_DETAILS = "document.querySelectorAll('details').forEach((each) => { each.open = true; })";

describeInBrowser('the share page', () => {
  const scene = useScene();
  const visits: Visit[] = [];
  let browser: Browser;
  let origin: string;
  let addresses: Record<(typeof PAGES)[number], string>;

  beforeAll(async () => {
    [browser, origin] = [await launchBrowser(), await listen(scene.api)];
    const at = ({ address }: SharedExperiment): string => `${origin}${address.slice(1)}`;
    const usual = await usualExperiment();
    addresses = {
      usual: at(usual),
      difficult: at(await difficultExperiment()),
      crowded: at(await crowdedExperiment()),
      empty: at(await sharedExperiment(scene)),
      wrong: `${at(usual)}?startDate=2026-05-09&endDate=2026-05-01&deviceTypes=fridge`,
      unknown: `${origin}/share/unknown`,
    };
  });
  afterEach(async () => {
    await Promise.all(visits.splice(0).map(({ context }) => context.close()));
  });
  afterAll(() => browser.close());

  async function visit(address: string, options: Parameters<typeof open>[2] = {}): Promise<Visit> {
    const opened = await open(browser, address, options);
    visits.push(opened);
    return opened;
  }

  async function usualExperiment(): Promise<SharedExperiment> {
    const goals = [await scene.make.goal({ name: 'Order' }), await scene.make.goal({ name: 'Visit' })];
    const experiment = await sharedExperiment(scene, { goals: goals.map(({ id }) => id) });
    await scene.make.move(experiment, 'running');
    await fillDays(scene, experiment, daysOfMay(12));
    return experiment;
  }

  /**
   * Difficult content: names that are long, right-to-left or look like markup, a sample ratio mismatch, and huge
   * changes and values.
   */
  async function difficultExperiment(): Promise<SharedExperiment> {
    const goal = await scene.make.goal({ name: LONG_NAME });
    const revenue = await scene.make.goal({ name: 'Revenue', value_type: 'revenue' });
    const experiment = await sharedExperiment(scene, {
      name: LONG_NAME,
      goals: [goal.id, revenue.id],
      variations: [{ name: LONG_NAME }, { name: '</title><script>alert(1)</script>شراء \u202e الآن' }],
    });
    await fillDays(scene, experiment, daysOfMay(1), [
      { participants: 400, converters: 1 },
      { participants: 200, converters: 60 },
    ]);
    const cells = new Cells(scene.api, experiment.id);
    const spent = { value: 987_654_321_0000n, valueSquared: 987_654_321_0000n ** 2n };
    for (const { id } of experiment.variations) {
      const place = { variation: id as number, day: '2026-05-01' };
      cells.converted(revenue.id, place, { converters: 20, ...spent });
    }
    await cells.store();
    return experiment;
  }

  async function crowdedExperiment(): Promise<SharedExperiment> {
    const variations = Array.from({ length: 12 }, (_, index) => ({ name: `Variation number ${index}` }));
    const experiment = await sharedExperiment(scene, { variations });
    const cells = new Cells(scene.api, experiment.id);
    for (const day of daysOfMay(5)) {
      for (const [index, { id }] of experiment.variations.entries()) {
        const place = { variation: id as number, day };
        // A variation without conversions has no confidence interval.
        cells.entered(place, 100).converted(experiment.goals[0].id, place, { converters: index % 7 });
      }
    }
    await cells.store();
    return experiment;
  }

  async function look(page: Page, { size, scheme }: (typeof LOOKS)[number]): Promise<void> {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: scheme });
  }

  it.each(PAGES)(
    'in the state "%s" fits the window, is accessible, loads nothing from other hosts and complies with its CSP',
    async (name) => {
      const { page, requests, complaints } = await visit(addresses[name]);
      for (const one of LOOKS) {
        await look(page, one);
        expect([one, await overflow(page)]).toEqual([one, 0]);
      }
      await look(page, LOOKS[0]);
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await misfits(page)).toEqual([]);
      await page.evaluate(OPEN_DETAILS);
      await page.setViewportSize(SIZES.phone);
      expect(await overflow(page)).toBe(0);
      // Chromium also requests the favicon of the page; the headless shell does not.
      expect(requests.filter((url) => !url.endsWith('/assets/favicon.svg'))).toEqual([addresses[name]]);
      // Browsers report every response with an error status in the console.
      expect(complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
    },
  );

  it('has enough contrast and large enough targets when unfolded', async () => {
    const { page } = await visit(addresses.usual);
    await page.evaluate(OPEN_DETAILS);
    for (const one of LOOKS) {
      await look(page, one);
      const problems = await accessibilityProblems(page, ['color-contrast', 'target-size']);
      expect([one, problems]).toEqual([one, []]);
    }
  });

  it('has readable text in its plots on a phone', async () => {
    const { page } = await visit(addresses.usual, { viewport: SIZES.phone });
    const heights = await page.evaluate<number[]>(
      "[...document.querySelectorAll('.plot')].map((plot) => parseFloat(getComputedStyle(plot).fontSize) * plot.getBoundingClientRect().width / plot.viewBox.baseVal.width)",
    );
    expect(heights).toHaveLength(3);
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(12);
  });

  it('has large enough targets', async () => {
    const { page } = await visit(addresses.usual, { viewport: SIZES.phone });
    const heights = await page.evaluate<number[]>(
      "[...document.querySelectorAll('a, button, summary, .choice')].map((target) => target.getBoundingClientRect().height)",
    );
    expect(Math.min(...heights.filter((height) => height > 0))).toBeGreaterThanOrEqual(24);
  });

  it('does not break short names within a word on a very narrow phone', async () => {
    const { page } = await visit(addresses.usual, { viewport: { width: 320, height: 740 } });
    const heights = await page.evaluate<number[]>(
      "[...document.querySelectorAll('.participants .name')].map((name) => name.getBoundingClientRect().height / parseFloat(getComputedStyle(name).lineHeight))",
    );
    expect(heights).toHaveLength(2);
    expect(Math.max(...heights)).toBeLessThan(1.5);
  });

  it.each([2, 7])(
    'has plots with enough room for their text if %i variations have wide names',
    async (count) => {
      const wide = ['W'.repeat(255), '購'.repeat(255), 'MW mw@% '.repeat(30)];
      const goal = await scene.make.goal({ name: wide[0] });
      const experiment = await sharedExperiment(scene, {
        name: wide[2],
        goals: [goal.id],
        variations: Array.from({ length: count }, (_, index) => ({ name: wide[index % 3] })),
      });
      const cells = new Cells(scene.api, experiment.id);
      for (const [index, { id }] of experiment.variations.entries()) {
        const place = { variation: id as number, day: '2026-05-01' };
        cells.entered(place, index === 0 ? 300 : 100).converted(goal.id, place, { converters: 10 });
      }
      await cells.store();
      for (const kind of ['rate', 'uplift']) {
        const image = `${origin}${experiment.address.slice(1)}/goals/${goal.id}.svg?kind=${kind}`;
        const { page } = await visit(image);
        const ends = await page.evaluate<number[]>(
          "[...document.querySelectorAll('text')].map((text) => text.getBoundingClientRect().right)",
        );
        expect(ends.length).toBeGreaterThan(8);
        expect(Math.max(...ends)).toBeLessThanOrEqual(720);
      }
    },
  );

  it('shows where the focus is', async () => {
    const { page } = await visit(addresses.usual);
    await page.keyboard.press('Tab');
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineWidth');
    expect([await page.evaluate('document.activeElement.tagName'), outline]).toEqual(['SUMMARY', '3px']);
  });

  it('has a filter form that works without scripts', async () => {
    const { page } = await visit(addresses.usual, { javaScriptEnabled: false });
    await page.getByText('Filter', { exact: true }).click();
    await page.getByLabel('First day').fill('2026-05-02');
    await page.getByLabel('Last day').fill('2026-05-03');
    await page.getByLabel('Desktop').check();
    await page.getByRole('button', { name: 'Show' }).click();
    const { search } = new URL(page.url());
    expect(search).toBe('?startDate=2026-05-02&endDate=2026-05-03&deviceTypes=desktop');
    expect(await page.locator('.facts dd').first().textContent()).toBe('1\u202f620');
    await page.getByRole('link', { name: 'Clear filter' }).first().click();
    expect(await page.locator('.facts dd').first().textContent()).toBe('9\u202f720');
  });

  it('shows names exactly as stored', async () => {
    const { page, complaints } = await visit(addresses.difficult);
    expect(complaints).toEqual([]);
    expect(await page.locator('.variation .name').nth(1).textContent()).toBe(
      '</title><script>alert(1)</script>شراء الآن',
    );
    expect(await page.locator('script').count()).toBe(0);
  });

  it('keeps the progress bar visible with forced colours', async () => {
    const { page } = await visit(addresses.usual, { forcedColors: 'active' });
    await page.evaluate(() => {
      const way = '<div class="tone-waiting way"><progress max="100" value="50"></progress></div>';
      document.querySelector('main')?.insertAdjacentHTML('afterbegin', way);
    });
    const bar = page.locator('progress').first();
    const clip = (await bar.boundingBox())!;
    const shown = await page.screenshot({ clip });
    await bar.evaluate(({ style }) => (style.visibility = 'hidden'));
    expect(shown.equals(await page.screenshot({ clip }))).toBe(false);
  });

  it('prints in light colours, with all goals and without interactive elements', async () => {
    const { page } = await visit(addresses.usual, { colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    expect(await page.locator('.goal:visible .plot').count()).toBe(3);
    for (const hidden of ['form', '.data', '.screen-only', '.filter-change']) {
      expect([hidden, await page.locator(`${hidden}:visible`).count()]).toEqual([hidden, 0]);
    }
    expect((await page.pdf({ format: 'A4' })).subarray(0, 5).toString()).toBe('%PDF-');
  });

  it('prints tables of values that fit on A4 paper, with words in one piece', async () => {
    const spent = await scene.make.goal({ value_type: 'revenue' });
    const read = await scene.make.goal({ counting: 'every' });
    const experiment = await sharedExperiment(scene, {
      goals: [spent.id, read.id],
      variations: [{ name: 'Grey buy button' }, { name: 'Green buy button' }],
    });
    const cells = new Cells(scene.api, experiment.id);
    for (const { id } of experiment.variations) {
      const place = { variation: id as number, day: '2026-05-01' };
      const sums = { converters: 900, value: 95_000_0000n, valueSquared: 11_000_000_0000n * 10_000n };
      cells.entered(place, 5_000).converted(spent.id, place, sums).converted(read.id, place, sums);
    }
    await cells.store();
    const viewport = { width: 688, height: 1000 };
    const { page } = await visit(`${origin}${experiment.address.slice(1)}`, { viewport });
    await page.emulateMedia({ media: 'print' });
    const tables = await page.locator('.goal table:visible').evaluateAll((all) => {
      /** The words that are split between lines. */
      const splitWords = (text: Node): string[] =>
        [...(text.textContent ?? '').matchAll(/\S+/g)].flatMap(({ 0: word, index }) => {
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          return range.getClientRects().length > 1 ? [word] : [];
        });
      return all.map((table) => ({
        isWider: table.getBoundingClientRect().width > table.parentElement!.clientWidth,
        split: [...table.querySelectorAll('tbody .name, thead .number')].flatMap(({ firstChild }) =>
          firstChild === null ? [] : splitWords(firstChild),
        ),
      }));
    });
    expect(tables.length).toBeGreaterThan(1);
    expect(tables).toEqual(tables.map(() => ({ isWider: false, split: [] })));
  });
});
