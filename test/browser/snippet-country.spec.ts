import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeInBrowser } from '../support/browser';
import { countryFile } from '../support/country-file';
import { forEveryone, LiveProject, LiveSite } from '../support/live-site';
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

  const colour = ({ page }: Visitor): Promise<string> =>
    page.evaluate("getComputedStyle(document.querySelector('h1')).color");
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
