import { existsSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { Browser, BrowserContext, BrowserContextOptions, chromium, Page } from 'playwright-core';
import type { TestApi } from './api';
import { engine } from './engine';

const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** A Chromium executable with a back/forward cache, which Chromium's headless shell does not have. */
export const EXECUTABLE_WITH_HISTORY = process.env.CHROMIUM_WITH_HISTORY ?? EXECUTABLE;
/** The user agent of an ordinary browser, because the server treats headless browsers as bots. */
export const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36';

const AXE = require.resolve('axe-core/axe.min.js');

export const SIZES = { phone: { width: 360, height: 740 }, desktop: { width: 1280, height: 900 } } as const;
const SCHEMES = ['light', 'dark'] as const;
const ALL_LOOKS = Object.values(SIZES).flatMap((size) => SCHEMES.map((scheme) => ({ size, scheme })));

/**
 * Combinations of window size and colour scheme. Runs on MySQL check only the first one, because the database does not
 * affect the layout.
 */
export const LOOKS = engine === 'sqlite' ? ALL_LOOKS : ALL_LOOKS.slice(0, 1);

/** `describe` if a browser is installed. Otherwise the block is skipped, or fails in CI. */
export function describeInBrowser(name: string, tests: () => void): void {
  const isThere = existsSync(EXECUTABLE) || process.env.CI !== undefined;
  (isThere ? describe : describe.skip)(
    isThere ? name : `${name} (skipped: no browser at ${EXECUTABLE}, set CHROMIUM)`,
    tests,
  );
}

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE, args: ['--no-sandbox'] });
}

/** Makes the application listen. @returns its URL */
export async function listen({ app }: TestApi): Promise<string> {
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

/** An opened page, with everything that the browser reported. */
export interface Visit {
  context: BrowserContext;
  page: Page;
  /** Console messages other than informational ones, failed requests, and uncaught errors. */
  complaints: string[];
  /** URLs that the page requested. */
  requests: string[];
}

/** Opens a page in a separate browser context. */
export async function open(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const visit: Visit = { context, page, complaints: [], requests: [] };
  page.on('console', (message) => {
    // Chromium's informational messages depend on timing. For example, one reports typing before a field has the focus.
    if (message.type() !== 'info') {
      visit.complaints.push(message.text());
    }
  });
  page.on('pageerror', (error) => visit.complaints.push(String(error)));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    // Navigation aborts pending requests of the previous page, such as the request for its favicon.
    if (reason !== 'net::ERR_ABORTED') {
      visit.complaints.push(`failed: ${request.url()} (${reason})`);
    }
  });
  page.on('request', (request) => visit.requests.push(request.url()));
  await page.goto(address);
  return visit;
}

interface AxeResults {
  violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[];
}

/**
 * The violations that axe-core finds on the page. The page must bypass its CSP so that the axe-core script can run.
 * @param rules the only rules to check, if all others have already been checked
 */
export async function accessibilityProblems(page: Page, rules?: readonly string[]): Promise<string[]> {
  // The results exclude passed checks, because reporting them takes as long as the checks themselves.
  const options = JSON.stringify({ runOnly: rules, resultTypes: ['violations'] });
  await page.evaluate(readFileSync(AXE, 'utf8'));
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(${options}).then(({ violations }) => ({ violations }))`,
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html}\n${failureSummary ?? ''}`),
  );
}

const OVERFLOW = 'document.documentElement.scrollWidth - window.innerWidth';

/** How much wider the page is than the window, in pixels. */
export const overflow = (page: Page): Promise<number> => page.evaluate(OVERFLOW);

/** Window widths in pixels, from a very narrow phone to a wide window, including common tablet widths. */
const WIDTHS = [...Array.from({ length: 28 }, (_, index) => 320 + 40 * index), 744, 768, 834];

/** The widths at which the page overflows the window or an element overflows its card, with the overflow in pixels. */
export async function misfits(page: Page): Promise<[width: number, page: number, card: number][]> {
  const found: [number, number, number][] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    const [wider, outside] = await page.evaluate<[number, number]>(`[${OVERFLOW}, ${OUTSIDE_OF_CARDS}]`);
    found.push([width, wider, Math.round(outside)]);
  }
  return found.filter(([, wider, outside]) => wider > 0 || outside > 0);
}

const OUTSIDE_OF_CARDS = `Math.max(0, ...[...document.querySelectorAll('.card :is(table, tbody th, td, .name, .bar, .sparkline, .plot text)')]
  .filter((part) => part.closest('.data-scroll') === null && part.getBoundingClientRect().width > 1)
  .map((part) => {
    const [own, card] = [part.getBoundingClientRect(), part.closest('.card').getBoundingClientRect()];
    return Math.max(card.left - own.left, own.right - card.right);
  }))`;
