import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeInBrowser } from '../support/browser';
import { countryFile } from '../support/country-file';
import { forEveryone, LiveProject, LiveSite } from '../support/live-site';
import { colour as headingColour } from '../support/snippet-site';
import type { Visitor } from '../support/visitors';
import { until } from '../support/waiting';

/* Conditions on the visitor's country, which the snippet requests from the server. */

describeInBrowser("the visitor's country", () => {
  const folder = mkdtempSync(join(tmpdir(), 'gosset-country-'));
  let site: LiveSite;

  beforeAll(async () => {
    const file = join(folder, 'countries.mmdb');
    writeFileSync(file, countryFile({ '127.0.0.0/8': 'CH' }));
    site = await LiveSite.start({ GEOIP_DATABASE: file });
  });
  afterEach(() => site.everybodyLeaves());
  afterAll(async () => {
    await site.stop();
    rmSync(folder, { recursive: true });
  });

  /** A project with an experiment that turns the heading red for an audience; null conditions include everyone. */
  async function shopWith(conditions: unknown): Promise<LiveProject> {
    const project = await site.project();
    const audiences = conditions === null ? [] : [(await project.make.audience({ conditions })).id];
    await project.make.withStatus('running', {
      audiences,
      ...forEveryone({ css: 'h1 { color: rgb(200, 0, 0); }' }),
    });
    return project;
  }

  const from = (country: string): object => ({ type: 'country', value: country });
  const shopFor = (country: string | null): Promise<LiveProject> =>
    shopWith(country === null ? null : from(country));

  const colour = ({ page }: Visitor): Promise<string> => headingColour(page);
  const asked = ({ page }: Visitor): Promise<number> =>
    page.evaluate(
      "performance.getEntriesByType('resource').filter(({ name }) => name.includes('/v1/visitor')).length",
    );
  const kept = ({ page }: Visitor): Promise<string[]> => page.evaluate('Object.values(sessionStorage)');

  it('is requested once per session, and determines who participates', async () => {
    const visitor = await site.visit(await shopFor('CH'), '/');
    await until(async () => (await colour(visitor)) === 'rgb(200, 0, 0)');
    expect([await asked(visitor), await kept(visitor)]).toEqual([1, ['CH']]);
    await visitor.page.reload();
    await until(async () => (await colour(visitor)) === 'rgb(200, 0, 0)');
    expect(await asked(visitor)).toBe(0);
  });

  it('leaves the page unchanged for other countries', async () => {
    const visitor = await site.visit(await shopFor('DE'), '/');
    await until(async () => (await kept(visitor)).includes('CH'));
    await visitor.page.reload();
    expect([await colour(visitor), await asked(visitor)]).toEqual(['rgb(0, 0, 0)', 0]);
  });

  it('is awaited if an audience excludes a country', async () => {
    const visitor = await site.visit(await shopWith(['not', from('CH')]), '/');
    await until(async () => (await kept(visitor)).includes('CH'));
    expect([await colour(visitor), (await visitor.kept())?.assignments]).toEqual(['rgb(0, 0, 0)', {}]);
    const other = await site.visit(await shopWith(['not', from('DE')]), '/');
    await until(async () => (await colour(other)) === 'rgb(200, 0, 0)');
    expect(await kept(other)).toEqual(['CH']);
  });

  it('is not awaited if the page sets it, or if the visitor already has a variation', async () => {
    const project = await shopWith(['not', from('CH')]);
    const before = "window.gosset = [{ eventType: 'setAttributes', attributes: { country: 'DE' } }];";
    const visitor = await site.visit(project, '/', { before });
    expect([await colour(visitor), await asked(visitor)]).toEqual(['rgb(200, 0, 0)', 0]);
    const later = await site.visitAgain(project, '/', visitor);
    expect(await colour(later)).toBe('rgb(200, 0, 0)');
  });

  it('is requested if the page sets it to undefined', async () => {
    const before = "window.gosset = [{ eventType: 'setAttributes', attributes: { country: undefined } }];";
    const visitor = await site.visit(await shopWith(['not', from('CH')]), '/', { before });
    await until(async () => (await kept(visitor)).includes('CH'));
    expect(await colour(visitor)).toBe('rgb(0, 0, 0)');
  });

  it('is requested if the page takes back the country that it has set', async () => {
    const before = "window.gosset = [{ eventType: 'setAttributes', attributes: { country: 'DE' } }];";
    const visitor = await site.visit(await shopFor('CH'), '/', { before });
    await visitor.page.waitForFunction('window.gosset !== undefined');
    expect([await colour(visitor), await kept(visitor)]).toEqual(['rgb(0, 0, 0)', []]);
    await visitor.page.evaluate(
      `gosset.push({ eventType: 'setAttributes', attributes: { country: undefined } })`,
    );
    await until(async () => (await colour(visitor)) === 'rgb(200, 0, 0)');
    expect(await kept(visitor)).toEqual(['CH']);
  });

  it('is requested again at a later route if the request failed', async () => {
    const before = `
      const { fetch: connected } = window;
      let failures = 0;
      window.fetch = (address, options) =>
        String(address).includes('/v1/visitor') && failures++ === 0
          ? Promise.reject(new TypeError('no connection'))
          : connected(address, options);`;
    const visitor = await site.visit(await shopFor('CH'), '/', { before });
    await visitor.page.waitForFunction('window.gosset !== undefined');
    expect([await colour(visitor), await kept(visitor)]).toEqual(['rgb(0, 0, 0)', []]);
    const nextRoute = (): Promise<void> =>
      visitor.page.evaluate("history.pushState({}, '', `/?route=${history.length}`)");
    await until(async () => {
      await nextRoute();
      return (await colour(visitor)) === 'rgb(200, 0, 0)';
    });
    await nextRoute();
    expect([await kept(visitor), await asked(visitor)]).toEqual([['CH'], 1]);
  });

  const FETCH = 'const { fetch: connected } = window;';
  const asksCountry = "String(address).includes('/v1/visitor')";
  const STARTED = "window.gosset = [{ eventType: 'custom', eventName: 'started' }];";
  const waiting = ({ page }: Visitor): Promise<string[]> =>
    page.evaluate(`Object.entries(localStorage).filter(([key]) => key.includes('.event.')).sort()
      .map(([, json]) => JSON.parse(json).event)`);

  it('is awaited by the conversions on the page, which follow the exposure', async () => {
    // Events cannot be delivered, so they stay in the storage in their order.
    const before = `${STARTED} ${FETCH}
      window.fetch = (address, options) =>
        ${asksCountry} ? connected(address, options) : Promise.reject(new TypeError('no connection'));`;
    const visitor = await site.visit(await shopFor('CH'), '/', { before });
    await until(async () => (await waiting(visitor)).length === 2);
    expect(await waiting(visitor)).toEqual(['Experiment Viewed', 'started']);
  });

  it('is awaited while the page is hidden, unless the visitor withdraws consent', async () => {
    const before = `
      ${FETCH}
      const answer = new Promise((resolve) => { window.respond = resolve; });
      window.fetch = (address, options) =>
        (${asksCountry} ? answer : Promise.resolve()).then(() => connected(address, options));`;
    const project = await shopFor('CH');
    const opacity = ({ page }: Visitor): Promise<string> =>
      page.evaluate('getComputedStyle(document.documentElement).opacity');
    const visitor = await site.visit(project, '/hidden', { before });
    expect(await opacity(visitor)).toBe('0');
    await visitor.page.evaluate('respond()');
    await until(async () => (await opacity(visitor)) === '1');
    expect(await colour(visitor)).toBe('rgb(200, 0, 0)');
    const other = await site.visit(project, '/hidden', { before });
    await other.page.evaluate("gosset.push({ eventType: 'disableTrackingConsent' })");
    expect([await opacity(other), await colour(other)]).toEqual(['1', 'rgb(0, 0, 0)']);
  });

  it('is awaited although the visitor goes to an anchor', async () => {
    const before = `${STARTED} ${FETCH}
      window.fetch = async (address, options) => {
        if (!${asksCountry}) {
          throw new TypeError('no connection');
        }
        await new Promise(requestAnimationFrame);
        location.hash = '#form';
        await new Promise(requestAnimationFrame);
        return connected(address, options);
      };`;
    const visitor = await site.visit(await shopFor('CH'), '/', { before });
    await until(async () => (await waiting(visitor)).length === 2);
    expect(await waiting(visitor)).toEqual(['Experiment Viewed', 'started']);
  });

  it('is not requested again for anchors, or before the time that the server asks for', async () => {
    const before = `
      window.requests = 0;
      window.fetch = (address) => {
        window.requests += ${asksCountry} ? 1 : 0;
        return Promise.resolve(new Response('{}', { status: 503, headers: { 'retry-after': '60' } }));
      };`;
    const visitor = await site.visit(await shopFor('CH'), '/', { before });
    const change = (urls: string[]): Promise<number> =>
      visitor.page.evaluate(`(async () => {
        for (const url of ${JSON.stringify(urls)}) {
          history.replaceState({}, '', url);
          await new Promise(requestAnimationFrame);
        }
        return requests;
      })()`);
    expect(await change(['#section-1', '#section-2', '#section-3'])).toBe(1);
    expect(await change(['?filter=1', '?filter=2', '?filter=3'])).toBe(1);
  });

  it.each([
    ['the request fails', 'Promise.reject(new TypeError())', ''],
    ['there is no response', 'new Promise(() => undefined)', ''],
    ['the visitor leaves', 'new Promise(() => undefined)', "dispatchEvent(new Event('pagehide'))"],
  ])('does not hold conversions back if %s', async (_, response, then) => {
    const before = `${STARTED}
      window.fetch = (address) => ${asksCountry} ? ${response} : Promise.reject(new TypeError('no connection'));`;
    const visitor = await site.visit(await shopFor('CH'), '/', { before });
    await visitor.page.evaluate(then);
    await until(async () => (await waiting(visitor)).length === 1);
    expect(await waiting(visitor)).toEqual(['started']);
  });

  it('is forgotten when the visitor withdraws consent in a different tab', async () => {
    const before = `${FETCH}
      let requests = 0;
      window.fetch = (address, options) =>
        ${asksCountry} && requests++ === 0 ? new Promise(() => undefined) : connected(address, options);`;
    const visitor = await site.visit(await shopFor('CH'), '/', { before });
    const withdrawn = `
      const key = Object.keys(localStorage).find((name) => /^gosset\\.[^.]+$/.test(name));
      dispatchEvent(new StorageEvent('storage', { key, newValue: String(Date.now()) }));`;
    await visitor.page.evaluate(`${withdrawn} gosset.push({ eventType: 'enableTrackingConsent' });`);
    await until(async () => (await colour(visitor)) === 'rgb(200, 0, 0)');
    await visitor.page.evaluate(withdrawn);
    expect([await colour(visitor), await kept(visitor)]).toEqual(['rgb(0, 0, 0)', []]);
  });

  it('is not requested if no audience needs it', async () => {
    const visitor = await site.visit(await shopFor(null), '/');
    await until(async () => (await colour(visitor)) === 'rgb(200, 0, 0)');
    expect([await asked(visitor), await kept(visitor)]).toEqual([0, []]);
  });

  it('is not requested before consent', async () => {
    const project = await shopFor('CH');
    const visitor = await site.visit(project, '/consent');
    await visitor.page.waitForFunction('window.gosset !== undefined');
    expect([await colour(visitor), await asked(visitor), await kept(visitor)]).toEqual([
      'rgb(0, 0, 0)',
      0,
      [],
    ]);
    await visitor.push({ eventType: 'enableTrackingConsent' });
    await until(async () => (await colour(visitor)) === 'rgb(200, 0, 0)');
    expect(await asked(visitor)).toBe(1);
  });
});
