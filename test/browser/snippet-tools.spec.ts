import { describeInBrowser } from '../support/browser';
import { config, experiment, pageAt, varied } from '../support/snippet-config';
import { colour, nextFrame, RED, useSnippetSite } from '../support/snippet-site';
import { until } from '../support/waiting';

/* Functions that the snippet offers to pages: anti-flicker, and tools for code that changes pages. */

/** Records the opacity of the page in each frame. */
const WATCH_OPACITY = `
  window.opacities = [];
  (function watch() {
    opacities.push(getComputedStyle(document.documentElement).opacity);
    requestAnimationFrame(watch);
  })();`;
const opacity = 'getComputedStyle(document.documentElement).opacity';

describeInBrowser('the snippet tools', () => {
  const site = useSnippetSite();

  describe('hide a page until it has been changed', () => {
    const slow = 'const end = performance.now() + 50; while (performance.now() < end);';

    it.each(['data-anti-flicker', 'data-anti-flicker="500"'])('with %s', async (tag) => {
      const js = `this.opacityThen = ${opacity}; ${slow}`;
      site.publish(config({ experiments: [experiment({ js })] }), { tag });
      const { page } = await site.visit('/', { before: WATCH_OPACITY });
      await until(() => page.evaluate(`${opacity} === '1'`));
      expect(await page.evaluate('opacityThen')).toBe('0');
      expect(await colour(page)).toBe(RED);
    });

    it('only on request', async () => {
      site.publish(config({ experiments: [experiment({ js: `this.opacityThen = ${opacity}` })] }));
      const { page } = await site.visit('/', { before: WATCH_OPACITY });
      expect(await page.evaluate('opacityThen')).toBe('1');
      expect(await page.evaluate("opacities.includes('0')")).toBe(false);
    });

    it('but always show it eventually', async () => {
      const broken =
        "Object.defineProperty(Document.prototype, 'referrer', { get() { throw new Error('broken'); } });";
      const rule = { ...experiment().rule, condition: { referrer: 'x' } };
      site.publish(config({ experiments: [experiment({ rule })] }), { tag: 'data-anti-flicker' });
      const { page, complaints } = await site.visit('/', { before: broken });
      expect(await page.evaluate(opacity)).toBe('1');
      expect(complaints.join()).toContain('gosset:');
    });

    it('for a limited time, even if the document never finishes loading', async () => {
      site.publish(config(), { tag: 'data-anti-flicker="1"' });
      // The document never finishes loading.
      const { page } = await site.visit('/', {
        before:
          "Object.defineProperty(document, 'readyState', { value: 'loading' }); addEventListener('DOMContentLoaded', (event) => event.stopImmediatePropagation(), true);",
      });
      await until(() => page.evaluate(`${opacity} === '1'`));
    });
  });

  describe('in variation code', () => {
    const use = (code: string): string =>
      `{ const { waitForElement, elementIsInView, domChanged } = gosset.getTools(); ${code} }`;

    beforeEach(() => site.publish(config()));

    it('wait for an element', async () => {
      const js =
        "gosset.getTools().waitForElement('h1').then((heading) => { heading.textContent = 'Changed'; });";
      site.publish(config({ experiments: [experiment({ js })] }));
      const { page } = await site.visit('/');
      await until(async () => (await page.textContent('h1')) === 'Changed');
      await page.evaluate(use("void waitForElement('.late').then(() => { window.found = true; });"));
      expect(await page.evaluate('window.found')).toBeUndefined();
      await page.evaluate("document.querySelector('p').className = 'late'");
      expect(await page.evaluate('window.found')).toBe(true);
      expect(
        await page.evaluate(`(() => ${use("return waitForElement('.never', 10).catch(String);")})()`),
      ).toContain('.never');
      expect(
        await page.evaluate(`(() => ${use("return waitForElement('..').catch(() => 'refused');")})()`),
      ).toBe('refused');
    });

    it.each([
      ['the visitor leaves the pages of the experiment', "history.pushState({}, '', '/other')"],
      ['the visitor withdraws consent', "gosset.push({ eventType: 'disableTrackingConsent' })"],
    ])('stop waiting when %s', async (_, leave) => {
      const js = `const { waitForElement, elementIsInView, domChanged } = gosset.getTools();
        window.calls = [];
        waitForElement('h1').then(async () => {
          await waitForElement('.late');
          calls.push('wait');
        });
        waitForElement('.late', 50).then(() => calls.push('short wait'), () => calls.push('timeout'));
        elementIsInView('.late', () => calls.push('view'));
        domChanged(() => calls.push('change'));
        window.laterTools = { waitForElement, elementIsInView, domChanged };`;
      const pages = [pageAt('/shop')];
      site.publish(config({ experiments: [experiment({ pages, variations: varied({ js }) })] }));
      const { page, complaints } = await site.visit('/shop');
      await page.evaluate(`window.stillThere = new Promise((resolve) => {
        const { waitForElement, elementIsInView } = gosset.getTools();
        waitForElement('.late').then(() => elementIsInView('.late', resolve));
      }); undefined`);
      await page.evaluate(`calls.length = 0; ${leave}; document.querySelector('h1').className = 'late';`);
      await page.evaluate(`stillThere.then(() => {
        const { waitForElement, elementIsInView, domChanged } = laterTools;
        waitForElement('.late').then(() => calls.push('new wait'));
        elementIsInView('.late', () => calls.push('new view'));
        domChanged(() => calls.push('new change'));
        document.querySelector('h1').id = 'changed';
      })`);
      await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))');
      await nextFrame(page);
      expect([await page.evaluate('calls'), complaints]).toEqual([[], []]);
    });

    it('wait again when the variation is applied again', async () => {
      const js = "gosset.getTools().waitForElement('.late').then((element) => { element.append('!'); });";
      const pages = [pageAt('/shop', 'url_change')];
      site.publish(config({ experiments: [experiment({ pages, variations: varied({ js }) })] }));
      const { page } = await site.visit('/shop');
      await page.evaluate("history.pushState({}, '', '/other'); history.pushState({}, '', '/shop');");
      await nextFrame(page);
      await page.evaluate("document.querySelector('h1').className = 'late'");
      await until(async () => (await page.textContent('h1')) === 'Original!');
    });

    it('detect visible elements', async () => {
      const { page } = await site.visit('/');
      const inView = (target: string): Promise<boolean> =>
        page.evaluate(`(() => ${use(`return elementIsInView(${target});`)})()`);
      expect(await inView("'h1'")).toBe(true);
      expect(await inView("document.querySelector('h1')")).toBe(true);
      expect(await inView("'.missing'")).toBe(false);
      await page.evaluate(`
        const far = document.createElement('p');
        far.className = 'far';
        far.textContent = 'Far';
        document.body.style.paddingBottom = '5000px';
        far.style.cssText = 'position:absolute; top:4000px';
        document.body.append(far);
        ${use("elementIsInView('.far', (element) => { (window.seen ??= []).push(element.className); });")}`);
      expect([await inView("'.far'"), await page.evaluate('window.seen')]).toEqual([false, undefined]);
      await page.evaluate("document.querySelector('.far').scrollIntoView()");
      await until(() => page.evaluate('window.seen !== undefined'));
      expect([await inView("'.far'"), await page.evaluate('seen')]).toEqual([true, ['far']]);
    });

    it('observe changes to the document', async () => {
      const { page } = await site.visit('/');
      await page.evaluate(
        use('window.stop = domChanged(() => { window.changes = (window.changes ?? 0) + 1; });'),
      );
      await page.evaluate(
        "document.querySelector('h1').textContent = 'A'; document.querySelector('h1').id = 'b';",
      );
      expect(await page.evaluate('changes')).toBe(1);
      await page.evaluate("stop(); document.querySelector('h1').id = 'c';");
      expect(await page.evaluate('changes')).toBe(1);
    });
  });
});
