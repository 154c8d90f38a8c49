import { randomUUID } from 'node:crypto';
import { ClickHouse } from '../../src/events/clickhouse/clickhouse';
import { EventRemovals } from '../../src/events/clickhouse/event-removals.store';
import { EventPurge } from '../../src/events/event-purge';
import { RebuildService } from '../../src/events/rebuild.service';
import { RetentionService } from '../../src/events/retention/retention.service';
import { TrashService } from '../../src/projects/trash/trash.service';
import { describeWithClickHouse } from '../support/clickhouse';
import { ageRemovals, ClickHouseTestLog } from '../support/clickhouse-log';
import { inClickHouse, useClickHouseScene } from '../support/clickhouse-scene';
import { attributeAll } from '../support/events';
import { cellsOf, figuresOf } from '../support/ledger';
import { VisitorSite } from '../support/visitor-site';

/*
 * Deleted visitors and purged records whose events are still in ClickHouse. The events are deleted despite any
 * failures.
 */

describeWithClickHouse('the events of a deleted visitor', () => {
  const scene = useClickHouseScene();
  let log: ClickHouseTestLog;
  let site: VisitorSite;
  let visitor: string;

  beforeEach(async () => {
    await scene.clickhouse.misbehave({});
    log = new ClickHouseTestLog(scene);
    site = await VisitorSite.create(scene);
    visitor = randomUUID();
    await site.visit('other');
  });

  async function pending(): Promise<number> {
    const rows: unknown[] = await scene.api.database.read.query('SELECT id FROM event_removals');
    return rows.length;
  }

  const isKnown = async (id = visitor): Promise<boolean> =>
    (await scene.client.get(site.addressOf(id))).status === 200;

  /**
   * Asserts that the results include only the other visitor, even after a rebuild, and that the deleted visitor has no
   * data.
   */
  async function expectGone(): Promise<void> {
    await attributeAll(scene.api);
    expect(await isKnown()).toBe(false);
    expect(await site.participants()).toEqual([1, 1]);
    await scene.api.app.get(RebuildService, { strict: false }).rebuild({ projectId: site.id });
    expect((await site.cells()).map(figuresOf).sort()).toEqual(cellsOf(await log.stored(site.id)));
    expect(await site.participants()).toEqual([1, 1]);
  }

  it.each(['refused', 'unanswered'] as const)(
    'are deleted later if the first attempt is %s',
    async (deletions) => {
      await site.visit(visitor, 2);
      expect(await site.participants()).toEqual([2, 2]);
      await scene.clickhouse.misbehave({ deletions });
      await site.remove(visitor);
      await expectGone();
      await expect(log.carryOut()).rejects.toThrow('ClickHouse cannot be used');
      expect([await pending(), await log.has(site.id, visitor)]).toEqual([1, deletions === 'refused']);
      await expectGone();
      await scene.clickhouse.misbehave({});
      await log.carryOut();
      expect([await pending(), await log.has(site.id, visitor)]).toEqual([0, false]);
      await expectGone();
    },
  );

  it('are deleted by another process if the first one is killed after the transaction', async () => {
    await site.visit(visitor);
    await site.remove(visitor);
    await ageRemovals(scene.api);
    const other = await scene.api.sibling(log.environment);
    const worker = other.app.get(RetentionService, { strict: false });
    while (await worker.step()) {
      expect(await isKnown()).toBe(false);
    }
    await other.close();
    expect([await pending(), await log.has(site.id, visitor)]).toEqual([0, false]);
    await expectGone();
  });

  it('are kept, with all other data, if ClickHouse is down during the deletion', async () => {
    await site.visit(visitor);
    const before = await site.shown();
    await scene.clickhouse.kill();
    const refused = await site.delete(visitor);
    expect([refused.status, refused.body]).toEqual([503, expect.objectContaining({ code: 'UNAVAILABLE' })]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await scene.clickhouse.restart();
    expect(await pending()).toBe(0);
    expect(await site.shown()).toEqual(before);
    await site.remove(visitor);
    await log.carryOut();
    await expectGone();
  });

  it('never count if they were stored but not yet attributed', async () => {
    await site.collect([...site.messagesOf(visitor), ...site.messagesOf('together')]);
    await site.remove(visitor);
    await site.shown();
    expect(await isKnown()).toBe(false);
    expect(await site.participants()).toEqual([2, 2]);
    await site.remove('together');
    await expectGone();
  });

  it('are deleted from ClickHouse only when no earlier batch can add them again', async () => {
    await site.visit(visitor);
    const clickhouse = scene.api.app.get(ClickHouse, { strict: false });
    const insert = clickhouse.insert.bind(clickhouse);
    const held = jest.spyOn(clickhouse, 'insert').mockImplementationOnce(async (rows) => {
      await site.remove(visitor);
      await log.carryOut();
      expect(await pending()).toBe(1);
      return insert(rows);
    });
    // The batch was opened before the deletion, so its events count as stored before the deletion.
    expect((await site.send(site.messagesOf(visitor, 2))).body.accepted).toBe(4);
    held.mockRestore();
    expect(await log.has(site.id, visitor)).toBe(true);
    await expectGone();
    await log.carryOut();
    expect([await pending(), await log.has(site.id, visitor)]).toEqual([0, false]);
    await expectGone();
  });

  it('are deleted by statements that ClickHouse does not store, because the statements contain the visitor id', async () => {
    await site.visit(visitor);
    await site.remove(visitor);
    const removals = scene.api.app.get(EventRemovals, { strict: false });
    const failure = new Error('killed');
    const killed = jest.spyOn(removals, 'finish').mockRejectedValueOnce(failure);
    await expect(log.carryOut()).rejects.toThrow(failure);
    killed.mockRestore();
    expect(await pending()).toBe(1);
    await log.carryOut();
    expect(await pending()).toBe(0);
    const kept = await inClickHouse<object>(scene.clickhouse, 'SELECT * FROM system.mutations');
    expect(JSON.stringify(kept)).not.toContain(visitor);
  });

  it('are not deleted while an insert of a killed collector may still arrive', async () => {
    await site.visit(visitor);
    await site.remove(visitor);
    const worker = scene.api.app.get(RetentionService, { strict: false });
    expect(await worker.step()).toBe(false);
    expect([await pending(), await log.has(site.id, visitor)]).toEqual([1, true]);
    await log.carryOut();
    expect(await pending()).toBe(0);
  });

  it('are read once for each visitor, even if many visitors are deleted at the same time', async () => {
    const visitors = Array.from({ length: 8 }, () => randomUUID());
    for (const each of visitors) {
      await site.visit(each);
    }
    await attributeAll(scene.api);
    const rows = jest.spyOn(scene.api.app.get(ClickHouse, { strict: false }), 'rows');
    const answers = await Promise.all(visitors.map((each) => site.delete(each)));
    const questions = rows.mock.calls.length;
    rows.mockRestore();
    expect(answers.map(({ status }) => status)).toEqual(visitors.map(() => 204));
    expect(questions).toBeLessThanOrEqual(2 * visitors.length);
    await expectGone();
    await log.carryOut();
    await expectGone();
    expect(await Promise.all(visitors.map((each) => log.has(site.id, each)))).toEqual(
      visitors.map(() => false),
    );
  });

  it('are all deleted if the visitor was deleted twice, with other deletions in between', async () => {
    for (const each of [visitor, 'second', visitor]) {
      await site.visit(each);
      await site.remove(each);
      await scene.api.database.transaction((tx) => tx.query('UPDATE deleted_visitors SET expires_at = 0'));
    }
    await expectGone();
    await log.carryOut();
    expect([await pending(), await log.has(site.id, visitor), await log.has(site.id, 'second')]).toEqual([
      0,
      false,
      false,
    ]);
    await expectGone();
  });

  it('are separate from events that the same visitor sends more than 30 days after the deletion', async () => {
    await site.visit(visitor);
    await site.remove(visitor);
    await scene.api.database.transaction((tx) => tx.query('UPDATE deleted_visitors SET expires_at = 0'));
    await site.visit(visitor, 2);
    expect(await site.participants()).toEqual([2, 2]);
    await log.carryOut();
    expect(await site.participants()).toEqual([2, 2]);
    expect(await isKnown()).toBe(true);
    expect(await log.stored(site.id)).toHaveLength(8);
  });
});

describeWithClickHouse('the events of a purged experiment', () => {
  const scene = useClickHouseScene();
  let log: ClickHouseTestLog;
  let site: VisitorSite;
  const get = <T>(type: abstract new (...all: never[]) => T): T =>
    scene.api.app.get<T>(type, { strict: false });

  beforeEach(async () => {
    log = new ClickHouseTestLog(scene);
    site = await VisitorSite.create(scene);
    await site.visit(randomUUID());
  });

  async function purge(): Promise<void> {
    const [{ id, path }] = site.experiments;
    await site.make.move(site.experiments[0], 'pause');
    expect((await scene.client.delete(path)).status).toBe(204);
    expect(await get(TrashService).purge({ type: 'experiment', id }, 'admin')).toBeNull();
  }

  /** Whether a purge is pending, and whether events are left. */
  async function left(): Promise<[boolean, boolean]> {
    const rows: unknown[] = await scene.api.database.read.query('SELECT id FROM event_purges');
    return [rows.length > 0, await log.has(site.id, `"experiment_id":${site.experiments[0].id},`)];
  }

  it('are deleted again once no earlier batch can add more events', async () => {
    const clickhouse = get(ClickHouse);
    const insert = clickhouse.insert.bind(clickhouse);
    const held = jest.spyOn(clickhouse, 'insert').mockImplementationOnce(async (rows) => {
      await purge();
      await log.carryOut();
      expect(await left()).toEqual([true, false]);
      return insert(rows);
    });
    expect((await site.send(site.messagesOf(randomUUID()))).body).toMatchObject({ accepted: 2, rejected: 2 });
    held.mockRestore();
    expect(await left()).toEqual([true, true]);
    await log.carryOut();
    expect(await left()).toEqual([false, false]);
    expect(await site.participants()).toEqual([undefined, 2]);
  });

  it('are deleted again only when inserts of a killed collector can no longer arrive', async () => {
    await purge();
    expect(await left()).toEqual([true, false]);
    await get(EventPurge).run();
    expect(await left()).toEqual([true, false]);
    await log.carryOut();
    expect(await left()).toEqual([false, false]);
  });

  it('are deleted by the next run if ClickHouse is down during the purge', async () => {
    await scene.clickhouse.kill();
    await expect(purge()).rejects.toThrow('ClickHouse cannot be used');
    await scene.clickhouse.restart();
    expect(await left()).toEqual([true, true]);
    await get(EventPurge).run();
    expect(await left()).toEqual([true, false]);
    await log.carryOut();
    expect(await left()).toEqual([false, false]);
  });
});
