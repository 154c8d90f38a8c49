import { randomUUID } from 'node:crypto';
import { Attribution } from '../../src/events/attribution-steps';
import { RebuildService } from '../../src/events/rebuild.service';
import type { Database, Tx } from '../../src/database/database';
import { amongPairs } from '../../src/database/row-store';
import { eventsOf, MAX_STEP_EVENTS, noteEventsAttributed } from '../../src/events/stored-events.store';
import { MainTestLog } from '../support/event-logs';
import { attributeAll } from '../support/events';
import { useScene } from '../support/scene';
import { VisitorSite } from '../support/visitor-site';

/* Visitors with so many events that one step must not read all of them. */

const scene = useScene();
const VISITORS = ['ann', 'ben', 'cid'];
const CROWD = 10_000;
const OF_STEP = 300;

/** The number of keys and rows that the transaction's statements have read so far, on MySQL. */
async function readSoFar(tx: Tx): Promise<number> {
  const counts: { Value: string }[] = await tx.query("SHOW SESSION STATUS LIKE 'Handler_read%'");
  return counts.reduce((sum, { Value }) => sum + Number(Value), 0);
}

/** Keeps MySQL's statistics of the empty table. Otherwise, MySQL would update them some time after the inserts. */
async function keepStatistics({ engine, read }: Database): Promise<void> {
  if (engine === 'mysql') {
    await read.query('ALTER TABLE events STATS_PERSISTENT = 1, STATS_AUTO_RECALC = 0');
    await read.query('ANALYZE TABLE events');
  }
}

/** Closes the table, so that MySQL reads its statistics again when it next opens the table. */
async function reopenTable({ engine, read }: Database): Promise<void> {
  if (engine === 'mysql') {
    await read.query('FLUSH TABLES events');
  }
}

/**
 * The number of lists that SQLite's query plan looks up in the index when it selects events by (visitor, id) pairs.
 */
async function listsLookedUp(tx: Tx, projectId: number): Promise<number> {
  const { sql, parameters } = amongPairs(
    'sqlite',
    ['visitor_id', 'event_id'],
    [
      ['ann', 'a'],
      ['ben', 'b'],
    ],
  );
  const plan: { detail: string }[] = await tx.query(
    `EXPLAIN QUERY PLAN UPDATE events SET attributed = 1 WHERE project_id = ? AND ${sql}`,
    [projectId, ...parameters],
  );
  expect(plan[0]?.detail).toContain('visitor_id=? AND event_id=?');
  return plan.filter(({ detail }) => detail.startsWith('LIST SUBQUERY')).length;
}

describe('a step', () => {
  it('reads only the events of its own visitors, even right after events of many others have arrived', async () => {
    const { database } = scene.api;
    const site = await VisitorSite.create(scene);
    const log = new MainTestLog(scene.api);
    await keepStatistics(database);
    const visitors = Array.from({ length: CROWD }, () => randomUUID());
    for (let start = 0; start < CROWD; start += 1_000) {
      const some = visitors.slice(start, start + 1_000);
      await log.fill(
        site.id,
        some.map((visitor_id) => ({ visitor_id, event_id: randomUUID() })),
      );
    }
    await reopenTable(database);
    await database.transaction(async (tx) => {
      if (database.engine === 'sqlite') {
        expect(await listsLookedUp(tx, site.id)).toBe(1);
        return;
      }
      const before = await readSoFar(tx);
      const events = await eventsOf(tx, site.id, visitors.slice(0, OF_STEP));
      await noteEventsAttributed(tx, database.engine, site.id, events);
      expect(events).toHaveLength(OF_STEP);
      expect((await readSoFar(tx)) - before).toBeLessThan(10 * OF_STEP);
    });
  });

  it('processes fewer visitors if they have many events, and all steps together count all visitors', async () => {
    const site = await VisitorSite.create(scene);
    const log = new MainTestLog(scene.api);
    for (const visitor of VISITORS) {
      const events = Array.from({ length: MAX_STEP_EVENTS / 2 }, () => ({
        visitor_id: visitor,
        event_id: randomUUID(),
      }));
      await log.fill(site.id, events);
      await site.visit(visitor);
    }
    const attribution = scene.api.app.get(Attribution, { strict: false });
    expect(await attribution.step(null)).toMatchObject({ visitor_id: 'ann' });
    const { cells, infos } = await site.shown();
    expect(infos).toMatchObject([{ participants: VISITORS.length }, { participants: VISITORS.length }]);
    const batches: number[] = [];
    const rebuilds = scene.api.app.get(RebuildService, { strict: false });
    await rebuilds.rebuild({ projectId: site.id }, (done) => batches.push(done));
    expect(batches.length).toBeGreaterThan(1);
    await attributeAll(scene.api);
    expect(await site.cells()).toEqual(cells);
  });
});
