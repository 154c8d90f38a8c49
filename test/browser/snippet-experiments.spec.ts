import { assign, Rule, subjectOf } from '../../src/publishing/evaluation';
import { describeInBrowser } from '../support/browser';
import {
  anywhere,
  CLIENT_KEY,
  config,
  experiment,
  ORIGINAL,
  pageAt,
  VARIATION,
  varied,
} from '../support/snippet-config';
import { BLACK, colour, heading, nextFrame, RED, useSnippetSite } from '../support/snippet-site';
import { until } from '../support/waiting';

/* Experiments in a real browser, on a page with a strict CSP. */

const LEAVE_A_MARK = "performance.mark('applied'); document.documentElement.dataset.seen = 'variation';";
/** Records the colour of the heading in each frame. */
const WATCH_FRAMES = `
  window.namesBefore = new Set([...Object.getOwnPropertyNames(window), 'namesBefore', 'colours']);
  window.colours = new Set();
  (function watch() {
    const heading = document.querySelector('h1');
    if (heading) colours.add(getComputedStyle(heading).color);
    requestAnimationFrame(watch);
  })();`;
/** Counts calls in attributes of the document. */
const count = (name: string): string =>
  `const {dataset} = document.documentElement; dataset.${name} = Number(dataset.${name} ?? 0) + 1;`;
const counted = (name: string): string => `Number(document.documentElement.dataset.${name} ?? 0)`;

describeInBrowser('experiments that the snippet runs', () => {
  const site = useSnippetSite();

  it('are applied before the first paint, and comply with the CSP', async () => {
    site.publish(
      config({
        experiments: [experiment({ variations: varied({ css: 'h1{color:red}', js: LEAVE_A_MARK }) })],
      }),
    );
    const { page, complaints } = await site.visit('/', { before: WATCH_FRAMES });
    await until(() => page.evaluate<boolean>("performance.getEntriesByName('first-paint').length > 0"));
    await nextFrame(page);
    const [applied, painted] = await page.evaluate<number[]>(
      "['applied', 'first-paint'].map((name) => performance.getEntriesByName(name)[0].startTime)",
    );
    expect(applied).toBeLessThan(painted);
    expect(await page.evaluate('[...colours]')).toEqual([RED]);
    expect(complaints).toEqual([]);
    const names = 'Object.getOwnPropertyNames(window).filter((name) => !namesBefore.has(name))';
    expect(await page.evaluate(names)).toEqual(['gosset']);
  });

  it('are applied in order, experiment before variation, each piece of code separately', async () => {
    const note = (name: string): string => `(window.steps ??= []).push('${name}' + (this === window))`;
    site.publish(
      config({
        experiments: [
          experiment({
            css: 'h1{color:blue} p{color:blue}',
            js: `${note('experiment')}; throw new Error('wrong')`,
            variations: varied({ css: 'h1{color:red} </style>', js: note('variation') }),
          }),
        ],
      }),
    );
    const { page } = await site.visit('/');
    expect(await page.evaluate('steps')).toEqual(['experimenttrue', 'variationtrue']);
    expect(await colour(page)).toBe(RED);
    expect(await page.evaluate("getComputedStyle(document.querySelector('p')).color")).toBe('rgb(0, 0, 255)');
  });

  it('report errors in their code, and continue', async () => {
    const broken = experiment({ variations: varied({ js: "document.querySelector('h1').remove()" }) });
    site.publish(
      config({
        experiments: [broken, experiment({ id: 1002, variations: varied({ css: 'h1{color:red}' }) })],
      }),
    );
    const { page, complaints } = await site.visit('/');
    const told = await site.told(page);
    expect(told.find(({ type }) => type === 'error')).toMatchObject({
      properties: {
        experiment_id: 1001,
        variation_id: VARIATION,
        build: 'b0',
        where: 'js',
        message: expect.stringMatching(/^TypeError: /),
      },
      context: { library: { name: 'gosset.js' } },
    });
    expect(told.filter(({ event }) => event === 'Experiment Viewed')).toHaveLength(2);
    expect(complaints.join()).toContain('waitForElement');
    expect(await colour(page)).toBe(RED);
  });

  it.each([
    { name: 'A/A tests', variations: varied({}), seen: VARIATION },
    { name: 'single-variation', variations: [{ id: ORIGINAL, css: 'h1{color:red}' }], seen: ORIGINAL },
  ])('can be $name', async ({ variations, seen }) => {
    const rule =
      seen === ORIGINAL
        ? {
            key: 'exp-1001',
            ranges: [[0, 0] as [number, number], [0, 1] as [number, number]],
            variations: [null, ORIGINAL],
          }
        : experiment().rule;
    site.publish(config({ experiments: [experiment({ variations, rule })] }));
    const { page, complaints } = await site.visit('/');
    const told = await site.told(page);
    expect(told.map(({ event, properties }) => [event, properties])).toEqual([
      ['Experiment Viewed', { experiment_id: 1001, variation_id: seen, phase: 1 }],
    ]);
    expect(complaints).toEqual([]);
  });

  it("match the server's decision for a visitor", async () => {
    const shares = (id: number): Rule => ({
      key: `exp-${id}`,
      ranges: [
        [0, 0.2],
        [0.4, 0.6],
        [0.7, 0.9],
      ],
      variations: [1, 2, 3],
      ...(id > 30 ? { exclusion: partOf(id) } : {}),
    });
    const partOf = (id: number): Rule['exclusion'] => ({
      attribute: 'id',
      seed: 'exclusion-group-1',
      hashVersion: 2,
      ranges: [
        [(id - 31) / 60, (id - 30) / 60],
        [(id - 1) / 60, id / 60],
      ],
    });
    const experiments = Array.from({ length: 60 }, (_, index) =>
      experiment({ id: index + 1, rule: shares(index + 1), variations: [{ id: 1 }, { id: 2 }, { id: 3 }] }),
    );
    site.publish(config({ experiments }));
    const { page } = await site.visit('/');
    const { id, assignments } = JSON.parse(
      await page.evaluate<string>(`localStorage.getItem('gosset.${CLIENT_KEY}')`),
    ) as { id: string; assignments: object };
    const expected = experiments.flatMap(({ rule }) => {
      const { variation } = assign(rule as Rule, subjectOf(id, {}));
      return variation === null ? [] : [[rule.key, String(variation)]];
    });
    expect(expected.length).toBeGreaterThan(0);
    expect(assignments).toEqual(Object.fromEntries(expected));
  });

  describe('in an environment', () => {
    it.each([
      { code: 'return true;', runs: true },
      { code: "return location.hostname === 'localhost';", runs: true },
      { code: 'return false;', runs: false },
      { code: "throw new Error('broken')", runs: false },
    ])('with the code $code, run: $runs', async ({ code, runs }) => {
      const environments = { never: 'return 0;', staging: code };
      const chosen = experiment({ environments: ['never', 'staging', 'gone'] });
      site.publish(config({ environments, experiments: [chosen, experiment({ ...chosen, id: 1002 })] }));
      const { page } = await site.visit('/');
      expect(await colour(page)).toBe(runs ? RED : BLACK);
      const errors = (await site.told(page)).filter(({ type }) => type === 'error');
      expect(errors.map(({ properties }) => properties.environment)).toEqual(
        code.startsWith('throw') ? ['staging'] : [],
      );
    });

    it('do not run if they have no environment', async () => {
      site.publish(config({ experiments: [experiment({ environments: [] })] }));
      const { page } = await site.visit('/');
      expect(await colour(page)).toBe(BLACK);
      expect(await site.told(page)).toEqual([]);
    });
  });

  describe('in a single-page application', () => {
    const changes = {
      css: 'h1{color:red}',
      js: count('applied'),
      resetJs: count('reset'),
      variations: varied({}),
    };

    it('are reverted when the visitor leaves their pages, and applied again when the visitor returns', async () => {
      site.publish(config({ experiments: [experiment({ ...changes, pages: [pageAt('/shop')] })] }));
      const { page } = await site.visit('/shop');
      const state = async (): Promise<unknown[]> => {
        await nextFrame(page);
        return [await colour(page), await page.evaluate(`[${counted('applied')}, ${counted('reset')}]`)];
      };
      expect(await state()).toEqual([RED, [1, 0]]);
      await page.evaluate("history.pushState({}, '', '/shop?colour=red')");
      expect(await state()).toEqual([RED, [1, 0]]);
      await page.evaluate("history.pushState({}, '', '/basket')");
      expect(await state()).toEqual([BLACK, [1, 1]]);
      await page.goBack();
      expect(await state()).toEqual([RED, [2, 1]]);
      await page.evaluate("history.replaceState({}, '', '/basket')");
      expect(await state()).toEqual([BLACK, [2, 2]]);
      expect((await site.told(page)).length).toBe(1);
    });

    it('follow route changes made with the Navigation API', async () => {
      site.publish(config({ experiments: [experiment({ pages: [pageAt('/next', 'url_change')] })] }));
      const { page } = await site.visit('/shop');
      await page.evaluate("navigation.addEventListener('navigate', (event) => event.intercept())");
      await page.click('#next');
      await until(async () => (await colour(page)) === RED);
      await page.evaluate("void navigation.navigate('/shop')");
      await until(async () => (await colour(page)) === BLACK);
    });

    it('are not applied again when the visitor follows a link to an anchor', async () => {
      const js = "gosset.getTools().waitForElement('h1').then((heading) => heading.append('!'));";
      const pages = [pageAt('/shop', 'url_change')];
      site.publish(config({ experiments: [experiment({ pages, variations: varied({ js }) })] }));
      const { page } = await site.visit('/shop');
      await page.evaluate("location.hash = '#text'");
      await nextFrame(page);
      await page.evaluate("history.pushState({}, '', '/shop#reviews')");
      await nextFrame(page);
      expect(await page.textContent('h1')).toBe('Original!');
      await page.evaluate("history.pushState({}, '', '/shop#/reviews')");
      await nextFrame(page);
      expect(await page.textContent('h1')).toBe('Original!!');
    });

    it('are reverted if their own code navigates to another page', async () => {
      const js = "history.replaceState({}, '', '/basket')";
      site.publish(config({ experiments: [experiment({ ...changes, js, pages: [pageAt('/shop')] })] }));
      const { page } = await site.visit('/shop');
      await nextFrame(page);
      expect([await colour(page), await page.evaluate(counted('reset'))]).toEqual([BLACK, 1]);
    });

    it.each(["history.pushState({}, '', '/')", 'gosset.reInit()'])('are reverted once by %s', async (js) => {
      const resetJs = `${count('reset')} if (dataset.reset < 9) ${js};`;
      site.publish(config({ experiments: [experiment({ ...changes, resetJs, pages: [pageAt('/shop')] })] }));
      const { page } = await site.visit('/shop');
      await page.evaluate("history.pushState({}, '', '/basket')");
      await nextFrame(page);
      expect([await colour(page), await page.evaluate(counted('reset'))]).toEqual([BLACK, 1]);
    });

    it('are applied again after the page is re-rendered', async () => {
      site.publish(
        config({ experiments: [experiment({ ...changes, pages: [pageAt('/shop', 'url_change')] })] }),
      );
      const { page } = await site.visit('/start');
      expect(await colour(page)).toBe(BLACK);
      await page.evaluate("history.pushState({}, '', '/shop')");
      await nextFrame(page);
      expect(await colour(page)).toBe(RED);
      await page.evaluate("location.hash = '/reviews'");
      await until(async () => (await page.evaluate(counted('applied'))) === 2);
      await page.evaluate("history.replaceState({ scrolled: 100 }, '')");
      await nextFrame(page);
      expect(await page.evaluate(`[${counted('applied')}, ${counted('reset')}]`)).toEqual([2, 1]);
      expect(await colour(page)).toBe(RED);
    });
  });

  describe('activated', () => {
    it('immediately check only the URL of the page load', async () => {
      site.publish(config({ experiments: [experiment({ pages: [pageAt('/shop')] })] }));
      const { page } = await site.visit('/start');
      await page.evaluate("history.pushState({}, '', '/shop')");
      await nextFrame(page);
      expect(await colour(page)).toBe(BLACK);
      await page.evaluate('gosset.reInit()');
      expect(await colour(page)).toBe(RED);
    });

    it.each(['1001', "'experiment_1001'"])('manually wait for activate(%s)', async (name) => {
      site.publish(config({ experiments: [experiment({ pages: [pageAt('/shop', 'manual')] })] }));
      const { page, complaints } = await site.visit('/shop');
      expect(await colour(page)).toBe(BLACK);
      await page.evaluate(`gosset.activate(${name})`);
      expect(await colour(page)).toBe(RED);
      await page.evaluate("gosset.activate('unknown')");
      expect(complaints.join()).toContain('unknown');
    });

    it('by document changes wait until all conditions are met', async () => {
      const waiting = experiment({
        pages: [anywhere('dom_change')],
        environments: ['late'],
        js: `${count('applied')} document.querySelector('h1').textContent = 'Changed';`,
      });
      const environments = {
        late: "return document.querySelector('.late') !== null;",
        never: `${count('looks')} return false;`,
      };
      const other = experiment({ id: 1002, environments: ['never'] });
      site.publish(config({ environments, experiments: [waiting, other] }));
      const { page, complaints } = await site.visit('/');
      const change = async (code: string): Promise<unknown[]> => {
        await page.evaluate(`document.querySelector('p').${code}`);
        await nextFrame(page);
        // The changes made by the experiment do not trigger another check.
        await nextFrame(page);
        return [await colour(page), await page.evaluate(counted('looks'))];
      };
      await until(() => page.evaluate("document.readyState === 'complete'"));
      await nextFrame(page);
      const looks = await page.evaluate<number>(counted('looks'));
      expect(await change("textContent = 'Other'")).toEqual([BLACK, looks + 1]);
      expect(await change("className = 'late'")).toEqual([RED, looks + 2]);
      expect(await heading(page)).toBe('Changed');
      // The MutationObserver has been disconnected.
      expect(await change("textContent = 'Last'")).toEqual([RED, looks + 2]);
      expect(await page.evaluate(counted('applied'))).toBe(1);
      expect(complaints).toEqual([]);
    });
  });
});
