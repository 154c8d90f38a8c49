import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { assign, subjectOf } from '../../src/publishing/evaluation';
import { describeInBrowser } from '../support/browser';
import {
  anywhere,
  CLIENT_KEY,
  config,
  experiment,
  HALF,
  VARIATION,
  WrittenConfig,
} from '../support/snippet-config';
import { BLACK, colour, RED, useSnippetSite } from '../support/snippet-site';
import { until } from '../support/waiting';

/* How pages and back ends read and set the visitor id. */

const KEY = `gosset.${CLIENT_KEY}`;
const ID_COOKIE = `gosset_id_${CLIENT_KEY}`;
const DAY = 24 * 3_600;
const UUID = /^[\da-f]{8}-[\da-f]{4}-7/;
const ODD_ID = `it's "a|b", 100 %; c\\d = e`;
const half = (fields: Partial<WrittenConfig> = {}) =>
  config({ experiments: [experiment({ rule: HALF })], ...fields });

const setting = (visitorId: unknown): object => ({ eventType: 'setVisitorId', visitorId });
const pushed = (...commands: object[]): string => `window.gosset = ${JSON.stringify(commands)};`;
const push = (page: Page, command: object): Promise<void> =>
  page.evaluate(`gosset.push(${JSON.stringify(command)})`);
const visitorId = (page: Page): Promise<string | null> => page.evaluate('gosset.getVisitorId()');
const setVisitorId = (page: Page, argument: string): Promise<void> =>
  page.evaluate(`gosset.setVisitorId(${argument})`);

/** The colour that a visitor with this id sees. */
const colourOf = (id: string): string =>
  assign(HALF, subjectOf(id, {})).variation === VARIATION ? RED : BLACK;

/** Two ids, each of which gets a different variation. */
const IDS = [RED, BLACK].map(
  (wanted) => [...Array(99).keys()].map((n) => `user-${n}`).find((id) => colourOf(id) === wanted) ?? '',
);

const cookies = async (context: BrowserContext): Promise<Record<string, string>> =>
  Object.fromEntries((await context.cookies()).map(({ name, value }) => [name, value]));

/** A cookie value in the format of the first release. */
const recordOf = (id: string, assignments: Record<string, string> = {}): string => {
  const now = Date.now();
  const record = JSON.stringify({ id, since: now, seen: now, assignments, exposed: [] });
  return record.replaceAll('"', "'").replaceAll(',', '|');
};

/** Browser options with these cookies. */
function having(values: Record<string, string>, expires = -1): Pick<BrowserContextOptions, 'storageState'> {
  const place = { domain: 'localhost', path: '/', expires, httpOnly: false, secure: false };
  const all = Object.entries(values).map(([name, value]) => ({
    ...{ name, value, ...place },
    sameSite: 'Lax' as const,
  }));
  return { storageState: { cookies: all, origins: [] } };
}

describeInBrowser('the visitor id', () => {
  const site = useSnippetSite();

  const sentIds = async (page: Page): Promise<string[]> => [
    ...new Set((await site.told(page)).map(({ anonymousId }) => anonymousId)),
  ];

  describe('is set by the page', () => {
    it.each(IDS)('before the script is loaded: %s', async (id) => {
      site.publish(half());
      const { page, complaints } = await site.visit('/', { before: pushed(setting('earlier'), setting(id)) });
      expect([await visitorId(page), await colour(page), complaints]).toEqual([id, colourOf(id), []]);
      await push(page, { eventType: 'custom', eventName: 'bought' });
      expect(await sentIds(page)).toEqual([id]);
    });

    it('as a number, which is converted to its digits', async () => {
      site.publish(half());
      const { page } = await site.visit('/', { before: pushed(setting(42)) });
      expect([await visitorId(page), await colour(page)]).toEqual(['42', colourOf('42')]);
    });

    it('to become another visitor, without the data of the previous one', async () => {
      site.publish(half({ storage: 'cookie' }));
      const [red, black] = IDS;
      const { page, context } = await site.visit('/', {
        ...having({ [KEY]: recordOf(red, { 'exp-1001': String(VARIATION) }) }),
        before: pushed(setting(black)),
      });
      expect([await visitorId(page), await colour(page)]).toEqual([black, BLACK]);
      expect((await cookies(context))[ID_COOKIE]).toBe(black);
    });

    it('after the script is loaded, but before the first decision', async () => {
      const manual = experiment({ rule: HALF, pages: [anywhere('manual')] });
      site.publish(config({ experiments: [manual] }));
      const { page, complaints } = await site.visit('/');
      await setVisitorId(page, `'${IDS[0]}'`);
      await page.evaluate('gosset.activate(1001)');
      expect([await visitorId(page), await colour(page), complaints]).toEqual([IDS[0], RED, []]);
      expect(await sentIds(page)).toEqual([IDS[0]]);
    });

    it('but not once another id is in use', async () => {
      site.publish(half());
      const { page, complaints } = await site.visit('/');
      const id = await visitorId(page);
      await setVisitorId(page, "'late'");
      await setVisitorId(page, JSON.stringify(id));
      await page.reload();
      expect([await visitorId(page), await sentIds(page)]).toEqual([id, [id]]);
      expect(complaints).toEqual([expect.stringMatching(/already has another id in use.* late$/)]);
    });

    it.each([
      "''",
      "'x'.repeat(10_000)",
      "'x'.repeat(65)",
      "'a\\u0000b'",
      "'a\\nb'",
      "'\\x7f'",
      "'Zoë'",
      'undefined',
      'null',
      '1.5',
      '{}',
      "['a']",
      "Symbol('a')",
      "({ toString() { throw new Error('hostile') } })",
    ])('only if it is valid, unlike %s', async (argument) => {
      site.publish(half());
      const { page, complaints } = await site.visit('/', {
        before: `window.gosset = [{ eventType: 'setVisitorId', visitorId: ${argument} }];`,
      });
      await setVisitorId(page, argument);
      expect(await visitorId(page)).toMatch(UUID);
      expect(complaints).toHaveLength(2);
      expect(complaints.join()).toMatch(/visitor id has 1 to 64 printable ASCII.*visitor id has 1 to 64/s);
    });

    it.each(['localStorage', 'cookie'] as const)('in each tab, next to another id in %s', async (storage) => {
      const [red, black] = IDS;
      const later = experiment({ id: 1002, pages: [anywhere('manual')] });
      site.publish(half({ storage, experiments: [experiment({ rule: HALF }), later] }));
      const { page, context, complaints } = await site.visit('/', { before: pushed(setting(red)) });
      const other = await context.newPage();
      await other.addInitScript(pushed(setting(black)));
      await other.goto(site.at('/'));
      await site.delivered(other);
      await page.evaluate("history.pushState({}, '', '/second'); gosset.activate(1002)");
      await push(page, { eventType: 'custom', eventName: 'bought' });
      expect((await site.delivered(page)).pop()).toMatchObject({ event: 'bought', anonymousId: red });
      expect([await colour(page), await colour(other), await visitorId(other)]).toEqual([RED, BLACK, black]);
      expect(await page.evaluate(`localStorage.getItem('${KEY}') ?? document.cookie`)).toContain(black);
      await push(other, { eventType: 'disableTrackingConsent' });
      await until(async () => (await colour(page)) === BLACK);
      expect([await visitorId(page), complaints]).toEqual([null, []]);
    });

    it.each([
      ['fail', "() => { throw new DOMException('denied', 'SecurityError'); }"],
      ['are blocked', "() => ''"],
    ])('for the current page only, if cookies %s', async (_, access) => {
      site.publish(half({ storage: 'cookie' }));
      const { page, complaints } = await site.visit('/', {
        before: `Object.defineProperty(Document.prototype, 'cookie', { get: ${access}, set: ${access} });
          ${pushed(setting(IDS[0]))}`,
      });
      await until(async () => (await site.delivered(page)).length > 0);
      expect([await visitorId(page), await colour(page), await sentIds(page), complaints]).toEqual([
        IDS[0],
        RED,
        [IDS[0]],
        [],
      ]);
    });
  });

  describe('in its cookie', () => {
    it.each([
      'user@example.com',
      ODD_ID,
      '~'.repeat(64),
      '__proto__',
      '"quoted"',
      '<script>alert(1)</script>',
    ])('is available to back ends, and is read back unchanged: %s', async (id) => {
      site.publish(half({ storage: 'cookie' }));
      const { page, context, complaints } = await site.visit('/', { before: pushed(setting(id)) });
      const shown = await colour(page);
      const stored = (await cookies(context))[ID_COOKIE];
      expect([decodeURIComponent(stored), shown]).toEqual([id, colourOf(id)]);
      site.publish(config({ storage: 'cookie', experiments: [] }));
      // A new page that does not set a visitor id.
      const { page: later } = await site.visit('/', { storageState: await context.storageState() });
      expect(await visitorId(later)).toBe(id);
      expect(complaints).toEqual([]);
    });

    it('is added for visitors of the first release, who keep their id and variation', async () => {
      site.publish(half({ storage: 'cookie' }));
      const known = having({ [KEY]: recordOf(IDS[1], { 'exp-1001': String(VARIATION) }) });
      const { page, context } = await site.visit('/', known);
      expect([await visitorId(page), await colour(page)]).toEqual([IDS[1], RED]);
      expect((await cookies(context))[ID_COOKIE]).toBe(IDS[1]);
      expect(await sentIds(page)).toEqual([IDS[1]]);
    });

    it('can be set by a back end, and is not written again', async () => {
      site.publish(half({ storage: 'cookie' }));
      const expires = Math.floor(Date.now() / 1000) + 123_456;
      const { page, context } = await site.visit('/', having({ [ID_COOKIE]: 'user%40example.com' }, expires));
      expect([await visitorId(page), await colour(page)]).toEqual([
        'user@example.com',
        colourOf('user@example.com'),
      ]);
      const [cookie] = (await context.cookies()).filter(({ name }) => name === ID_COOKIE);
      expect([cookie.value, Math.round(cookie.expires)]).toEqual(['user%40example.com', expires]);
    });

    it.each([9, 183])('is renewed after half a year unless a back end set it: %i days', async (days) => {
      site.publish(half({ storage: 'cookie' }));
      const { page, context } = await site.visit('/');
      const id = await visitorId(page);
      const earlier = `'renewed':${Date.now() - days * DAY * 1000}`;
      const tomorrow = Math.floor(Date.now() / 1000) + DAY;
      const aged = (await context.cookies()).map((cookie) => ({ ...cookie, expires: tomorrow }));
      const value = aged.find(({ name }) => name === KEY)!.value.replace(/'renewed':\d+/, earlier);
      await context.addCookies(aged.map((cookie) => (cookie.name === KEY ? { ...cookie, value } : cookie)));
      await page.reload();
      const { expires } = (await context.cookies()).find(({ name }) => name === ID_COOKIE)!;
      expect([await visitorId(page), expires > tomorrow + 363 * DAY]).toEqual([id, days > 9]);
    });

    it('determines which visitor record is used', async () => {
      const [red, black] = IDS;
      site.publish(half({ storage: 'cookie' }));
      const { page, context } = await site.visit(
        '/',
        having({ [ID_COOKIE]: black, [KEY]: recordOf(red, { 'exp-1001': String(VARIATION) }) }),
      );
      expect([await visitorId(page), await colour(page)]).toEqual([black, BLACK]);
      expect((await cookies(context))[KEY]).toContain(`'id':'${black}'`);
    });

    it.each(['', '%', '%00', 'a%0Ab', '%F0%9F%98%80', '%E4%A8', 'x'.repeat(65), 'x'.repeat(3_500)])(
      'is replaced if it is invalid: %j',
      async (value) => {
        site.publish(half({ storage: 'cookie' }));
        const { page, context, complaints } = await site.visit('/', having({ [ID_COOKIE]: value }));
        const id = await visitorId(page);
        expect([id, (await cookies(context))[ID_COOKIE], complaints]).toEqual([
          expect.stringMatching(UUID),
          id,
          [],
        ]);
      },
    );

    it('is not used with localStorage, which is the default', async () => {
      site.publish(half());
      const { page, context } = await site.visit('/', having({ [ID_COOKIE]: 'of-another-setting' }));
      expect(await visitorId(page)).toMatch(UUID);
      expect(await cookies(context)).toEqual({ [ID_COOKIE]: 'of-another-setting' });
    });
  });

  describe('without consent', () => {
    const ENABLE = { eventType: 'enableTrackingConsent' };
    const DISABLE = { eventType: 'disableTrackingConsent' };
    const isNowhere = async (page: Page): Promise<void> => {
      expect(await page.evaluate('[gosset.getVisitorId(), document.cookie, localStorage.length]')).toEqual([
        null,
        '',
        0,
      ]);
      expect(site.deliveries).toEqual([]);
    };

    it('is not stored, but can be set until consent is given', async () => {
      site.publish(half({ storage: 'cookie' }), { tag: 'data-consent="required"' });
      const { page, context } = await site.visit('/', { before: pushed(setting('early')) });
      await isNowhere(page);
      await setVisitorId(page, "'between'");
      await setVisitorId(page, `'${IDS[0]}'`);
      await isNowhere(page);
      await push(page, ENABLE);
      expect([await visitorId(page), await colour(page)]).toEqual([IDS[0], RED]);
      expect(Object.keys(await cookies(context)).sort()).toEqual([KEY, ID_COOKIE]);
    });

    it('is deleted when consent is withdrawn, including a cookie set by a back end', async () => {
      site.collector = { status: 503 };
      site.publish(half({ storage: 'cookie' }));
      const { page } = await site.visit('/', having({ [ID_COOKIE]: IDS[0] }));
      expect(await visitorId(page)).toBe(IDS[0]);
      await push(page, DISABLE);
      site.forgetDeliveries();
      await isNowhere(page);
      await push(page, ENABLE);
      expect(await visitorId(page)).toMatch(UUID);
    });

    it('is deleted and not used if the browser sends Global Privacy Control', async () => {
      site.publish(half({ storage: 'cookie' }));
      const { page } = await site.visit('/', {
        ...having({ [ID_COOKIE]: 'known', [KEY]: recordOf('known') }),
        before: `Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', { value: true });
          ${pushed(setting('early'))}`,
      });
      await setVisitorId(page, "'late'");
      await isNowhere(page);
    });
  });

  it('is not available in a preview', async () => {
    site.publish(half());
    site.publishPreview({ ...half(), preview: { variation: VARIATION } });
    const { page } = await site.visit('/?gosset_preview=5002.abc', { before: pushed(setting('early')) });
    await until(async () => (await colour(page)) === RED);
    await setVisitorId(page, "'late'");
    expect(await visitorId(page)).toBeNull();
  });
});
