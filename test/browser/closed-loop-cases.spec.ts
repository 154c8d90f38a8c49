import { EnvironmentsService } from '../../src/resources/environments/environments.service';
import { describeInBrowser } from '../support/browser';
import { forEveryone, idsOf, LiveProject, LiveSite } from '../support/live-site';
import type { Made } from '../support/scene';
import { BLACK, colour } from '../support/snippet-site';
import type { Visitor } from '../support/visitors';
import { until } from '../support/waiting';

/* Counting rules and failures, from the browser to the results. */

const RED = 'rgb(200, 0, 0)';
const REFUSES = "Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', { get: () => true });";
const TURNS_RED = `h1 { color: ${RED}; }`;
const RED_VARIATION = forEveryone({ css: TURNS_RED });

describeInBrowser('the closed loop', () => {
  let site: LiveSite;
  let project: LiveProject;

  beforeAll(async () => {
    site = await LiveSite.start();
  });
  beforeEach(async () => {
    project = await site.project();
  });
  afterEach(() => site.everybodyLeaves());
  afterAll(() => site.stop());

  /** An experiment with a click and a revenue goal on all pages. */
  async function running(fields: object = RED_VARIATION): Promise<Made> {
    return project.make.move(await draft(fields), 'running');
  }

  async function draft(fields: object): Promise<Made> {
    const goals = [
      await project.make.goal({ name: 'Cart', type: 'click', selector: '#cart' }),
      await project.make.goal({ name: 'Order', value_type: 'revenue' }),
    ];
    return project.make.ready({
      goals: goals.map(({ id }) => id),
      example_url: site.at(project, '/tea'),
      ...fields,
    });
  }

  /** Triggers all goals, and leaves the page so that the snippet sends pending events. */
  async function acts(visitor: Visitor, next = '/elsewhere'): Promise<void> {
    await visitor.page.click('#cart');
    await visitor.push({ eventType: 'custom', eventName: 'order', eventValue: 10 });
    await visitor.page.goto(site.at(project, next));
    await visitor.told();
  }

  /** Asserts that the browser has stored and sent nothing. */
  async function isUnknown(visitor: Visitor): Promise<void> {
    expect([await visitor.kept(), visitor.sent, visitor.complaints]).toEqual([null, [], []]);
  }

  /** Asserts that one visitor has clicked once and made one purchase of 10. */
  async function countsOne(experiment: Made, variation: number): Promise<void> {
    const once = { participants: 1, conversions: 1, totalConversions: 1 };
    const { cart, order } = await site.figures(experiment);
    expect([cart[variation], order[variation]]).toEqual([
      { ...once, totalValue: 0 },
      { ...once, totalValue: 10 },
    ]);
  }

  it.each(['draft', 'running', 'pause'])(
    'shows an experiment in status %s with its preview link, and counts nothing',
    async (status) => {
      const experiment = await draft({
        variations: [
          { name: 'Original', traffic_allocation: 100 },
          { name: 'Red', css: TURNS_RED },
        ],
      });
      for (const step of status === 'pause' ? ['running', 'pause'] : [status]) {
        await project.make.move(experiment, step);
      }
      const path = experiment.variations[1].preview_url.slice(site.at(project, '').length);
      const visitor = await site.visit(project, path);
      await until(async () => (await colour(visitor.page)) === RED);
      await acts(visitor, path);
      await isUnknown(visitor);
    },
  );

  it('shows a forced variation, and counts no participants', async () => {
    const experiment = await running();
    const [original] = idsOf(experiment);
    const command = { eventType: 'forceVariation', experimentId: experiment.id, variationId: original };
    const forced = await site.visit(project, '/tea', {
      before: `window.gosset = [${JSON.stringify(command)}];`,
    });
    expect(await colour(forced.page)).toBe(BLACK);
    await acts(forced);
    expect(await site.participants(experiment)).toBe(0);
  });

  it('waits for consent, and stops when consent is withdrawn', async () => {
    const experiment = await running();
    const visitor = await site.visit(project, '/consent');
    expect(await colour(visitor.page)).toBe(BLACK);
    await visitor.page.click('#cart');
    await visitor.page.reload();
    await isUnknown(visitor);
    await visitor.push({ eventType: 'enableTrackingConsent' });
    expect(await colour(visitor.page)).toBe(RED);
    await visitor.page.click('#cart');
    await visitor.push({ eventType: 'custom', eventName: 'order', eventValue: 10 });
    await visitor.told();
    const { length } = visitor.sent;
    await visitor.push({ eventType: 'disableTrackingConsent' });
    expect(await colour(visitor.page)).toBe(BLACK);
    await visitor.page.click('#cart');
    await visitor.page.reload();
    expect([await visitor.kept(), visitor.sent.length]).toEqual([null, length]);
    await countsOne(experiment, idsOf(experiment)[1]);
  });

  it('does not track visitors who send Global Privacy Control', async () => {
    const experiment = await running();
    const visitor = await site.visit(project, '/tea', { before: REFUSES });
    await visitor.push({ eventType: 'enableTrackingConsent' });
    expect(await colour(visitor.page)).toBe(BLACK);
    await acts(visitor);
    await isUnknown(visitor);
    expect(await site.participants(experiment)).toBe(0);
  });

  it('neither loses nor duplicates events while the server is down', async () => {
    const experiment = await running();
    const visitor = await site.visit(project, '/tea');
    await site.withoutServer(async () => {
      await visitor.page.click('#cart');
      await until(() => visitor.complaints.some((text) => text.includes('ERR_CONNECTION_REFUSED')));
      await visitor.push({ eventType: 'custom', eventName: 'order', eventValue: 10 });
      expect(await visitor.waiting()).toBeGreaterThan(1);
    });
    await visitor.page.evaluate("window.dispatchEvent(new Event('online'))");
    await visitor.told();
    await countsOne(experiment, idsOf(experiment)[1]);
  });

  it('counts events once if the response was lost', async () => {
    const experiment = await running();
    const lost: number[] = [];
    const visitor = await site.visit(project, '/consent');
    await visitor.context.route('**/v1/batch?*', async (route) => {
      lost.push((await route.fetch()).status());
      await route.abort();
    });
    await visitor.push({ eventType: 'enableTrackingConsent' });
    await visitor.page.click('#cart');
    await visitor.push({ eventType: 'custom', eventName: 'order', eventValue: 10 });
    await until(() => lost.length > 1);
    // Waits for pending handlers, because aborting a request fails once its route has been removed.
    await visitor.context.unrouteAll({ behavior: 'wait' });
    await visitor.page.reload();
    await visitor.push({ eventType: 'enableTrackingConsent' });
    await visitor.told();
    expect(new Set(lost)).toEqual(new Set([200]));
    await countsOne(experiment, idsOf(experiment)[1]);
  });

  it('reports errors in variation code, and continues', async () => {
    const failures = async (): Promise<number> => {
      const { text } = await site.api.as(null).get('//metrics');
      return Number(/^gosset_snippet_errors_total (\d+)$/m.exec(text)?.[1]);
    };
    const before = await failures();
    const experiment = await running(forEveryone({ css: TURNS_RED, js: "throw new Error('broken')" }));
    const visitor = await site.visit(project, '/tea');
    expect(await colour(visitor.page)).toBe(RED);
    await visitor.page.click('#cart');
    await visitor.push({ eventType: 'custom', eventName: 'order', eventValue: 10 });
    await visitor.told();
    expect(visitor.complaints.join()).toContain('broken');
    expect(await failures()).toBe(before + 1);
    await countsOne(experiment, idsOf(experiment)[1]);
  });

  it('works with a single variation', async () => {
    const experiment = await running({ variations: [{ name: 'Only', css: TURNS_RED }] });
    const visitor = await site.visit(project, '/tea');
    expect(await colour(visitor.page)).toBe(RED);
    await acts(visitor);
    await countsOne(experiment, idsOf(experiment)[0]);
  });

  it('works with variations that change nothing', async () => {
    const experiment = await running({ variations: [{ name: 'A' }, { name: 'B' }] });
    const visitor = await site.visit(project, '/tea');
    await acts(visitor);
    const own = (await visitor.variation(experiment.id)) ?? 0;
    const other = idsOf(experiment).find((id) => id !== own) ?? 0;
    await countsOne(experiment, own);
    const { cart } = await site.figures(experiment);
    expect(cart[other].participants).toBe(0);
  });

  it.each([
    [
      'does not run an experiment outside its environment',
      "location.hostname === 'staging.example'",
      BLACK,
      0,
    ],
    ['runs an experiment in its environment', "location.hostname === 'localhost'", RED, 1],
  ])('%s', async (_, condition, seen, participants) => {
    const fields = { name: 'Staging', code: `return ${condition};`, is_default: false };
    const environment = await site.api.app
      .get(EnvironmentsService, { strict: false })
      .create(project.id, fields, 'admin');
    const experiment = await running({ ...RED_VARIATION, environments: [environment.id] });
    const visitor = await site.visit(project, '/tea');
    expect(await colour(visitor.page)).toBe(seen);
    await acts(visitor);
    expect(await site.participants(experiment)).toBe(participants);
  });
});
