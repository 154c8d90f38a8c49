import { describeInBrowser } from '../support/browser';
import { config, experiment, ORIGINAL, pageAt, VARIATION } from '../support/snippet-config';
import { BLACK, colour, nextFrame, RED, useSnippetSite } from '../support/snippet-site';
import { until } from '../support/waiting';

/* Pages opened with a preview link. */

const TWO = [
  { id: ORIGINAL, css: 'h1{color:blue}' },
  { id: VARIATION, css: 'h1{color:red}' },
];
const push = (...commands: unknown[]): string => `gosset.push(...${JSON.stringify(commands)})`;
const before = (...commands: unknown[]): string => `window.gosset = ${JSON.stringify(commands)};`;

describeInBrowser('pages with a snippet preview', () => {
  const site = useSnippetSite();
  const hidden = experiment({
    variations: [TWO[0], { id: VARIATION, css: 'h1{color:red}', js: 'this.steps = (this.steps ?? 0) + 1;' }],
    environments: [],
    pages: [pageAt('/elsewhere', 'url_change')],
  });

  beforeEach(() => {
    const viewedPages = [{ wanted: [], unwanted: [] }];
    site.publish(
      config({
        viewedPages,
        experiments: [experiment({ id: 1002, css: 'p{color:blue}', variations: TWO })],
      }),
    );
    site.publishPreview(config({ viewedPages, experiments: [hidden], preview: { variation: VARIATION } }));
  });

  it.each(['', 'globalPrivacyControl'])(
    'show only the previewed variation, and send and store nothing, with the navigator property "%s"',
    async (refusal) => {
      const { page, complaints } = await site.visit(`/?gosset_preview=${VARIATION}.c2lnbmF0dXJl_-`, {
        before: `${before({ eventType: 'custom', eventName: 'early' })} Object.defineProperty(navigator, '${refusal}', { value: true });`,
      });
      await until(async () => (await colour(page)) === RED);
      expect(site.previews).toEqual([expect.stringMatching(`/preview/${VARIATION}\\.c2lnbmF0dXJl_-\\.js$`)]);
      expect(await page.evaluate("getComputedStyle(document.querySelector('p')).color")).toBe(BLACK);
      await page.evaluate(
        `${push({ eventType: 'custom', eventName: 'bought' })}; gosset.activate(1001); gosset.reInit();`,
      );
      await page.evaluate("history.pushState({}, '', '/other'); dispatchEvent(new Event('pagehide'))");
      await nextFrame(page);
      expect([await colour(page), await page.evaluate('steps')]).toEqual([BLACK, 2]);
      expect(await page.evaluate('[Object.keys(localStorage), document.cookie]')).toEqual([[], '']);
      expect([site.deliveries, complaints]).toEqual([[], []]);
    },
  );

  it.each(['immediate', 'url_change'] as const)(
    'revert the variation where a single-page application leaves the pages of the experiment, activated by %s',
    async (activation) => {
      const pages = [pageAt('/shop', activation)];
      const resetJs = 'this.resets = (this.resets ?? 0) + 1;';
      const shop = experiment({ resetJs, variations: TWO, pages });
      site.publishPreview(config({ experiments: [shop], preview: { variation: VARIATION } }));
      const { page, complaints } = await site.visit(`/shop?gosset_preview=${VARIATION}.signature`);
      await until(async () => (await colour(page)) === RED);
      await page.evaluate("history.pushState({}, '', '/about'); undefined");
      await nextFrame(page);
      expect([await colour(page), await page.evaluate('resets')]).toEqual([BLACK, 1]);
      await page.goBack();
      await until(async () => (await colour(page)) === RED);
      expect(complaints).toEqual([]);
    },
  );

  it('show the variation on the opened page and on those of the experiment in a single-page application', async () => {
    const { page } = await site.visit(`/a.b?q=(1)&gosset_preview=${VARIATION}.signature`);
    const coloursAt = async (...urls: string[]): Promise<string[]> => {
      const colours = [];
      for (const url of urls) {
        await page.evaluate(`history.pushState({}, '', ${JSON.stringify(url)})`);
        await nextFrame(page);
        colours.push(await colour(page));
      }
      return colours;
    };
    await until(async () => (await colour(page)) === RED);
    expect(await coloursAt('#reviews', '#/route', '/elsewhere', '/about')).toEqual([RED, BLACK, RED, BLACK]);
    await page.evaluate('history.go(-4)');
    await until(async () => (await colour(page)) === RED);
  });

  it('can call the snippet before the preview is loaded', async () => {
    const { page, complaints } = await site.visit(`/?gosset_preview=${VARIATION}.signature`, {
      before: `document.addEventListener('readystatechange', () => {
          gosset.push({ eventType: 'enableTrackingConsent' }); gosset.reInit(); gosset.activate(1); gosset.getTools();
        });`,
    });
    await until(async () => (await colour(page)) === RED);
    expect(complaints).toEqual([]);
  });

  it('show the original if the preview does not exist', async () => {
    site.publishPreview(null);
    const { page, complaints } = await site.visit('/?gosset_preview=1.x');
    await until(() => complaints.join().includes('gosset: the preview could not be loaded'));
    expect(await colour(page)).toBe(BLACK);
  });

  it.each(['x', '1', '1.a/../../b', '../1.a', '1.a%2Fb', '1.a b'])(
    'behave like ordinary pages if the link is malformed: %s',
    async (token) => {
      const { page } = await site.visit(`/?gosset_preview=${token}`);
      expect([await colour(page), site.previews]).toEqual([RED, []]);
    },
  );

  it.each(['', 'no-referrer'])(
    'follow the redirect of a variation once, with the referrer policy "%s"',
    async (policy) => {
      const js = `sessionStorage.loads = Number(sessionStorage.loads ?? 0) + 1;
        const meta = document.createElement('meta');
        Object.assign(meta, { name: 'referrer', content: '${policy}' });
        document.head.append(meta);
        if (sessionStorage.loads < 5) location.replace('/landing' + location.search);`;
      const redirect = experiment({ variations: [TWO[0], { id: VARIATION, js }], pages: [pageAt('/red')] });
      site.publishPreview(config({ experiments: [redirect], preview: { variation: VARIATION } }));
      const link = `/red?gosset_preview=${VARIATION}.signature`;
      const { page } = await site.visit(link);
      await page.waitForURL('**/landing?**');
      await until(() => site.previews.length === 2);
      await page.waitForLoadState('networkidle');
      expect([await page.evaluate('sessionStorage.loads'), site.previews.length]).toEqual(['1', 2]);
      await page.goto(site.at(link));
      await page.waitForURL('**/landing?**');
      await page.waitForLoadState('networkidle');
      expect([await page.evaluate('sessionStorage.loads'), site.deliveries]).toEqual(['2', []]);
    },
  );

  it.each([
    ['with one more parameter each time', '/red', "'/red?layout=b&' + location.search.slice(1)"],
    ['with one more parameter', '/red', "location.href.replace(/(&layout=b)?$/, '&layout=b')"],
    ['to the same URL', '/elsewhere', 'location.href'],
  ])('follow a redirect to the same path once, %s', async (_, path, target) => {
    const js = `sessionStorage.runs = Number(sessionStorage.runs ?? 0) + 1;
      if (sessionStorage.runs < 5) location.replace(${target});`;
    const pages = [{ activation: 'immediate' as const, wanted: [`${path}$`], unwanted: [] }];
    const redirect = experiment({ variations: [TWO[0], { id: VARIATION, js }], pages });
    site.publishPreview(config({ experiments: [redirect], preview: { variation: VARIATION } }));
    // As with the referrer policy `no-referrer`.
    const before = "Object.defineProperty(Document.prototype, 'referrer', { value: '' });";
    const { page } = await site.visit(`/red?gosset_preview=${VARIATION}.signature`, { before });
    await until(() => site.previews.length >= 2);
    await page.waitForLoadState('networkidle');
    expect([await page.evaluate('sessionStorage.runs'), site.previews.length]).toEqual(['1', 2]);
  });

  it('show the variation again when the first page is reloaded', async () => {
    const { page } = await site.visit(`/?gosset_preview=${VARIATION}.signature`);
    await until(async () => (await colour(page)) === RED);
    await page.reload();
    await until(async () => (await colour(page)) === RED);
  });

  it('show the variation again when the link is opened again in the same tab', async () => {
    const link = `/?gosset_preview=${VARIATION}.signature`;
    const { page } = await site.visit(link);
    await until(async () => (await colour(page)) === RED);
    await page.goto(site.at('/'));
    await page.addInitScript('const { now } = Date; Date.now = () => now() + 60_000;');
    await page.goto(site.at(link));
    await until(async () => (await colour(page)) === RED);
  });

  it('run code in sloppy mode, as pages without a preview do', async () => {
    const js = "with (document.documentElement) { dataset.sloppy = implicit = 'yes'; }";
    const sloppy = experiment({ variations: [TWO[0], { id: VARIATION, js }] });
    site.publishPreview(config({ experiments: [sloppy], preview: { variation: VARIATION } }));
    const { page, complaints } = await site.visit(`/?gosset_preview=${VARIATION}.signature`);
    await until(async () => (await page.evaluate('document.documentElement.dataset.sloppy')) === 'yes');
    expect(complaints).toEqual([]);
  });
});
