import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Person } from './api';
import { accessibilityProblems, launchBrowser, LOOKS, open, overflow, Visit } from './browser';
import { ConsoleScene } from './console';

/** A name of the maximum length, too long for any line. */
export const LONG_NAME = 'Extraordinarily'.repeat(17);
export const DIFFICULT_NAMES = [LONG_NAME, 'شراء \u202e الآن', '注文が完了しました', '🛒 Cart 🎉'];
export const HOSTILE_NAME = '</title><script>alert(1)</script>شراء \u202e الآن 日本 😀';

export const VERY_NARROW = { width: 320, height: 640 };

/** Lays out all goals. With `content-visibility`, browsers skip goals out of view, which then cannot be measured. */
const LAY_OUT_EVERYTHING =
  "document.querySelectorAll('.goal').forEach(({ style }) => (style.contentVisibility = 'visible'))";

/** A server with a team, and a browser for its pages. */
export class BrowserScene extends ConsoleScene {
  private readonly visits: Visit[] = [];
  private browser: Browser;

  override async start(): Promise<void> {
    [this.browser] = await Promise.all([launchBrowser(), super.start()]);
  }

  get origin(): string {
    return this.api.config.publicUrl;
  }

  /** Opens a page, which is closed after the test. */
  async visit(path: string, options: BrowserContextOptions = {}): Promise<Visit> {
    const opened = await open(this.browser, `${this.origin}${path}`, options);
    this.visits.push(opened);
    return opened;
  }

  /** Opens a page as a signed-in user. */
  async visitAs(person: Person, path: string, options: BrowserContextOptions = {}): Promise<Visit> {
    const value = (await this.visitorOf(person)).cookies.get('gosset') ?? '';
    const place = { domain: '127.0.0.1', path: '/', expires: -1, httpOnly: true, secure: false };
    const cookies = [{ name: 'gosset', value, ...place, sameSite: 'Lax' as const }];
    return this.visit(path, { storageState: { cookies, origins: [] }, ...options });
  }

  /** Opens a page as the team's admin. */
  visitAsAdmin(path: string, options: BrowserContextOptions = {}): Promise<Visit> {
    return this.visitAs(this.world.people.admin, path, options);
  }

  /** Asserts that a page fits the window, is accessible, complies with its CSP, and loads nothing from other hosts. */
  async expectFits({ page, requests, complaints }: Visit): Promise<void> {
    await page.evaluate(LAY_OUT_EVERYTHING);
    for (const { size, scheme } of LOOKS) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: scheme });
      // Only these two rules depend on the window size and the colour scheme.
      const rules = scheme === 'dark' ? ['color-contrast', 'target-size'] : undefined;
      const problems = await accessibilityProblems(page, rules);
      expect([size, scheme, await overflow(page), problems]).toEqual([size, scheme, 0, []]);
    }
    await openDetails(page);
    await page.setViewportSize(VERY_NARROW);
    expect(await overflow(page)).toBe(0);
    expect(requests.filter((address) => new URL(address).origin !== this.origin)).toEqual([]);
    expect(unexpected(complaints)).toEqual([]);
  }

  async closeVisits(): Promise<void> {
    await Promise.all(this.visits.splice(0).map(({ context }) => context.close()));
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.api.close();
  }
}

/**
 * Starts the server and the browser before the tests of a block, and stops them afterwards. Closes pages after each
 * test.
 */
export function useBrowser(): BrowserScene {
  const scene = new BrowserScene();
  beforeAll(() => scene.start());
  afterEach(() => scene.closeVisits());
  afterAll(() => scene.close());
  return scene;
}

/** The console messages of a browser, without reports of 4xx responses. */
export const unexpected = (complaints: readonly string[]): string[] =>
  complaints.filter((text) => !/status of 4\d\d/.test(text));

/** Unfolds all sections. */
export const openDetails = (page: Page): Promise<void> =>
  page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
