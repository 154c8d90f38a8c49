import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { ExclusionsService } from '../../src/events/exclusions/exclusions.service';
import { RebuildService } from '../../src/events/rebuild.service';
import { AdminCommand } from '../support/admin';
import { type LoggedScene, onBothEventLogs } from '../support/event-logs';
import { attributeAll, message, MessageFields } from '../support/events';
import { cellsOf, figuresOf } from '../support/ledger';
import { identify } from '../support/linked-visitors';
import type { Made } from '../support/scene';
import { checks } from '../support/properties';
import { tablesWith, VisitorSite } from '../support/visitor-site';

/* After a visitor is deleted, the results are the same to the last digit as if the visitor had never visited. */

const scene = {} as LoggedScene;
const RUNS = 8;
const VISITORS = 8;

const nameOf = (number: number): string => `visitor-${number}`;

onBothEventLogs(scene, () =>
  describe('deleting a visitor', () => {
    it('leaves the results as if the visitor had never visited, even for the first or last visitor', async () => {
      for (const left of [1, 0, VISITORS - 1]) {
        const site = await VisitorSite.create(scene);
        const sent: MessageFields[][] = [];
        for (let number = 0; number < VISITORS; number += 1) {
          sent.push(site.messagesOf(nameOf(number), number));
        }
        // At first, only the messages of the other visitors are counted.
        for (const [number, messages] of sent.entries()) {
          if (number !== left) {
            expect((await site.send(messages)).body.accepted).toBe(4);
          }
        }
        const without = await site.shown();
        const [messages] = sent.splice(left, 1);
        expect((await site.send(messages)).body.accepted).toBe(4);
        expect(await site.shown()).not.toEqual(without);

        await site.remove(nameOf(left));
        expect(await site.shown()).toEqual(without);
        await scene.api.app.get(RebuildService, { strict: false }).rebuild({ projectId: site.id });
        expect(await site.shown()).toEqual(without);
      }
    });

    it('changes the ETag of the results, and removes the results if there are no other participants', async () => {
      const site = await VisitorSite.create(scene);
      await site.visit('only');
      expect(await site.participants()).toEqual([1, 1]);
      const results = `${site.experiments[0].path}/results`;
      const tag = (await scene.client.get(results)).headers.etag;
      await site.remove('only');
      await attributeAll(scene.api);
      const after = await scene.client.get(results);
      expect([after.status, after.body.message]).toEqual([404, 'No result found for this experiment']);
      expect(after.headers.etag).not.toBe(tag);
    });

    it('deletes all linked ids, links and exclusions, so no table contains any of the ids', async () => {
      const site = await VisitorSite.create(scene);
      const [device, phone, user] = [randomUUID(), randomUUID(), randomUUID()];
      await site.visit('other');
      const before = await site.shown();
      await site.visit(device, 0);
      await site.visit(phone, 1);
      await site.send([identify(device, user), identify(phone, user)]);
      expect(await site.participants()).toEqual([2, 2]);
      await site.remove(phone);
      expect(await site.shown()).toEqual(before);
      expect([
        ...(await tablesWith(scene, site, device)),
        ...(await tablesWith(scene, site, phone)),
        ...(await tablesWith(scene, site, user)),
      ]).toEqual([]);
      expect((await scene.log.stored(site.id)).filter(({ visitor_id }) => visitor_id === device)).toEqual([]);
      for (const id of [device, phone, user]) {
        expect((await site.delete(id)).status).toBe(404);
      }
      const [{ links }]: { links: number }[] = await scene.api.database.read.query(
        'SELECT links FROM link_counts WHERE project_id = ?',
        [site.id],
      );
      expect(links).toBe(0);
    });

    it('changes no results for an excluded visitor, and deletes the exclusion', async () => {
      const site = await VisitorSite.create(scene);
      await site.visit('stays');
      const before = await site.shown();
      const visitor = randomUUID();
      await site.visit(visitor);
      const criteria = { ids: [visitor] };
      await attributeAll(scene.api);
      const exclusions = scene.api.app.get(ExclusionsService, { strict: false });
      const { id } = await exclusions.exclude({ projectId: site.id, experimentId: null, criteria }, 1);
      expect(await site.shown()).toEqual(before);
      await site.remove(visitor);
      expect(await tablesWith(scene, site, visitor)).toEqual([]);
      await exclusions.include(id);
      expect(await site.shown()).toEqual(before);
    });

    it('causes later messages to be rejected: batches, trusted events, links and imports', async () => {
      const site = await VisitorSite.create(scene);
      const visitor = randomUUID();
      await site.visit('other');
      const before = await site.shown();
      const late = site.messagesOf(visitor, 1);
      await site.visit(visitor);
      await site.remove(visitor);

      const rejected = await site.send([...late, ...site.messagesOf('other', 2).slice(2, 3)]);
      expect(rejected.body).toMatchObject({ success: true, accepted: 1, rejected: 4 });
      expect(rejected.body.errors[0]).toMatchObject({ index: 0, reason: 'visitor_deleted' });
      const trusted = await scene.client.post(`${site.path}/events?strict=1`, { batch: late });
      expect(trusted.body).toMatchObject({ accepted: 0, rejected: 4 });
      const links = [identify(randomUUID(), visitor), identify(visitor, randomUUID())];
      expect((await site.send(links)).body).toMatchObject({ accepted: 0, rejected: 2 });

      const admin = new AdminCommand(scene.api.databaseUrl, scene.log.environment);
      const file = join(admin.folder, 'late.ndjson');
      writeFileSync(file, late.map((each) => JSON.stringify(each)).join('\n'));
      const report = await admin.json(['events:import', '--project', String(site.id), '--file', file]);
      expect(report).toMatchObject({ accepted: 0, reasons: { visitor_deleted: 4 } });
      admin.remove();

      expect(await tablesWith(scene, site, visitor)).toEqual([]);
      expect((await site.participants())[0]).toBe(1);
      expect(JSON.stringify(before)).toContain('"participants":1');
      const { payload } = await scene.api.app.inject({ method: 'GET', url: '/metrics' });
      expect(payload).toMatch(/gosset_events_rejected_total\{reason="visitor_deleted"\} [1-9]/);
    });

    it('causes messages to be rejected for 30 days', async () => {
      const site = await VisitorSite.create(scene);
      await site.visit('comes-again');
      await site.remove('comes-again');
      await scene.api.database.transaction((tx) =>
        tx.query('UPDATE deleted_visitors SET expires_at = expires_at - ?', [30 * 86_400_000_000]),
      );
      await site.visit('comes-again');
      expect(await site.participants()).toEqual([1, 1]);
    });

    it('removes the visitor from the recent messages, and lists later messages without the id', async () => {
      const site = await VisitorSite.create(scene);
      const visitor = randomUUID();
      await site.visit(visitor);
      await site.visit('other');
      const list = async () => (await scene.client.get(`${site.path}/events/recent`)).body.messages as Made[];
      expect(await list()).toHaveLength(8);
      await site.remove(visitor);
      await site.send([message(visitor, { event: 'sale' })]);
      const left = await list();
      expect(left).toHaveLength(5);
      expect(left[0]).toMatchObject({ outcome: 'rejected', reason: 'visitor_deleted', visitor_id: null });
      expect(JSON.stringify(left)).not.toContain(visitor);
    });

    it('is recorded in the audit log, without the id', async () => {
      const site = await VisitorSite.create(scene);
      const visitor = randomUUID();
      await site.visit(visitor);
      await site.remove(visitor);
      const { body } = await scene.client.get(`${site.path}/audit?action=delete-visitor`);
      expect(body).toHaveLength(1);
      expect(body[0]).toMatchObject({
        action: 'delete-visitor',
        item_type: 'visitor',
        before: { ids: 1, events: 4 },
        after: null,
      });
      expect(JSON.stringify(body)).not.toContain(visitor);
    });

    it('stores nothing in a dry run', async () => {
      const site = await VisitorSite.create(scene);
      await site.visit('dry');
      const before = await site.shown();
      const answer = await site.delete('dry', '?dry_run=1');
      expect([answer.status, answer.headers['x-dry-run']]).toEqual([204, 'true']);
      expect(await site.shown()).toEqual(before);
      await site.visit('dry');
    });

    it('leaves the results of other visitors unchanged, whatever the order of events, links and rebuilds', async () => {
      const number = fc.integer({ min: 0, max: VISITORS - 1 });
      const step = fc.oneof(
        { weight: 4, arbitrary: fc.record({ kind: fc.constant('visit' as const), number }) },
        { weight: 2, arbitrary: fc.record({ kind: fc.constant('attribute' as const), number }) },
        { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), number }) },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('rebuild step' as const), number }) },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('carry out' as const), number }) },
      );
      const property = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
        const site = await VisitorSite.create(scene);
        const rebuilds = scene.api.app.get(RebuildService, { strict: false });
        for (const { kind, number } of steps) {
          if (kind === 'visit') {
            await site.send(site.messagesOf(nameOf(number), number));
          } else if (kind === 'delete') {
            expect([204, 404]).toContain((await site.delete(nameOf(number))).status);
          } else if (kind === 'rebuild step') {
            await rebuilds.follow();
          } else if (kind === 'carry out') {
            await scene.log.carryOut();
          } else {
            await attributeAll(scene.api);
          }
        }
        const after = await site.shown();
        const cells = (await site.cells()).map(figuresOf).sort();
        expect(cells).toEqual(cellsOf(await scene.log.stored(site.id)));
        await rebuilds.rebuild({ projectId: site.id });
        expect(await site.shown()).toEqual(after);
      });
      await fc.assert(property, checks(RUNS));
    }, 120_000);
  }),
);
