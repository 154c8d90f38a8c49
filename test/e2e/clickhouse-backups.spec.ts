import { randomUUID } from 'node:crypto';
import { Database } from '../../src/database/database';
import { EventRemovals } from '../../src/events/clickhouse/event-removals.store';
import { RebuildService } from '../../src/events/rebuild.service';
import { TrashService } from '../../src/projects/trash/trash.service';
import { RetentionService } from '../../src/events/retention/retention.service';
import { describeWithClickHouse } from '../support/clickhouse';
import { ClickHouseTestLog } from '../support/clickhouse-log';
import { inClickHouse, useClickHouseScene } from '../support/clickhouse-scene';
import { attributeAll, shownCells } from '../support/events';
import { makeFinal } from '../support/final-results';
import { identify } from '../support/linked-visitors';
import { backUpEvents } from '../support/restored-tables';
import type { Made } from '../support/scene';
import { VisitorSite } from '../support/visitor-site';

/* Backups of the main database and of ClickHouse that were not made at the same time. */

const DAY = 86_400_000_000;

describeWithClickHouse('a main database that is older than the removals in ClickHouse', () => {
  const scene = useClickHouseScene();
  let log: ClickHouseTestLog;
  let site: VisitorSite;
  let visitor: string;

  beforeEach(async () => {
    log = new ClickHouseTestLog(scene);
    site = await VisitorSite.create(scene);
    visitor = randomUUID();
    await site.visit('other');
    await site.visit(visitor);
    expect(await site.participants()).toEqual([2, 2]);
  });

  /** Starts a server, as after a restore. */
  const start = async (): Promise<void> => (await scene.api.sibling(log.environment)).close();

  const rebuild = (): Promise<number[]> =>
    scene.api.app.get(RebuildService, { strict: false }).rebuild({ projectId: site.id });

  const infoOf = async ({ path }: Made): Promise<Made> =>
    (await scene.client.get(`${path}/results/info`)).body as Made;

  const resultRows = (): Promise<unknown[]> =>
    scene.api.database.read.query('SELECT * FROM experiment_results ORDER BY experiment_id');

  /** Makes the first experiment final. Its events are three days old, and the other experiment starts after them. */
  async function makeFirstFinal(): Promise<void> {
    const [first, second] = site.experiments;
    await site.make.move(first, 'archive');
    await makeFinal(scene.api, first.id, log);
    await scene.api.database.transaction(async (tx) => {
      await tx.query('UPDATE experiment_results SET seen_from = seen_from - ? WHERE experiment_id = ?', [
        3 * DAY,
        first.id,
      ]);
      await tx.query('DELETE FROM experiment_results WHERE experiment_id = ?', [second.id]);
    });
  }

  it('keeps results whose events were removed since the backup, even after a rebuild', async () => {
    await makeFirstFinal();
    const [first] = site.experiments;
    const settings = `${site.path}/settings`;
    expect((await scene.client.patch(settings, { event_retention_days: 1 })).status).toBe(200);
    const cells = await shownCells(scene.api);
    const restore = await backUpEvents(scene.api);
    while (await scene.api.app.get(RetentionService, { strict: false }).step()) {
      // All work happens in the condition, one step at a time.
    }
    await log.carryOut();
    const removed = await infoOf(first);
    expect([removed.events_removed_before, await log.has(site.id, visitor)]).toEqual([
      expect.any(String),
      false,
    ]);

    await restore();
    expect(await infoOf(first)).toMatchObject({ participants: 2, events_removed_before: null });
    await start();
    expect(await infoOf(first)).toMatchObject({
      participants: 2,
      events_removed_before: removed.events_removed_before,
    });
    expect(await rebuild()).not.toContain(first.id);
    expect(await shownCells(scene.api)).toEqual(cells);
    const known = await resultRows();
    await start();
    expect(await resultRows()).toEqual(known);
  });

  it('recounts the results without visitors who were deleted since the backup', async () => {
    const restore = await backUpEvents(scene.api);
    await site.remove(visitor);
    await log.carryOut();
    expect(await site.participants()).toEqual([1, 1]);
    const cells = await site.cells();

    await restore();
    expect(await site.participants()).toEqual([2, 2]);
    await start();
    expect(await site.participants()).toEqual([1, 1]);
    expect(await site.cells()).toEqual(cells);
    const known = await resultRows();
    await start();
    expect(await resultRows()).toEqual(known);
  });

  it('counts a round once if two processes have deleted its events', async () => {
    const removals = scene.api.app.get(EventRemovals, { strict: false });
    const { read } = scene.api.app.get(Database);
    await site.remove(visitor);
    const finished = await removals.finishedRounds(read);
    const finish = jest.spyOn(removals, 'finish');
    await log.carryOut();
    expect(await removals.finishedRounds(read)).toBe(finished + 1);
    await removals.finish(finish.mock.calls[0][0]);
    expect(await removals.finishedRounds(read)).toBe(finished + 1);
    finish.mockRestore();
  });

  it('does not recount results for a deletion that was interrupted, because they are right', async () => {
    await site.remove(visitor);
    const finish = jest.spyOn(scene.api.app.get(EventRemovals, { strict: false }), 'finish');
    finish.mockRejectedValueOnce(new Error('killed'));
    await expect(log.carryOut()).rejects.toThrow('killed');
    await attributeAll(scene.api);
    const known = await resultRows();
    await start();
    expect(await resultRows()).toEqual(known);
    await log.carryOut();
    await start();
    expect(await resultRows()).toEqual(known);
  });
});

describeWithClickHouse('events in ClickHouse that are older than the deletions in the main database', () => {
  const scene = useClickHouseScene();
  const EVENTS = 'SELECT * FROM events';

  /**
   * Restores ClickHouse as it was before any removal had ended.
   * @param kept the table with the events
   * @param begun the numbers of the rounds that had begun
   */
  async function restore(kept: string, begun: readonly number[]): Promise<void> {
    for (const statement of [
      'TRUNCATE TABLE events',
      `INSERT INTO events SELECT * FROM ${kept}`,
      'TRUNCATE TABLE removals',
      ...begun.map((round) => `INSERT INTO removals SELECT ${round}, 1, 0, 5`),
    ]) {
      await inClickHouse(scene.clickhouse, statement);
    }
  }

  it.each([
    ['before', false],
    ['during', true],
  ])('%s the deletion are removed again under all ids, without changing results', async (_, hasBegun) => {
    const log = new ClickHouseTestLog(scene);
    const site = await VisitorSite.create(scene);
    const ids = [randomUUID(), randomUUID()];
    for (const id of [...ids, 'other', 'later']) {
      await site.visit(id);
    }
    await site.collect([identify(ids[0], ids[1])]);
    expect(await site.participants()).toEqual([3, 3]);
    await inClickHouse(scene.clickhouse, 'DROP TABLE IF EXISTS kept');
    await inClickHouse(scene.clickhouse, 'CREATE TABLE kept AS events');
    await inClickHouse(scene.clickhouse, `INSERT INTO kept ${EVENTS}`);
    await site.remove(ids[0]);
    await log.carryOut();
    expect(await site.participants()).toEqual([2, 2]);
    const cells = await site.cells();

    const round = await scene.api.app
      .get(EventRemovals, { strict: false })
      .finishedRounds(scene.api.app.get(Database).read);
    await restore('kept', hasBegun ? [round] : []);
    const statuses = ids.map(async (id) => (await scene.client.get(site.addressOf(id))).status);
    expect(await Promise.all(statuses)).toEqual([200, 200]);
    const api = await scene.api.sibling(log.environment);
    await new ClickHouseTestLog({ ...scene, api }).carryOut();
    await new ClickHouseTestLog({ ...scene, api }).carryOut();
    expect(await Promise.all(ids.map((id) => log.has(site.id, id)))).toEqual([false, false]);
    expect(await log.has(site.id, 'later')).toBe(true);
    expect(await site.cells()).toEqual(cells);
    await api.app.get(RebuildService, { strict: false }).rebuild({ projectId: site.id });
    expect(await site.cells()).toEqual(cells);
    await api.close();
  });

  it('before a purge are deleted again, even if nothing else was removed since', async () => {
    const log = new ClickHouseTestLog(scene);
    const sites = [await VisitorSite.create(scene), await VisitorSite.create(scene)];
    const [site, other] = sites;
    const [purged, trashed] = site.experiments;
    await site.visit(randomUUID());
    await other.visit(randomUUID());
    for (const table of ['events', 'removals']) {
      await inClickHouse(scene.clickhouse, `DROP TABLE IF EXISTS old_${table}`);
      await inClickHouse(scene.clickhouse, `CREATE TABLE old_${table} AS ${table}`);
      await inClickHouse(scene.clickhouse, `INSERT INTO old_${table} SELECT * FROM ${table}`);
    }
    const purge = async (type: 'experiment' | 'project', { id, path }: { id: number; path: string }) => {
      expect((await scene.client.delete(path)).status).toBe(204);
      await scene.api.app.get(TrashService, { strict: false }).purge({ type, id }, 'admin');
    };
    for (const { experiments, make } of sites) {
      await Promise.all(experiments.map((each) => make.move(each, 'pause')));
    }
    await purge('experiment', purged);
    await purge('project', other);
    expect((await scene.client.delete(trashed.path)).status).toBe(204);
    await log.carryOut();

    for (const table of ['events', 'removals']) {
      await inClickHouse(scene.clickhouse, `TRUNCATE TABLE ${table}`);
      await inClickHouse(scene.clickhouse, `INSERT INTO ${table} SELECT * FROM old_${table}`);
    }
    const left = async (): Promise<boolean[]> => [
      await log.has(other.id, ''),
      await log.has(site.id, `"experiment_id":${purged.id},`),
      await log.has(site.id, `"experiment_id":${trashed.id},`),
      await log.has(site.id, '"experiment_id":0,'),
    ];
    expect(await left()).toEqual([true, true, true, true]);
    const api = await scene.api.sibling(log.environment);
    await new ClickHouseTestLog({ ...scene, api }).carryOut();
    expect(await left()).toEqual([false, false, true, true]);
    await api.close();
  });
});
