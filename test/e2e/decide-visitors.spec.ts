import { newSite, running, Site } from '../support/delivery';
import { storedEvents } from '../support/events';
import { useScene } from '../support/scene';

/* POST /v1/decide: recorded exposures, and conditions on visitors. */

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

const scene = useScene();
let site: Site;

beforeEach(async () => {
  site = await newSite(scene);
});

const decide = async (body: object) => (await site.post('/v1/decide', body)).body;

describe('an exposure', () => {
  const exposures = async () =>
    (await storedEvents(scene.api)).filter(({ visitor_id }) => visitor_id.startsWith('seen-'));

  afterEach(() =>
    scene.api.database.transaction((tx) => tx.query("DELETE FROM events WHERE visitor_id LIKE 'seen-%'")),
  );

  it('is recorded once across decisions, whether its assignment is new or kept', async () => {
    const experiment = await running(site);
    const { user } = await decide({ user: { id: 'seen-1', device: { userAgent: IPHONE } } });
    await decide({ user });
    await decide({ user: { id: 'seen-1' } });
    expect(await exposures()).toEqual([
      expect.objectContaining({
        visitor_id: 'seen-1',
        experiment_id: experiment.id,
        variation_id: user.bucketing[experiment.id],
        goal_id: null,
        device: 1,
      }),
    ]);
  });

  it('is not recorded if the visitor sees no variation, or record is false', async () => {
    const page = await site.make.page({ conditions: [{ match: 'simple', value: '/cart' }] });
    const experiment = await running(site, 2, { pages: [page.id] });
    await running(site, 2, { traffic_allocation: 0 });
    const bucketing = { [experiment.id]: experiment.variations[0].id };
    const view = { url: 'https://shop.example/' };
    await decide({ user: { id: 'seen-2', bucketing }, context: { view } });
    const { experiments } = await decide({ user: { id: 'seen-2' }, record: false });
    expect([experiments[0].reason, await exposures()]).toEqual(['assigned', []]);
  });

  it('is recorded for the selected experiments only', async () => {
    const [first] = [await running(site), await running(site)];
    await decide({ user: { id: 'seen-3' }, selector: { experiments: [first.id] } });
    await decide({ user: { id: 'seen-3' }, selector: { experiments: [] } });
    expect((await exposures()).map(({ experiment_id }) => experiment_id)).toEqual([first.id]);
  });

  it.each([
    [{ attributes: { deviceType: 'tablet' } }, 2],
    [{ device: { userAgent: 'Mozilla/5.0 (X; nothing known)' } }, 3],
    [{}, 3],
  ])('of a visitor with %j has the device type %s', async (user, device) => {
    await running(site);
    await decide({ user: { id: 'seen-4', ...user } });
    expect(await exposures()).toMatchObject([{ device }]);
  });

  it('does not have the device of the back end', async () => {
    await running(site);
    await site.post('/v1/decide', { user: { id: 'seen-5' } }, { 'user-agent': IPHONE });
    expect(await exposures()).toMatchObject([{ device: 3 }]);
  });
});

describe('conditions', () => {
  it.each([
    [
      'device',
      { type: 'device', value: 'mobile' },
      { device: { userAgent: IPHONE } },
      { device: { userAgent: 'curl/8' } },
    ],
    ['browser', { type: 'browser', value: 'safari' }, { device: { userAgent: IPHONE } }, {}],
    [
      'os',
      { type: 'os', match: 'in', value: ['ios'] },
      { device: { userAgent: IPHONE } },
      { attributes: { os: 'android' } },
    ],
    [
      'query',
      { type: 'query', name: 'utm.source', value: 'mail' },
      { attributes: { query: { 'utm%2Esource': 'mail' } } },
      { attributes: { query: { 'utm.source': 'mail' } } },
    ],
    ['visitor', { type: 'visitor', value: 'new' }, { attributes: { visitor: 'new' } }, {}],
    ['cookie', { type: 'cookie', name: 'a', match: 'exists' }, null, { attributes: { cookie: {} } }],
    ['javascript', { type: 'javascript', value: 'true' }, null, {}],
  ])('on the %s match eligible visitors only', async (_, conditions, eligible, other) => {
    const audience = await site.make.audience({ conditions });
    await running(site, 2, { audiences: [audience.id] });
    const reasonFor = async (user: object): Promise<string> =>
      (await decide({ user: { id: 'v', ...user } })).experiments[0].reason;
    if (eligible !== null) {
      expect(await reasonFor(eligible)).toBe('assigned');
    }
    expect(await reasonFor(other)).toBe('audience');
  });

  it.each([
    [
      'url',
      { type: 'url', match: 'contains', value: '/cart?x=%20y' },
      { url: 'HTTPS://Shop.example/cart?x= y' },
      { url: 'https://shop.example/' },
    ],
    [
      'query',
      { type: 'query', name: 'utm.source', value: 'mail' },
      { url: 'https://a.example/?utm.source=mail&utm.source=x' },
      { url: 'https://a.example/?utm.source=x&utm.source=mail' },
    ],
    [
      'query',
      { type: 'query', name: 'constructor', match: 'exists' },
      { url: 'https://a.example/?constructor' },
      { url: 'https://a.example/' },
    ],
    [
      'referrer',
      { type: 'referrer', match: 'starts_with', value: 'https://search.example/' },
      { url: 'https://a.example/', referrer: 'https://search.example/x' },
      { url: 'https://a.example/' },
    ],
    [
      'referrer',
      { type: 'referrer', match: 'starts_with', value: 'https://search.example/?q=b\u00fccher' },
      { url: 'https://a.example/', referrer: 'HTTPS://Search.example?q=b\u00fccher' },
      { url: 'https://a.example/', referrer: 'search.example' },
    ],
  ])('on the %s are evaluated for the page view', async (_, conditions, there, elsewhere) => {
    const audience = await site.make.audience({ conditions });
    await running(site, 2, { audiences: [audience.id] });
    const reasonAt = async (view: object): Promise<string> =>
      (await decide({ user: { id: 'v' }, context: { view } })).experiments[0].reason;
    expect(await reasonAt(there)).toBe('assigned');
    expect(await reasonAt(elsewhere)).toBe('audience');
  });
});
