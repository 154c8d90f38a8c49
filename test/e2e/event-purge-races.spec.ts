import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClickHouse } from '../../src/events/clickhouse/clickhouse';
import { EventLog } from '../../src/events/event-log';
import { EventStore } from '../../src/events/event.store';
import { LinkStore } from '../../src/events/links/link.store';
import { type TrashKey, TrashService } from '../../src/projects/trash/trash.service';
import type { Answer } from '../support/client';
import { type LoggedScene, onBothEventLogs } from '../support/event-logs';
import { attributeAll } from '../support/events';
import { identify } from '../support/linked-visitors';
import type { Made } from '../support/scene';
import { tablesWith, VisitorSite } from '../support/visitor-site';
import { signal } from '../support/signal';

/* Records are purged while their events are being collected. */

const scene = {} as LoggedScene;
/** Longer than a purge takes. */
const PURGE_MS = 1_000;

onBothEventLogs(scene, () =>
  describe('a batch that was resolved before a purge', () => {
    let site: VisitorSite;
    let visitor: string;

    beforeEach(async () => {
      site = await VisitorSite.create(scene);
      visitor = randomUUID();
      await site.visit(randomUUID());
    });
    afterEach(() => jest.restoreAllMocks());

    async function remove(path: string): Promise<void> {
      expect((await scene.client.delete(path)).status).toBe(204);
    }

    async function purge(key: TrashKey): Promise<void> {
      expect(await scene.api.app.get(TrashService, { strict: false }).purge(key, 'admin')).toBeNull();
    }

    /**
     * Sends messages of the time before these experiments were paused, and calls `work` just before the messages are
     * stored. A pause at that time would reject the exposures.
     */
    async function sendAfter(
      work: () => Promise<void>,
      paused: Made[],
      messages: object[] = site.messagesOf(visitor),
    ): Promise<Answer> {
      const timestamp = new Date().toISOString();
      for (const experiment of paused) {
        await site.make.move(experiment, 'pause');
      }
      const log = scene.api.app.get(EventLog, { strict: false });
      const append = log.append.bind(log);
      jest.spyOn(log, 'append').mockImplementationOnce(async (...given) => {
        await work();
        return append(...given);
      });
      return site.send(messages.map((message) => ({ ...message, timestamp })));
    }

    const experimentsOfVisitor = async (): Promise<Set<number | null>> => {
      await attributeAll(scene.api);
      const left = (await scene.log.stored(site.id)).filter(({ visitor_id }) => visitor_id === visitor);
      return new Set(left.map(({ experiment_id }) => experiment_id));
    };

    it('and is stored after the purge leaves no exposure of the purged experiment', async () => {
      const [gone, kept] = site.experiments;
      const { body } = await sendAfter(async () => {
        await remove(gone.path);
        await purge({ type: 'experiment', id: gone.id });
      }, [gone]);
      expect(body).toMatchObject({ accepted: 2, rejected: 2 });
      expect(await experimentsOfVisitor()).toEqual(new Set([kept.id, null]));
    });

    it('and is stored after the purge leaves no data of the purged project', async () => {
      const { status } = await sendAfter(async () => {
        await remove(site.path);
        await purge({ type: 'project', id: site.id });
      }, site.experiments);
      expect(status).toBe(401);
      expect(await tablesWith(scene, site, visitor)).toEqual([]);
    });

    /**
     * Prepares a purge that begins when `amid` is called. `amid` waits until the purge ends, or for `PURGE_MS` if the
     * purge is blocked.
     */
    function purgeDuring(key: TrashKey): { amid: () => Promise<void>; over: Promise<void> } {
      const storing = signal();
      const over = storing.given.then(() => purge(key));
      const amid = async (): Promise<void> => {
        storing.give();
        await Promise.race([over, sleep(PURGE_MS)]);
      };
      return { amid, over };
    }

    /** Calls `amid` before events are inserted, in either event log. */
    function beforeEventsAreInserted(amid: () => Promise<void>): void {
      const events = scene.api.app.get(EventStore, { strict: false });
      const insertEvents = events.insertEvents.bind(events);
      jest.spyOn(events, 'insertEvents').mockImplementationOnce(async (...given) => {
        await amid();
        return insertEvents(...given);
      });
      const { insert } = ClickHouse.prototype;
      jest.spyOn(ClickHouse.prototype, 'insert').mockImplementationOnce(async function (
        this: ClickHouse,
        ...given
      ) {
        await amid();
        return insert.apply(this, given);
      });
    }

    it('and is being stored during the purge leaves no exposure of the purged experiment', async () => {
      const [gone, kept] = site.experiments;
      const { amid, over } = purgeDuring({ type: 'experiment', id: gone.id });
      beforeEventsAreInserted(amid);
      await sendAfter(() => remove(gone.path), [gone]);
      await over;
      expect(await experimentsOfVisitor()).toEqual(new Set([kept.id, null]));
      await scene.log.carryOut();
      expect(await scene.log.has(site.id, `"experiment_id":${gone.id},`)).toBe(false);
      expect(await scene.log.has(site.id, `"experiment_id":${kept.id},`)).toBe(true);
    });

    it('and is being stored during the purge leaves no data of the purged project', async () => {
      const { amid, over } = purgeDuring({ type: 'project', id: site.id });
      beforeEventsAreInserted(amid);
      await sendAfter(() => remove(site.path), site.experiments);
      await over;
      expect(await tablesWith(scene, site, visitor)).toEqual([]);
    });

    it.each(['decide', 'insert'] as const)(
      'and links ids during the purge leaves no link of the purged project, at the call "%s"',
      async (method) => {
        const { amid, over } = purgeDuring({ type: 'project', id: site.id });
        const links = scene.api.app.get(LinkStore, { strict: false });
        const store = links[method].bind(links) as (...given: unknown[]) => Promise<never>;
        jest.spyOn(links, method).mockImplementationOnce(async (...given: unknown[]) => {
          await amid();
          return store(...given);
        });
        await sendAfter(() => remove(site.path), site.experiments, [identify(visitor, randomUUID())]);
        await over;
        // The links are counted first, because `tablesWith` repeats the purge, which deletes what has arrived in
        // ClickHouse.
        expect(await rowsOfLinks()).toBe(0);
        expect(await tablesWith(scene, site, visitor)).toEqual([]);
      },
    );

    async function rowsOfLinks(): Promise<number> {
      const rows: unknown[] = await scene.api.database.read.query(
        `SELECT project_id FROM linked_visitors WHERE project_id = ?
          UNION ALL SELECT project_id FROM link_counts WHERE project_id = ?
          UNION ALL SELECT project_id FROM dirty_visitors WHERE project_id = ?`,
        [site.id, site.id, site.id],
      );
      return rows.length;
    }
  }),
);
