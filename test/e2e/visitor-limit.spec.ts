import { randomUUID } from 'node:crypto';
import { EventLog } from '../../src/events/event-log';
import { ImportWriter } from '../../src/events/import/import-writer';
import { type LoggedScene, onBothEventLogs } from '../support/event-logs';
import { conversion, send } from '../support/events';
import { at, identify } from '../support/linked-visitors';
import { VisitorSite } from '../support/visitor-site';

/* The limit on events per visitor. All events of an id are attributed together, and many people can share an id. */

const scene = {} as LoggedScene;
/** The default limit. */
const MAX_VISITOR_EVENTS = 20_000;
/** The number of a visitor's events that the server receives before it counts the visitor's stored events. */
const SOME = 500;
/** A little more than the time after which the server counts the events of a visitor at the limit again. */
const RECOUNT_MS = 601_000;

const fill = (site: VisitorSite, visitor: string, count: number): Promise<void> =>
  scene.log.fill(
    site.id,
    Array.from({ length: count }, () => ({ visitor_id: visitor, event_id: randomUUID() })),
  );

const linksOf = async ({ id }: VisitorSite): Promise<string[]> => {
  const rows: { visitor_id: string; canonical_id: string }[] = await scene.api.database.read.query(
    'SELECT visitor_id, canonical_id FROM linked_visitors WHERE project_id = ? ORDER BY visitor_id',
    [id],
  );
  return rows.map(({ visitor_id, canonical_id }) => `${visitor_id} ${canonical_id}`);
};

const sales = (visitor: string, count: number): object[] =>
  Array.from({ length: count }, () => conversion(visitor, 'sale', 1));

onBothEventLogs(scene, () =>
  describe('a visitor with very many events', () => {
    it('can send no more events, unlike other visitors', async () => {
      const site = await VisitorSite.create(scene);
      await fill(site, 'guest', MAX_VISITOR_EVENTS);
      const { body } = await site.send([...sales('guest', SOME), ...sales('ann', 1)]);
      expect([body.accepted, body.rejected]).toEqual([1, SOME]);
      expect(body.errors[0]).toMatchObject({ index: 0, reason: 'too_many_events' });
      const batch = sales('guest', 1);
      const trusted = await scene.client.post(`${site.path}/events?strict=1`, { batch });
      expect(trusted.body.errors).toMatchObject([{ reason: 'too_many_events' }]);
    });

    it('can send no more events later on, even if only a few arrive', async () => {
      const site = await VisitorSite.create(scene);
      await site.collect([identify('kiosk', 'user')]);
      await fill(site, 'kiosk', MAX_VISITOR_EVENTS);
      await site.send(sales('kiosk', SOME));
      const now = performance.now.bind(performance);
      const accepted: unknown[] = [];
      for (const [index, visitor] of ['kiosk', 'user', 'kiosk'].entries()) {
        jest.spyOn(performance, 'now').mockImplementation(() => now() + (index + 1) * RECOUNT_MS);
        accepted.push((await site.send(sales(visitor, 1))).body.accepted);
      }
      jest.restoreAllMocks();
      expect(accepted).toEqual([0, 0, 0]);
    });

    it('has one limit for all linked ids together', async () => {
      const site = await VisitorSite.create(scene);
      await site.collect([identify('phone', 'user')]);
      await fill(site, 'phone', MAX_VISITOR_EVENTS / 2);
      await fill(site, 'user', MAX_VISITOR_EVENTS / 2);
      expect((await site.send(sales('phone', SOME))).body.accepted).toBe(0);
      expect((await site.send(sales('user', 1))).body.accepted).toBe(0);
    });

    it('is not linked to ids if it would then exceed the limit', async () => {
      const site = await VisitorSite.create(scene);
      for (const visitor of ['phone', 'laptop', 'tablet', 'watch', 'user']) {
        await fill(site, visitor, 0.4 * MAX_VISITOR_EVENTS);
      }
      await site.collect([
        identify('phone', 'user'),
        identify('laptop', 'user'),
        identify('tablet', 'laptop'),
      ]);
      expect(await linksOf(site)).toEqual(['phone user', 'tablet laptop']);
      const batch = [identify('watch', 'phone'), identify('new', 'phone')];
      await scene.client.post(`${site.path}/events`, { batch });
      const { timestamp } = at(0);
      const imported = [identify('watch', 'user'), identify('newer', 'user')];
      const { receipt } = await scene.api.app.get(ImportWriter, { strict: false }).store(
        site.id,
        imported.map((message) => ({ ...message, timestamp })),
      );
      expect(receipt.rejected).toEqual([]);
      expect(await linksOf(site)).toEqual(['new user', 'newer user', 'phone user', 'tablet laptop']);
      const unlimited = await scene.api.sibling({ EVENTS_PER_VISITOR: '0', ...scene.log.environment });
      await unlimited.as(null).post('//v1/batch', { writeKey: site.key, batch: [identify('watch', 'user')] });
      await unlimited.close();
      expect(await linksOf(site)).toContain('watch user');
    });

    it('can send as many events as the operator allows', async () => {
      const site = await VisitorSite.create(scene);
      await fill(site, 'account', MAX_VISITOR_EVENTS);
      const unlimited = await scene.api.sibling({ EVENTS_PER_VISITOR: '0', ...scene.log.environment });
      const sent = { writeKey: site.key, batch: sales('account', SOME) };
      const { body } = await unlimited.as(null).post('//v1/batch', sent);
      await unlimited.close();
      expect(body).toMatchObject({ accepted: SOME, rejected: 0 });
    });

    it('can send only a few events if the operator allows only a few', async () => {
      const site = await VisitorSite.create(scene);
      const limited = await scene.api.sibling({ EVENTS_PER_VISITOR: '100', ...scene.log.environment });
      const accepted: number[] = [];
      while (accepted.length < 4) {
        accepted.push((await send(limited, site.key, sales('account', 50))).body.accepted as number);
      }
      await limited.close();
      expect(accepted).toEqual([50, 50, 0, 0]);
    });

    it('cannot exceed a small limit with events that arrive one at a time', async () => {
      const site = await VisitorSite.create(scene);
      const limited = await scene.api.sibling({ EVENTS_PER_VISITOR: '50', ...scene.log.environment });
      const accepted: number[] = [];
      for (const count of [49, 1, 1, 1]) {
        accepted.push((await send(limited, site.key, sales('slow', count))).body.accepted as number);
      }
      await limited.close();
      expect(accepted).toEqual([49, 1, 0, 0]);
    });

    it('can send its stored events again', async () => {
      const site = await VisitorSite.create(scene);
      await fill(site, 'busy', MAX_VISITOR_EVENTS - 1);
      const messages = sales('busy', SOME + 1).map((message) => ({ ...message, ...at(0) }));
      await site.collect(messages);
      const log = scene.api.app.get<EventLog>(EventLog, { strict: false });
      const count = (): Promise<number> => log.countOf(site.id, ['busy'], 2 * MAX_VISITOR_EVENTS);
      const stored = await count();
      const { body } = await site.send([...sales('busy', SOME), ...messages]);
      expect([body.accepted, body.rejected]).toEqual([messages.length, SOME]);
      const trusted = await scene.client.post(`${site.path}/events?strict=1`, { batch: messages });
      expect(trusted.body).toMatchObject({ accepted: messages.length });
      const importer = scene.api.app.get(ImportWriter, { strict: false });
      const { receipt } = await importer.store(site.id, messages);
      expect(receipt).toEqual({ accepted: messages.length, rejected: [] });
      expect(await count()).toBe(stored);
    });

    it('is not linked to ids without events, because their events would be rejected', async () => {
      const site = await VisitorSite.create(scene);
      await fill(site, 'guest', MAX_VISITOR_EVENTS);
      await fill(site, 'kiosk', MAX_VISITOR_EVENTS);
      await site.collect([identify('ann', 'guest'), identify('kiosk', 'ben')]);
      expect(await linksOf(site)).toEqual([]);
    });

    it('does not make other visitors wait if the event log does not respond', async () => {
      const site = await VisitorSite.create(scene);
      const limited = await scene.api.sibling({ EVENTS_PER_VISITOR: '1', ...scene.log.environment });
      const log = limited.app.get<EventLog>(EventLog, { strict: false });
      const counting = jest.spyOn(log, 'countOf').mockReturnValue(new Promise(() => undefined));
      const visitors = Array.from({ length: 12 }, () => randomUUID());
      const messages = (): object[] => visitors.flatMap((visitor) => sales(visitor, 1));
      const answer = await send(limited, site.key, messages());
      const counted = counting.mock.calls.length;
      counting.mockResolvedValue(1);
      const next = await send(limited, site.key, messages());
      await limited.close();
      expect([answer.status, answer.body.accepted]).toEqual([200, visitors.length]);
      expect(counted).toBeLessThan(visitors.length);
      expect(next.body.accepted).toBe(0);
    });

    it('can send as many events as the limit allows', async () => {
      const site = await VisitorSite.create(scene);
      await fill(site, 'busy', MAX_VISITOR_EVENTS - 2 * SOME);
      await site.collect(sales('busy', SOME));
      await site.collect(sales('busy', SOME - 1));
    });
  }),
);
