import { randomUUID } from 'node:crypto';
import { ExclusionsService } from '../../src/events/exclusions/exclusions.service';
import { USER_AGENT } from '../support/browser';
import { newSite, running, type Site } from '../support/delivery';
import { conversion, exposure, message, pageView, send } from '../support/events';
import { askRecent, recentOf, verdictsOf } from '../support/recent-events';
import { type Made, useScene } from '../support/scene';

/* The recent messages of a project and their outcomes. */

const scene = useScene({ TRUST_PROXY: '127.0.0.1' });
const LIBRARY = { context: { library: { name: 'gosset.js' } } };

const batch = (site: Site, messages: unknown[], headers: Record<string, string> = {}) =>
  send(scene.api, site.key, messages, {}, { 'user-agent': USER_AGENT, ...headers });

/** Creates a project with the goal `sale`. */
async function shop(): Promise<Site & { sale: Made }> {
  const site = await newSite(scene);
  return { ...site, sale: await site.make.goal({ name: 'Sale', value_type: 'revenue' }) };
}

describe('the outcome of messages', () => {
  it('matches the response to the request, with reasons, newest first', async () => {
    const { sale, ...site } = await shop();
    const trusted = await site.make.goal({ name: 'Paid', trusted_only: true });
    const experiment = await running(site);
    const preview = await site.make.withStatus('preview');
    const draft = await site.make.withStatus('pause');
    const [variation] = experiment.variations as { id: number }[];
    await batch(site, [
      exposure('ann', experiment.id, variation.id),
      conversion('ann', 'sale', 49.9),
      { type: 'identify', anonymousId: 'ann', userId: 'u-1' },
      { type: 'identify', anonymousId: 'ann' },
      'no message',
      message('ann', { type: 'launch' }),
      conversion('ünknown', 'sale', 1),
      conversion('ann', 'sale', 1, { messageId: 'x'.repeat(256) }),
      conversion('ann', 'sale', 1, { timestamp: 'yesterday' }),
      conversion('ann', 'sail'),
      conversion('ann', 'sale', 'much'),
      pageView('ann', 'not a url'),
      pageView('ann', 'https://shop.example.com/'),
      exposure('ann', 999_999, 1),
      exposure('ann', experiment.id, 999_999),
      exposure('ann', preview.id, preview.variations[0].id),
      exposure('ann', draft.id, draft.variations[0].id, { timestamp: undefined }),
      conversion('ann', trusted.api_name),
      conversion('ann', 'sale', 1, { context: { userAgent: 'Googlebot/2.1' } }),
    ]);
    const messages = await recentOf(scene, site);
    expect(messages.map(({ outcome, reason }) => reason ?? outcome).reverse()).toEqual([
      'accepted',
      'accepted',
      // The first identify message links two ids. The second has only one id, so it links nothing.
      'accepted',
      'ignored',
      'invalid_message',
      'unknown_type',
      'invalid_visitor',
      'invalid_message_id',
      'invalid_timestamp',
      'unknown_event',
      'invalid_value',
      'invalid_url',
      'no_matching_page',
      'unknown_experiment',
      'unknown_variation',
      'experiment_in_preview',
      'experiment_not_running',
      'untrusted',
      'bot',
    ]);
    expect(messages.at(-1)).toEqual({
      received_at: expect.any(String),
      outcome: 'accepted',
      reason: null,
      source: 'batch',
      host: null,
      type: 'track',
      event: 'Experiment Viewed',
      visitor_id: 'ann',
      experiment: String(experiment.id),
      variation: String(variation.id),
      experiment_id: experiment.id,
      variation_id: variation.id,
      goal_ids: [],
      value: null,
      detail: null,
      occurred_at: expect.any(String),
    });
    expect(messages.at(-2)).toMatchObject({
      event: 'sale',
      value: '49.9',
      goal_ids: [sale.id],
    });
    expect(messages.at(-10)).toMatchObject({ event: 'sail', goal_ids: [], occurred_at: null });
  });

  it('marks a message whose id another goal of the visitor already has as a duplicate', async () => {
    const site = await shop();
    const { api_name } = await site.make.goal({ name: 'Purchased' });
    await running(site);
    const order = { messageId: 'order-501' };
    await batch(site, [conversion('ben', api_name, undefined, order), conversion('ben', 'sale', 80, order)]);
    expect(verdictsOf(await recentOf(scene, site))).toEqual(['accepted', 'duplicate']);
  });

  it('marks duplicates, and events of excluded visitors', async () => {
    const site = await shop();
    const experiment = await running(site);
    const once = conversion('ben', 'sale', 5);
    await batch(site, [once, exposure('cleo', experiment.id, experiment.variations[0].id)]);
    await batch(site, [once]);
    expect(verdictsOf(await recentOf(scene, site))).toEqual(['accepted', 'accepted', 'duplicate']);
    const { projectId } = site;
    const exclusions = scene.api.app.get(ExclusionsService, { strict: false });
    await exclusions.exclude({ projectId, experimentId: null, criteria: { ids: ['cleo'] } }, 10);
    expect(verdictsOf(await recentOf(scene, site))).toEqual(['accepted', 'excluded', 'duplicate']);
  });

  it('is recorded for every route', async () => {
    const site = await shop();
    const experiment = await running(site);
    const [first] = experiment.variations as { id: number }[];
    const goal = await site.make.goal({ name: 'Signed up' });
    const decided = await site.post('/v1/decide', { user: { id: 'dora' } });
    expect(decided.status).toBe(200);
    const converted = await site.post('/v1/track', {
      user: { id: 'dora' },
      events: [{ id: goal.id }, { id: 999_999 }],
    });
    expect(converted.status).toBe(422);
    await site.post('/v1/t', { event: 'sale', userId: 7, properties: { value: 3 } });
    await site.post('/track', {
      event_name: 'Experiment Viewed',
      properties_json: { experimentId: `exp-${experiment.id}`, variationId: first.id, hashValue: 'emil' },
    });
    await batch(site, [{ ...conversion('fay', 'sale', 1), ...LIBRARY }], {
      origin: 'https://Shop.example.com:8443',
    });
    await scene.client.post(`${site.make.project}/events`, { batch: [conversion('gus', 'sale', 2)] });
    const messages = (await recentOf(scene, site)).reverse();
    expect(messages.map(({ source, outcome, reason }) => [source, outcome, reason])).toEqual([
      ['decide', 'accepted', null],
      ['track', 'rejected', 'request_rejected'],
      ['track', 'rejected', 'unknown_event'],
      ['segment', 'accepted', null],
      ['sdk', 'accepted', null],
      ['snippet', 'accepted', null],
      ['trusted', 'accepted', null],
    ]);
    expect(messages.map(({ visitor_id }) => visitor_id)).toEqual([
      'dora',
      'dora',
      'dora',
      '7',
      'emil',
      'fay',
      'gus',
    ]);
    expect(messages.map(({ host }) => host)).toEqual([
      null,
      null,
      null,
      null,
      null,
      'shop.example.com:8443',
      null,
    ]);
  });

  it('is recorded for errors that snippets report, and for late trusted events', async () => {
    const site = await shop();
    const properties = { build: '', where: 'variation', message: 'x is not defined'.repeat(30) };
    await batch(site, [{ ...message('hal', { type: 'error', properties }), ...LIBRARY }]);
    const timestamp = new Date(Date.now() - 100 * 3_600_000).toISOString();
    await scene.client.post(`${site.make.project}/events`, {
      batch: [conversion('hal', 'sale', 2, { timestamp })],
    });
    const [late, error] = await recentOf(scene, site);
    expect(error).toMatchObject({ type: 'error', outcome: 'accepted', source: 'snippet' });
    expect(error.detail).toBe('x is not defined'.repeat(30).slice(0, 200));
    expect(late).toMatchObject({ outcome: 'accepted', reason: 'late' });
    expect(Date.parse(late.occurred_at!)).toBe(Date.parse(timestamp));
  });

  it('is not recorded for dry runs', async () => {
    const site = await shop();
    await scene.client.post(`${site.make.project}/events?dry_run=1`, {
      batch: [conversion('ida', 'sale', 2)],
    });
    expect(await recentOf(scene, site)).toEqual([]);
  });
});

describe('the limits of the list', () => {
  it('keep the last 200 messages', async () => {
    const site = await shop();
    const named = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => conversion(`visitor-${from + index}`, 'sale', 1));
    await batch(site, named(0, 200));
    await batch(site, named(200, 1));
    const first = await recentOf(scene, site);
    expect([first.length, first[0].visitor_id, first.at(-1)!.visitor_id]).toEqual([
      200,
      'visitor-200',
      'visitor-1',
    ]);
    await batch(site, named(300, 450));
    const later = await recentOf(scene, site);
    expect([later.length, later[0].visitor_id, later.at(-1)!.visitor_id]).toEqual([
      200,
      'visitor-749',
      'visitor-550',
    ]);
  });

  it('truncate each text, and omit paths, queries and client addresses', async () => {
    const site = await shop();
    const long = '<script>alert(1)</script>\u0000\u202e'.repeat(400);
    const visits = { 'x-forwarded-for': '203.0.113.77', 'user-agent': long };
    await batch(
      site,
      [
        {
          ...message(long, { event: long, type: long }),
          properties: {
            experiment_id: long,
            variation_id: long,
            value: long,
            url: `https://x.test/?q=${long}`,
          },
        },
        { type: { a: 1 }, event: ['x'], anonymousId: null, userId: {}, properties: 'text', context: 5 },
        { __proto__: null, constructor: 1, type: 'track', event: '__proto__', anonymousId: 'mo' },
      ],
      { ...visits, origin: 'https://user:secret@shop.example.com/secret?token=secret' },
    );
    await batch(site, [conversion('mo', 'sale', 1)], {
      ...visits,
      referer: 'https://shop.example.com/cart?token=secret#secret',
    });
    const { text, body } = await askRecent(scene, site);
    expect(text).not.toContain('203.0.113');
    expect(text).not.toContain('secret');
    expect(text.length).toBeLessThan(4_000);
    const [last, , , first] = body.messages;
    expect(last.host).toBe('shop.example.com');
    expect([first.host, first.type.length, first.event.length, first.visitor_id.length]).toEqual([
      null,
      20,
      64,
      64,
    ]);
    expect([first.experiment.length, first.variation.length, first.value.length]).toEqual([64, 64, 32]);
  });
});

describe('access to the list', () => {
  it('requires membership in the team, which is checked on each read', async () => {
    const site = await shop();
    const { viewer } = scene.world.people;
    const path = `${site.make.project}/events/recent`;
    for (const expected of [0, 1, 2]) {
      const { status, body, headers } = await viewer.client.get(path);
      expect([status, body.messages.length, headers.etag]).toEqual([200, expected, undefined]);
      await batch(site, [conversion(randomUUID(), 'sale', 1)]);
    }
    expect((await scene.world.outsider.client.get(path)).status).toBe(404);
    expect((await scene.api.as(null).get(path)).status).toBe(401);
  });

  it('is possible for a project without messages, whose list has only the start of the recorded period', async () => {
    const { body } = await askRecent(scene, await shop());
    expect(body).toEqual({ since: expect.any(String), is_shared: false, messages: [] });
    expect(Date.parse(body.since)).toBeLessThanOrEqual(Date.now());
  });
});
