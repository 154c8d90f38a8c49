import { USER_AGENT } from '../support/browser';
import { newSite, type Site } from '../support/delivery';
import { conversion, send } from '../support/events';
import { askRecent, recentOf, verdictsOf } from '../support/recent-events';
import { useScene } from '../support/scene';

/* Filters for the recent messages of a project. */

const scene = useScene();

const batch = (site: Site, messages: unknown[]) =>
  send(scene.api, site.key, messages, {}, { 'user-agent': USER_AGENT });

/** Creates a project with the goal `sale`. */
async function shop(): Promise<Site> {
  const site = await newSite(scene);
  await site.make.goal({ name: 'Sale', value_type: 'revenue' });
  return site;
}

describe('the filters', () => {
  it('select messages by outcome and time', async () => {
    const site = await shop();
    await batch(site, [conversion('nia', 'sale', 1), conversion('nia', 'nothing')]);
    const [newest] = await recentOf(scene, site);
    await batch(site, [conversion('nia', 'sale', 2), { type: 'group', anonymousId: 'nia' }]);
    expect(verdictsOf(await recentOf(scene, site, '?outcome=rejected'))).toEqual(['rejected unknown_event']);
    expect(verdictsOf(await recentOf(scene, site, '?outcome=ignored,rejected'))).toEqual([
      'rejected unknown_event',
      'ignored',
    ]);
    const since = encodeURIComponent(newest.received_at);
    expect(verdictsOf(await recentOf(scene, site, `?since=${since}`))).toEqual(['accepted', 'ignored']);
    expect(await recentOf(scene, site, `?since=${since}&outcome=rejected`)).toEqual([]);
  });

  it('select among the last 200 messages, and the list shows since when they are known', async () => {
    const site = await shop();
    await batch(site, [conversion('nia', 'nothing')]);
    const { since: start } = (await askRecent(scene, site)).body;
    await batch(site, [conversion('nia', 'sale', 1)]);
    const [{ received_at: first }] = await recentOf(scene, site);
    await batch(
      site,
      Array.from({ length: 198 }, (_, index) => conversion(`visitor-${index}`, 'sale', 1)),
    );
    expect((await askRecent(scene, site, '?outcome=rejected')).body.since).toBe(start);
    await batch(site, [conversion('ole', 'sale', 1)]);
    const { body } = await askRecent(scene, site, '?outcome=rejected');
    expect([body.messages, body.since]).toEqual([[], first]);
    expect(Date.parse(first)).toBeGreaterThan(Date.parse(start));
  });

  it.each([
    ['outcome=stored', 'outcome'],
    ['outcome=', 'outcome'],
    ['since=yesterday', 'since'],
    ['since=2026-02-30T00:00:00Z', 'since'],
    ['since=2026-05-01&since=2026-05-02', 'since'],
  ])('reject %s', async (query, field) => {
    const { status, body } = await askRecent(scene, await shop(), `?${query}`);
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });
});
