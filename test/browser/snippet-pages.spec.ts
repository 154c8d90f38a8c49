import { describeInBrowser } from '../support/browser';
import {
  CLIENT_KEY,
  config,
  experiment,
  ORIGINAL,
  pageAt,
  VARIATION,
  varied,
} from '../support/snippet-config';
import { BLACK, colour, loadScript, RED, useSnippetSite } from '../support/snippet-site';

/* The snippet's API for pages. */

const BLUE = 'rgb(0, 0, 255)';
const TWO = [
  { id: ORIGINAL, css: 'h1{color:blue}' },
  { id: VARIATION, css: 'h1{color:red}' },
];
const force = (variationId: number | string, experimentId: number | string = 1001): object => ({
  eventType: 'forceVariation',
  experimentId,
  variationId,
});
const push = (...commands: unknown[]): string => `gosset.push(...${JSON.stringify(commands)})`;
const before = (...commands: unknown[]): string => `window.gosset = ${JSON.stringify(commands)};`;
describeInBrowser('pages with the snippet', () => {
  const site = useSnippetSite();

  describe('can call it', () => {
    it('before it is loaded', async () => {
      const vip = { ...experiment().rule, condition: { plan: 'vip' } };
      site.publish(config({ experiments: [experiment({ rule: vip })] }));
      const { page, complaints } = await site.visit('/', {
        before: before(
          { eventType: 'custom', eventName: 'early', eventValue: 3 },
          { eventType: 'setAttributes', attributes: { plan: 'vip' } },
        ),
      });
      expect(await colour(page)).toBe(RED);
      const told = await site.told(page);
      // A conversion counts only for variations that were shown earlier.
      expect(told.map(({ event, properties }) => [event, properties.value])).toEqual([
        ['Experiment Viewed', undefined],
        ['early', 3],
      ]);
      expect(complaints).toEqual([]);
    });

    it('with invalid arguments, which cause warnings and no errors', async () => {
      const nonsense = [
        null,
        'custom',
        [],
        {},
        { eventType: 'unknown' },
        { eventType: 'constructor' },
        { eventType: 'custom' },
        { eventType: 'custom', eventName: '' },
        { eventType: 'custom', eventName: 'bought', eventValue: {} },
        { eventType: 'custom', eventName: 'x'.repeat(256) },
        { eventType: 'setAttributes', attributes: 'plan' },
        { eventType: 'forceVariation', experimentId: 1001 },
        force(1),
        force(VARIATION, 2),
      ];
      site.publish(config());
      const { page, complaints } = await site.visit('/', { before: before(...nonsense) });
      expect(await colour(page)).toBe(RED);
      expect(complaints.filter((text) => text.startsWith('gosset:')).length).toBeGreaterThanOrEqual(
        nonsense.length,
      );
      const early = complaints.length;
      await page.evaluate(`${push(...nonsense)}; gosset.activate(); gosset.activate({ toString: null });`);
      expect(complaints.length).toBeGreaterThanOrEqual(early + nonsense.length);
      expect(complaints.filter((text) => text.startsWith('uncaught'))).toEqual([]);
      expect(await site.told(page)).toHaveLength(1);
    });

    it('through detached functions', async () => {
      site.publish(config({ experiments: [] }));
      const { page } = await site.visit('/');
      await page.evaluate(
        "const { push, reInit } = gosset; push({ eventType: 'custom', eventName: 'bought' }); reInit();",
      );
      expect(await site.told(page)).toHaveLength(1);
    });
  });

  it('can push to a saved reference to the queue', async () => {
    site.publish(config({ experiments: [] }));
    const { page, complaints } = await site.visit('/', { before: 'window.saved = window.gosset = [];' });
    await page.evaluate("saved.push({ eventType: 'custom', eventName: 'bought' })");
    expect((await site.told(page)).map(({ event }) => event)).toEqual(['bought']);
    expect(complaints).toEqual([]);
  });

  it('can load it twice', async () => {
    const js = '(window.runs ??= []).push(1);';
    const viewedPages = [{ wanted: [], unwanted: [] }];
    const clickGoals = [{ apiName: 'buy', selector: '#buy' }];
    site.publish(
      config({ clickGoals, viewedPages, experiments: [experiment({ variations: varied({ js }) })] }),
      { tags: 2 },
    );
    const { page } = await site.visit('/');
    await page.click('#buy');
    const told = await site.told(page);
    expect(told.map(({ type, event }) => event ?? type)).toEqual(['Experiment Viewed', 'page', 'buy']);
    expect(await page.evaluate('runs.length')).toBe(1);
  });

  it('reports that another project runs on the page', async () => {
    site.publish(config());
    const { page, complaints } = await site.visit('/');
    await loadScript(page);
    expect(complaints).toEqual([]);
    site.publish(config({ clientKey: 'pk_other' }));
    await page.reload();
    site.publish(config());
    await loadScript(page);
    expect(complaints).toEqual([`gosset: only one project runs on a page: pk_other, not ${CLIENT_KEY}.`]);
  });

  describe('can force a variation', () => {
    it.each([ORIGINAL, String(ORIGINAL)])('before the script is loaded: %j', async (variation) => {
      const unreachable = { ...experiment().rule, condition: { plan: 'none' } };
      site.publish(config({ experiments: [experiment({ variations: TWO, rule: unreachable })] }));
      const { page } = await site.visit('/', { before: before(force(variation)) });
      expect(await colour(page)).toBe(BLUE);
      expect(await site.told(page)).toEqual([]);
      await page.reload();
      expect(await page.evaluate('Object.values(localStorage).join()')).not.toContain(`"${ORIGINAL}"`);
    });

    it('later, in place of another variation', async () => {
      site.publish(
        config({ experiments: [experiment({ variations: TWO, resetJs: 'window.wasReset = true' })] }),
      );
      const { page } = await site.visit('/');
      expect(await colour(page)).toBe(RED);
      await page.evaluate(push(force(ORIGINAL)));
      expect([await colour(page), await page.evaluate('wasReset')]).toEqual([BLUE, true]);
      await page.evaluate('localStorage.clear(); gosset.reInit()');
      expect(await colour(page)).toBe(BLUE);
    });

    it('only if the experiment is running', async () => {
      const elsewhere = experiment({ variations: TWO, pages: [pageAt('/elsewhere')] });
      const nowhere = experiment({ id: 1002, variations: TWO, environments: ['none'] });
      site.publish(
        config({
          environments: { production: 'return true', none: 'return false' },
          experiments: [elsewhere, nowhere],
        }),
      );
      const { page } = await site.visit('/', { before: before(force(VARIATION), force(VARIATION, 1002)) });
      expect(await colour(page)).toBe(BLACK);
    });
  });
});
