import { ATTRIBUTES } from '../../src/publishing/attribute-names';
import { audienceCondition } from '../../src/publishing/build/audience-condition';
import type { ConditionTree } from '../../src/resources/audiences/condition-tree';
import { describeInBrowser } from '../support/browser';
import {
  CLIENT_KEY,
  config,
  experiment,
  ORIGINAL,
  VARIATION,
  WrittenExperiment,
} from '../support/snippet-config';
import { BLACK, colour, RED, useSnippetSite } from '../support/snippet-site';
import { known, STORAGE_KEY, storedRecord } from '../support/stored-visitor';
import { until } from '../support/waiting';

/* How the snippet recognises visitors and assigns them to audiences. */

const ID_COOKIE = `gosset_id_${CLIENT_KEY}`;
const DAY_MS = 24 * 3_600_000;
const push = (command: object): string => `gosset.push(${JSON.stringify(command)})`;
const before = (...commands: object[]): string => `window.gosset = ${JSON.stringify(commands)};`;

type Condition = NonNullable<WrittenExperiment['rule']['condition']>;

/** An experiment for visitors who match a condition. */
const forThose = (condition: Condition, fields: Partial<WrittenExperiment> = {}): WrittenExperiment =>
  experiment({ ...fields, rule: { ...experiment().rule, condition } });

/** The attribute with the result of the first condition in JavaScript. */
const CODE = `${ATTRIBUTES.javascript}.0`;

/** The published form of an audience's conditions. */
const published = (tree: ConditionTree): Condition =>
  audienceCondition({ audiences: [tree], audiences_match_type: 'any' }, () => 0)!;

describeInBrowser('visitors on a page with the snippet', () => {
  const site = useSnippetSite();

  describe('are recognised', () => {
    const everybodySees = (variation: number): WrittenExperiment =>
      experiment({
        rule: {
          ...experiment().rule,
          condition: variation === ORIGINAL ? { language: 'none' } : {},
          ranges:
            variation === ORIGINAL
              ? [
                  [0, 1],
                  [0, 0],
                ]
              : [
                  [0, 0],
                  [0, 1],
                ],
        },
      });

    it.each(['localStorage', 'cookie'] as const)('by %s, and keep their variation', async (storage) => {
      site.publish(config({ storage, experiments: [everybodySees(VARIATION)] }));
      const { page, context } = await site.visit('/');
      const [exposure] = await site.delivered(page);
      site.publish(config({ storage, experiments: [everybodySees(ORIGINAL)] }));
      await page.goto(site.at('/other'));
      expect(await colour(page)).toBe(RED);
      await page.evaluate(push({ eventType: 'custom', eventName: 'bought' }));
      const told = await site.told(page);
      expect(told.map(({ event, anonymousId }) => [event, anonymousId])).toEqual([
        ['Experiment Viewed', exposure.anonymousId],
        ['bought', exposure.anonymousId],
      ]);
      expect((await context.cookies()).map(({ name }) => name).sort()).toEqual(
        storage === 'cookie' ? [STORAGE_KEY, ID_COOKIE] : [],
      );
      expect((await storedRecord(page)) === null).toBe(storage === 'cookie');
    });

    it.each([
      ['localStorage', 'cookie'],
      ['cookie', 'localStorage'],
    ] as const)(
      'when the storage changes from %s to %s, and withdrawing consent deletes the data in both',
      async (earlier, later) => {
        site.publish(config({ storage: earlier, experiments: [everybodySees(VARIATION)] }));
        const { page, context } = await site.visit('/');
        const [{ anonymousId }] = await site.delivered(page);
        site.publish(config({ storage: later, experiments: [everybodySees(ORIGINAL)] }));
        await page.goto(site.at('/other'));
        expect([await colour(page), await page.evaluate('gosset.getVisitorId()')]).toEqual([
          RED,
          anonymousId,
        ]);
        await page.evaluate(push({ eventType: 'disableTrackingConsent' }));
        expect([await context.cookies(), await page.evaluate('localStorage.length')]).toEqual([[], 0]);
      },
    );

    it('on all subdomains, by a cookie', async () => {
      site.publish(config({ storage: 'cookie', experiments: [everybodySees(VARIATION)] }));
      const { page, context } = await site.visit('/');
      await site.delivered(page);
      await context.clearCookies();
      const address = (host: string): string => site.at('/').replace('localhost', host);
      await page.goto(address('www.shop.localhost'));
      await page.goto(address('basket.shop.localhost'));
      const cookies = await context.cookies();
      expect(cookies.map(({ name }) => name).sort()).toEqual([STORAGE_KEY, ID_COOKIE]);
      for (const { domain, path, sameSite, expires } of cookies) {
        expect({ domain, path, sameSite }).toEqual({ domain: '.shop.localhost', path: '/', sameSite: 'Lax' });
        const age = expires * 1000 - Date.now();
        expect([age > 364 * DAY_MS, age < 366 * DAY_MS]).toEqual([true, true]);
      }
      expect(await colour(page)).toBe(RED);
    });

    it('by a cookie that stays small enough, with any number of assignments', async () => {
      const experiments = Array.from({ length: 200 }, (_, index) => {
        const id = 1_000_001 + index;
        return experiment({ id, rule: { ...experiment().rule, key: `exp-${id}` } });
      });
      site.publish(config({ storage: 'cookie', experiments }));
      const { page, context } = await site.visit('/');
      const recordIn = async (): Promise<string> =>
        (await context.cookies()).find(({ name }) => name === STORAGE_KEY)?.value ?? '';
      await site.delivered(page);
      const value = await recordIn();
      await page.reload();
      const later = await recordIn();
      const withoutTime = (text: string): string => text.replace(/'seen':\d+/, '');
      expect(withoutTime(later)).toBe(withoutTime(value));
      expect(value).toContain('exp-1000200');
      expect(value).not.toContain('exp-1000001');
      expect(value).not.toMatch(/[",;\s]/);
    });

    it.each([
      ['broken', '{"id":'],
      ['foreign', '{"name":"somebody"}'],
      ['a list', '[1,2]'],
      [
        'too old',
        JSON.stringify({
          id: 'old',
          since: 1,
          seen: Date.now() - 366 * DAY_MS,
          assignments: {},
          exposed: [],
        }),
      ],
    ])('as new visitors if the stored data is %s', async (_, stored) => {
      site.publish(config());
      const { page, complaints } = await site.visit('/', {
        before: `localStorage.setItem('${STORAGE_KEY}', ${JSON.stringify(stored)});`,
      });
      expect(await storedRecord(page)).toMatchObject({
        id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7/),
        assignments: { 'exp-1001': String(VARIATION) },
      });
      expect(complaints).toEqual([]);
    });

    describe('only if the browser keeps their id', () => {
      const refuse = "() => { throw new DOMException('denied', 'SecurityError'); }";
      const BLOCKED = `
        Object.defineProperty(window, 'localStorage', { get: ${refuse} });
        Object.defineProperty(Document.prototype, 'cookie', { get: ${refuse}, set: ${refuse} });`;
      const FULL =
        "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };";
      const OWN = before({ eventType: 'setVisitorId', visitorId: 'own' });
      const stored = (id: string): string => known({ since: Date.now(), seen: Date.now() }, id) + FULL;
      const bought = push({ eventType: 'custom', eventName: 'bought' });
      const sent = (): unknown[] => site.deliveries.flatMap(({ batch }) => batch.map(({ event }) => event));

      it.each([
        ['localStorage', 'blocked', BLOCKED],
        ['cookie', 'blocked', BLOCKED],
        ['localStorage', 'full', FULL],
      ] as const)('and see the original if %s is %s', async (storage, _, script) => {
        site.publish(config({ storage }));
        const { page, complaints } = await site.visit('/', { before: script });
        await page.evaluate(bought);
        await until(() => sent().length > 0);
        expect([sent(), await colour(page), await page.evaluate('gosset.getVisitorId()')]).toEqual([
          ['bought'],
          BLACK,
          null,
        ]);
        expect(complaints).toEqual([]);
      });

      it.each([
        ['the page sets', BLOCKED + OWN],
        ['the page sets, although another one is stored', stored('other') + OWN],
        ['was stored before the storage was full', stored('own')],
      ])('or have an id that %s', async (_, script) => {
        site.publish(config());
        const { page, complaints } = await site.visit('/', { before: script });
        await page.evaluate(bought);
        await until(() => sent().length > 1);
        expect([sent(), await colour(page), await page.evaluate('gosset.getVisitorId()')]).toEqual([
          ['Experiment Viewed', 'bought'],
          RED,
          'own',
        ]);
        expect(complaints).toEqual([]);
      });

      it('or have an id that the page sets later, after events of the id that was not kept', async () => {
        site.publish(config());
        const { page, complaints } = await site.visit('/', { before: FULL });
        await page.evaluate(bought);
        await until(() => sent().length > 0);
        await page.evaluate(push({ eventType: 'setVisitorId', visitorId: 'own' }));
        await until(() => sent().length > 1);
        expect([sent(), await colour(page), await page.evaluate('gosset.getVisitorId()')]).toEqual([
          ['bought', 'Experiment Viewed'],
          RED,
          'own',
        ]);
        expect(complaints).toEqual([]);
      });
    });
  });

  describe('belong to audiences by', () => {
    it.each<[string, Condition]>([
      ['language', { language: 'de-DE' }],
      ['URL', { url: { $regex: 'campaign=may' } }],
      ['query parameter', { 'query.campaign': 'may' }],
      ['query parameter with a dot', { 'query.utm%2Esource': 'mail' }],
      ['cookie', { [`${ATTRIBUTES.cookie}.plan`]: 'gold & more' }],
      ['code', { [CODE]: true }],
      ['being a new visitor', { visitor: 'new' }],
      ['attribute of the page', { plan: 'gold' }],
      ['attribute of the page over a derived one', { referrer: 'mail' }],
    ])('%s', async (_, condition) => {
      const conditions = ["return document.title === 'Shop';", "throw new Error('unasked')"];
      const [wanted, others] = [
        forThose(condition),
        forThose({ $not: condition }, { id: 1002, css: 'h1{color:blue}' }),
      ];
      site.publish(config({ conditions, experiments: [wanted, others] }));
      const attributes = { plan: 'gold', referrer: 'mail', cookie: {}, javascript: {} };
      const { page, complaints } = await site.visit('/?campaign=may&utm.source=mail', {
        locale: 'de-DE',
        before: `document.cookie = 'plan=gold%20%26%20more'; ${before({ eventType: 'setAttributes', attributes })}`,
      });
      expect(await colour(page)).toBe(RED);
      expect((await storedRecord(page))?.assignments).toEqual({ 'exp-1001': String(VARIATION) });
      expect(complaints).toEqual([]);
    });

    it('device, browser and system if the runtime detects them', async () => {
      const condition = { deviceType: 'desktop', browser: 'chrome', os: 'linux' };
      site.publish(config({ experiments: [forThose(condition)] }), { withAgent: true });
      const { page } = await site.visit('/');
      expect(await colour(page)).toBe(RED);
    });

    it.each<[string, Condition]>([
      ['that must hold', { [CODE]: true }],
      ['that must not hold', { $not: { [CODE]: true } }],
    ])('code, which includes nobody if it throws, in a condition %s', async (_, condition) => {
      const conditions = ["throw new Error('broken')"];
      site.publish(config({ conditions, experiments: [forThose(condition)] }));
      const { page } = await site.visit('/');
      expect(await colour(page)).toBe(BLACK);
      expect((await site.told(page)).map(({ type, properties }) => [type, properties])).toMatchObject([
        ['error', { where: 'condition', experiment_id: 1001 }],
      ]);
    });

    it('being a returning visitor', async () => {
      site.publish(config({ experiments: [forThose({ visitor: 'returning' })] }));
      const now = Date.now();
      const { page } = await site.visit('/', {
        before: known({ since: now - 31 * 60_000, seen: now - 60_000 }),
      });
      expect(await colour(page)).toBe(RED);
      const { page: other } = await site.visit('/', {
        before: known({ since: now - 29 * 60_000, seen: now }),
      });
      expect(await colour(other)).toBe(BLACK);
    });

    it.each(['cookie', 'javascript'])('an attribute of the page named %s', async (name) => {
      const condition = published({ type: 'attribute', name: `${name}.0`, match: 'exists' });
      site.publish(config({ conditions: ['return true;'], experiments: [forThose(condition)] }));
      const { page } = await site.visit('/', { before: "document.cookie = '0=1';" });
      expect(await colour(page)).toBe(BLACK);
      await page.evaluate(push({ eventType: 'setAttributes', attributes: { [name]: ['a'] } }));
      expect(await colour(page)).toBe(RED);
    });

    it('detected attributes, while the page has no value for them', async () => {
      site.publish(config({ experiments: [forThose({ $not: { language: 'fr-CH' } })] }));
      const given = (language: string): string =>
        `{ eventType: 'setAttributes', attributes: { language: ${language} } }`;
      const options = { locale: 'fr-CH', before: `window.gosset = [${given('undefined')}];` };
      const { page } = await site.visit('/', options);
      expect(await colour(page)).toBe(BLACK);
      await page.evaluate(`gosset.push({ eventType: 'setAttributes', attributes: { plan: 'gold' } })`);
      expect(await colour(page)).toBe(BLACK);
      await page.evaluate(`gosset.push(${given("'de'")})`);
      expect(await colour(page)).toBe(RED);
      const { page: other } = await site.visit('/', {
        ...options,
        before: `window.gosset = [${given("'de'")}, ${given('undefined')}];`,
      });
      expect(await colour(other)).toBe(BLACK);
    });

    it('attributes that the page sets later', async () => {
      const condition = { plan: 'gold', [`${ATTRIBUTES.cookie}.plan`]: { $exists: false } };
      site.publish(config({ experiments: [forThose(condition)] }));
      const { page } = await site.visit('/');
      expect(await colour(page)).toBe(BLACK);
      await page.evaluate(
        push({ eventType: 'setAttributes', attributes: { plan: 'gold', cookie: { plan: 'silver' } } }),
      );
      expect(await colour(page)).toBe(RED);
    });
  });
});
