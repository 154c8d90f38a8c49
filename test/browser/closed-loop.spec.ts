import { GrowthBookClient } from '@growthbook/growthbook';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser';
import { Figures, forEveryone, idsOf, LiveProject, LiveSite } from '../support/live-site';
import type { Made } from '../support/scene';
import type { Visitor } from '../support/visitors';
import { until } from '../support/waiting';

/* The whole loop: from creating an experiment, to the pages that visitors see, and back to its results. */

const BLACK = 'rgb(0, 0, 0)';
const RED = 'rgb(200, 0, 0)';
const BLUE = 'rgb(0, 0, 200)';
const MOST_VISITORS = 30;

/** Records the colour of the heading in each frame. */
const WATCH_FRAMES = `
  window.colours = new Set();
  (function watch() {
    const heading = document.querySelector('h1');
    if (heading) colours.add(getComputedStyle(heading).color);
    requestAnimationFrame(watch);
  })();`;
const CHANGE_TEXT = `
  performance.mark('applied');
  gosset.getTools().waitForElement('#cart').then((button) => { button.textContent = 'Buy now'; });`;
const RESTORE_TEXT = "document.querySelector('#cart').textContent = 'Add to cart';";

const look = (page: Page): Promise<[colour: string, text: string]> =>
  page.evaluate(
    "[getComputedStyle(document.querySelector('h1')).color, document.querySelector('#cart').textContent]",
  );
const shows = (page: Page, [colour, text]: readonly [string, string]): Promise<void> =>
  until(async () => JSON.stringify(await look(page)) === JSON.stringify([colour, text]));

const ORIGINAL_LOOK = [BLACK, 'Add to cart'] as const;
const VARIATION_LOOK = [RED, 'Buy now'] as const;

/** The expected counts, by goal and variation. */
class Tally {
  readonly figures: Record<string, Record<number, Figures>> = {};

  constructor(goals: readonly string[], variations: readonly number[]) {
    for (const goal of goals) {
      this.figures[goal] = Object.fromEntries(
        variations.map((id) => [id, { participants: 0, conversions: 0, totalConversions: 0, totalValue: 0 }]),
      );
    }
  }

  entered(variation: number): void {
    Object.values(this.figures).forEach((figures) => (figures[variation].participants += 1));
  }

  converted(goal: string, variation: number, values: readonly number[]): void {
    const figures = this.figures[goal][variation];
    figures.conversions += 1;
    figures.totalConversions += values.length;
    figures.totalValue += values.reduce((sum, value) => sum + value, 0);
  }
}

describeInBrowser('the closed loop', () => {
  let site: LiveSite;

  beforeAll(async () => {
    site = await LiveSite.start();
  });
  afterEach(() => site.everybodyLeaves());
  afterAll(() => site.stop());

  /** An experiment on the tea pages, with a goal of each type. */
  async function teaExperiment({ make }: LiveProject, fields: object = {}): Promise<Made> {
    const tea = await make.page({ name: 'Tea', conditions: [{ match: 'contains', value: '/tea' }] });
    const checkout = await make.page({
      name: 'Checkout',
      conditions: [{ match: 'contains', value: '/checkout' }],
    });
    const goals = [
      await make.goal({ name: 'Cart', type: 'click', selector: '#cart' }),
      await make.goal({ name: 'Checkout', type: 'pageview', page_id: checkout.id }),
      await make.goal({ name: 'Order', value_type: 'revenue' }),
    ];
    return make.experiment({
      pages: [tea.id],
      goals: goals.map(({ id }) => id),
      variations: [{ name: 'Original' }, { name: 'Variation' }],
      ...fields,
    });
  }

  /** Asserts that the variation is visible from the first frame on, and only on the pages of the experiment. */
  async function looksAround({ page }: Visitor, expected: readonly [string, string]): Promise<void> {
    await shows(page, expected);
    // A busy machine may not have rendered the first frame yet.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await page.evaluate('[...colours]')).toEqual([expected[0]]);
    await page.evaluate("history.pushState(null, '', 'coffee')");
    await shows(page, ORIGINAL_LOOK);
    await page.goBack();
    await shows(page, expected);
  }

  async function isAppliedBeforePaint({ page }: Visitor): Promise<void> {
    await until(() => page.evaluate("performance.getEntriesByName('first-paint').length > 0"));
    const [applied, painted] = await page.evaluate<number[]>(
      "['applied', 'first-paint'].map((name) => performance.getEntriesByName(name)[0].startTime)",
    );
    expect(applied).toBeLessThan(painted);
  }

  /** Performs actions that depend on the visitor's number. */
  async function acts(visitor: Visitor, project: LiveProject, number: number): Promise<[string, number[]][]> {
    const { page } = visitor;
    const done: [string, number[]][] = [];
    if (number % 2 === 0) {
      const clicks = number % 4 === 0 ? [0, 0] : [0];
      for (const _ of clicks) {
        await page.click('#cart');
      }
      done.push(['cart', clicks]);
    }
    if (number % 3 !== 0) {
      await page.goto(site.at(project, '/checkout'));
      done.push(['checkout', [0]]);
      const amounts = number % 3 === 1 ? [10.5 + number] : [20.25, number];
      for (const eventValue of amounts) {
        await visitor.push({ eventType: 'custom', eventName: 'order', eventValue });
      }
      done.push(['order', amounts]);
    }
    return done;
  }

  it('has results that match the actions in the browsers', async () => {
    const project = await site.project();
    const experiment = await teaExperiment(project, {
      reset_js: RESTORE_TEXT,
      variations: [
        { name: 'Original' },
        { name: 'Variation', css: `h1 { color: ${RED}; }`, js: CHANGE_TEXT },
      ],
    });
    await project.make.move(experiment, 'running');
    const [original, variation] = idsOf(experiment);
    const tally = new Tally(['cart', 'checkout', 'order'], [original, variation]);
    const seen = (): number[] =>
      [original, variation].map((id) => tally.figures.order[id].participants).sort((a, b) => a - b);
    for (let number = 0; number < MOST_VISITORS && (number < 8 || seen()[0] < 3); number += 1) {
      const visitor = await site.visit(project, '/tea', { before: WATCH_FRAMES });
      const own = (await visitor.variation(experiment.id)) ?? 0;
      tally.entered(own);
      await looksAround(visitor, own === variation ? VARIATION_LOOK : ORIGINAL_LOOK);
      if (own === variation) {
        await isAppliedBeforePaint(visitor);
      }
      for (const [goal, values] of await acts(visitor, project, number)) {
        tally.converted(goal, own, values);
      }
      await visitor.told();
      expect(visitor.complaints).toEqual([]);
    }
    expect(await site.figures(experiment)).toEqual(tally.figures);
  });

  it('shows edits once they are published, and a pause immediately', async () => {
    const project = await site.project();
    const colour = (name: string): string => `h1 { color: ${name}; }`;
    const experiment = await teaExperiment(project, forEveryone({ css: colour(RED) }));
    const before = await site.visit(project, '/tea');
    expect((await look(before.page))[0]).toBe(BLACK);
    await project.make.move(experiment, 'running');
    let visitor = await site.visitAgain(project, '/tea', before);
    const seen = async (): Promise<string> => {
      visitor = await site.visitAgain(project, '/tea', visitor);
      return (await look(visitor.page))[0];
    };
    expect((await look(visitor.page))[0]).toBe(RED);
    await site.client.patch(`${experiment.path}/variations/${idsOf(experiment)[1]}`, { css: colour(BLUE) });
    expect(await seen()).toBe(RED);
    expect((await site.client.patch(`${experiment.path}/publish`)).status).toBe(200);
    expect(await seen()).toBe(BLUE);
    await project.make.move(experiment, 'pause');
    expect(await seen()).toBe(BLACK);
    await project.make.move(experiment, 'running');
    expect(await seen()).toBe(BLUE);
    await visitor.told();
    expect(await site.participants(experiment)).toBe(1);
  });

  it('assigns a visitor the same variation in the browser, in /v1/decide and in the SDK', async () => {
    const project = await site.project();
    const experiment = await teaExperiment(project, {
      traffic_allocation: 60,
      variations: [{ name: 'A' }, { name: 'B' }, { name: 'C' }],
    });
    await project.make.move(experiment, 'running');
    const names = new Map((experiment.variations as Made[]).map(({ id, api_name }) => [id, api_name]));
    const sdk = new GrowthBookClient({ apiHost: site.api.config.publicUrl, clientKey: project.clientKey });
    await sdk.init();
    const visitor = await site.visit(project, '/tea');
    const given: unknown[] = [];
    for (let number = 0; number < 20; number += 1) {
      const id = `visitor-${number}`;
      await visitor.becomes(id);
      await visitor.page.reload();
      const own = await visitor.variation(experiment.id);
      const decided = await site.api
        .as(null)
        .post(`//v1/decide?client_key=${project.clientKey}`, { user: { id }, record: false });
      const feature = sdk.evalFeature(experiment.api_name as string, { attributes: { id } });
      const inBrowser = own === undefined ? null : (names.get(own) ?? 'unknown');
      expect([id, decided.body.experiments[0].variation?.api_name ?? null, feature.value]).toEqual([
        id,
        inBrowser,
        inBrowser,
      ]);
      given.push(inBrowser);
    }
    sdk.destroy();
    expect(new Set(given)).toEqual(new Set([null, 'a', 'b', 'c']));
  });
});
