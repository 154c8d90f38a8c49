import { type Browser, type Page } from 'playwright-core';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { Table } from '../../src/presentation/components/table';
import { STYLESHEET } from '../../src/presentation/stylesheet';
import { describeInBrowser, launchBrowser } from '../support/browser';

/* Tables that are laid out as cards on phones. */

describeInBrowser('a table on a phone', () => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await launchBrowser();
    page = await browser.newPage({ viewport: { width: 375, height: 740 } });
    const columns = [
      { key: 'day', title: 'Day since entry', isNumeric: true, isTitled: true },
      { key: 'email', title: 'E-mail address', isWide: true },
      { key: 'change', title: 'Change', isNumeric: true },
    ];
    const rows = [{ key: 1, cells: ['7', 'publisher@shop.example.com', '+6 %'] }];
    const table = h(Table, { caption: 'Figures', columns, rows, form: 'cards' });
    const body = `<main class="page"><section class="card">${renderToString(table)}</section></main>`;
    await page.setContent(`<style>${STYLESHEET}</style>${body}`);
  });
  afterAll(() => browser.close());

  const textStart = (selector: string): Promise<number> =>
    page.evaluate(
      `(() => { const range = document.createRange(); range.selectNodeContents(document.querySelector('${selector}')); return Math.round(range.getBoundingClientRect().left); })()`,
    );

  it('aligns all cells at the same edge, including a number in the first cell', async () => {
    expect(await textStart('tbody th')).toBe(await textStart('tbody td'));
  });

  it('shows the title above a number in the first cell', async () => {
    const title = "getComputedStyle(document.querySelector('tbody th'), '::before').content";
    expect(await page.evaluate(title)).toBe('"Day since entry"');
  });

  it('does not break a long word in a wide cell', async () => {
    const lines =
      "(() => { const range = document.createRange(); range.selectNodeContents(document.querySelector('tbody td')); return range.getClientRects().length; })()";
    expect(await page.evaluate(lines)).toBe(1);
  });
});
