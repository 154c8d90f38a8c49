import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClickHouse } from '../../src/events/clickhouse/clickhouse';
import type { ClickHouseEventLog } from '../../src/events/clickhouse/clickhouse-log';
import { EventBatches } from '../../src/events/clickhouse/event-batches.store';
import { toEventLogRow } from '../../src/events/clickhouse/event-rows';
import { EventLog } from '../../src/events/event-log';
import { ImportWriter } from '../../src/events/import/import-writer';
import { RebuildService } from '../../src/events/rebuild.service';
import { describeWithClickHouse } from '../support/clickhouse';
import { expectCountedOnce, useCollectingExperiment } from '../support/clickhouse-scene';
import { attributeAll, conversion, send } from '../support/events';
import { ago, DAY } from '../support/imports';
import { kill } from '../support/killed-workers';
import { identify } from '../support/linked-visitors';
import { deliverTo } from '../support/ledger';
import type { Made } from '../support/scene';
import { ServerProcess } from '../support/server-process';
import { until } from '../support/waiting';

/* No event is lost or counted twice if ClickHouse is slow, full, hung or read-only, or if servers run two releases. */

/** Replaces the insert timeout. It is far shorter than the delay of the slow ClickHouse. */
const DEADLINE_MS = 250;
const OUTAGE_MS = 2_500;
/** Replaces the time limit for counting, which could be too short on a busy machine. */
const PATIENT_MS = 60_000;
/** Log levels. */
const [INFO, ERROR] = [30, 50];

describeWithClickHouse('when ClickHouse fails', () => {
  const site = useCollectingExperiment();
  const { scene, get, messages } = site;

  const refusedBecause = async (reason: string): Promise<number> => {
    const { text } = await scene.api.as(null).get('//metrics');
    return Number(
      new RegExp(`gosset_events_refused_total\\{reason="${reason}"\\} (\\d+)`).exec(text)?.[1] ?? 0,
    );
  };

  const linkedTo = async (canonicalId: string): Promise<string[]> => {
    const rows: { visitor_id: string }[] = await scene.api.database.read.query(
      'SELECT visitor_id FROM linked_visitors WHERE canonical_id = ?',
      [canonicalId],
    );
    return rows.map(({ visitor_id }) => visitor_id);
  };

  it.each([
    ['is read-only', () => scene.clickhouse.misbehave({ inserts: 'readonly' as const })],
    ['accepts connections but does not respond', async () => scene.clickhouse.pause()],
    ['is slower than the deadline', () => scene.clickhouse.misbehave({ delayMs: 10 * DEADLINE_MS })],
  ])('because it %s, events are rejected with 503 and counted once after a retry', async (_, fail) => {
    expect(await site.collect()).toBe(200);
    const batch = messages();
    await fail();
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const deadline = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(DEADLINE_MS));
    const refused = await send(scene.api, site.key, batch);
    deadline.mockRestore();
    scene.clickhouse.resume();
    await scene.clickhouse.misbehave({});
    expect([refused.status, refused.body.code]).toEqual([503, 'UNAVAILABLE']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await expectCountedOnce(scene, 2);
    expect((await send(scene.api, site.key, batch)).body.accepted).toBe(2);
    await expectCountedOnce(scene, 4);
  });

  it.each([
    ['full', 'NOT_ENOUGH_SPACE'],
    ['readonly', 'TABLE_IS_READ_ONLY'],
  ] as const)(
    'the server is not ready while it is %s, until an insert succeeds or time passes',
    async (inserts, reason) => {
      const readiness = () => scene.api.as(null).get('//health/ready');
      await scene.clickhouse.misbehave({ inserts });
      expect([await site.collect(), await readiness()]).toEqual([
        503,
        expect.objectContaining({ status: 503, text: expect.stringContaining(reason) as string }),
      ]);
      const now = performance.now.bind(performance);
      const later = jest.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
      const problem = await get(ClickHouse).problem();
      later.mockRestore();
      expect(problem).toBeNull();
      await scene.clickhouse.misbehave({});
      expect([await site.collect(), (await readiness()).status]).toEqual([200, 200]);
    },
  );

  it('metrics tell an outage from a full queue', async () => {
    const counts = () => Promise.all(['queue_full', 'unavailable'].map(refusedBecause));
    const [full, unavailable] = await counts();
    await scene.clickhouse.misbehave({ inserts: 'full' });
    expect(await site.collect()).toBe(503);
    expect(await counts()).toEqual([full, unavailable + 2]);
  });

  it.each(['document', 'text', 'cut'] as const)(
    'no result counts a part of the events after a query fails while its rows are sent (%s)',
    async (cells) => {
      const rebuild = () => get(RebuildService).rebuild({});
      expect(await site.collect()).toBe(200);
      await scene.clickhouse.misbehave({ cells });
      await expect(attributeAll(scene.api)).rejects.toThrow('ClickHouse cannot be used');
      await scene.clickhouse.misbehave({});
      await expectCountedOnce(scene, 2);
      await scene.clickhouse.misbehave({ cells });
      await expect(rebuild()).rejects.toThrow('ClickHouse cannot be used');
      await scene.clickhouse.misbehave({});
      await rebuild();
      await expectCountedOnce(scene, 2);
    },
  );

  it('nothing is taken as stored or deleted if a proxy responds instead of ClickHouse', async () => {
    const [batch, { projectId }] = [messages(), scene.world];
    expect(await site.collect(batch)).toBe(200);
    await scene.clickhouse.misbehave({ proxied: true });
    expect(await site.collect()).toBe(503);
    await expect(get(EventLog).purge(projectId, null)).rejects.toThrow('not from ClickHouse');
    await scene.clickhouse.misbehave({});
    await expectCountedOnce(scene, 2);
  });

  it('a failed import changes nothing, and repeating the import moves the start of the experiment', async () => {
    const [first, second] = messages().map((message) => ({ ...message, timestamp: ago(5 * DAY) }));
    const [before, { projectId }] = [await changedByImport(), scene.world];
    const importing = () => get(ImportWriter).store(projectId, [first, second]);
    await scene.clickhouse.misbehave({ inserts: 'full' });
    await expect(importing()).rejects.toThrow('ClickHouse cannot be used');
    expect(await changedByImport()).toEqual(before);
    await scene.clickhouse.misbehave({});
    expect((await importing()).receipt).toMatchObject({ accepted: 2 });
    await expectCountedOnce(scene, 2);
    const { body } = await scene.client.get(site.experiment.path);
    expect(body.started_at).toBe(first.timestamp.replace('Z', '000Z'));
  });

  /** The data that an import stores in the main database in addition to its batch. */
  const changedByImport = async (): Promise<unknown[]> => {
    const { read } = scene.api.database;
    return [
      (await scene.client.get(site.experiment.path)).body,
      await read.query('SELECT version FROM project_versions ORDER BY project_id'),
      await read.query('SELECT COUNT(*) AS count FROM audit_entries'),
      await read.query('SELECT experiment_id FROM experiment_results'),
      await read.query('SELECT goal_id FROM collected_goals'),
    ];
  };

  const spawn = (settings: Record<string, string> = {}) =>
    ServerProcess.spawn({
      DATABASE_URL: scene.api.databaseUrl,
      EVENTS_URL: scene.clickhouse.url,
      PUBLIC_URL: scene.api.config.publicUrl,
      WORKER: 'off',
      LOG_LEVEL: 'warn',
      ...settings,
    });

  it('ids are linked even if their events cannot be counted', async () => {
    const [phone, user] = [randomUUID(), randomUUID()];
    const reading = jest.spyOn(get(ClickHouse), 'rows').mockRejectedValueOnce(new Error('No answer.'));
    expect(await site.collect([identify(phone, user)])).toBe(200);
    expect(reading).toHaveBeenCalledTimes(1);
    expect(await linkedTo(user)).toEqual([phone]);
  });

  it('ids are not linked if another id was linked to the visitor while their events were counted', async () => {
    const [phone, laptop, user] = [randomUUID(), randomUUID(), randomUUID()];
    const sales = [phone, laptop, user].map((visitor) => conversion(visitor, 'sale', 1));
    expect(await site.collect(sales)).toBe(200);
    const limited = await scene.api.sibling({ EVENTS_URL: scene.clickhouse.url, EVENTS_PER_VISITOR: '2' });
    const log = limited.app.get<ClickHouseEventLog>(EventLog, { strict: false });
    jest.replaceProperty(log, 'countMs', PATIENT_MS);
    const clickhouse = limited.app.get(ClickHouse, { strict: false });
    const rows = clickhouse.rows.bind(clickhouse);
    jest.spyOn(clickhouse, 'rows').mockImplementationOnce(async (query) => {
      const counts = await rows(query);
      expect(await site.collect([identify(phone, user)])).toBe(200);
      return counts;
    });
    const { body } = await send(limited, site.key, [identify(laptop, user)]);
    await limited.close();
    expect([body.accepted, await linkedTo(user)]).toEqual([1, [phone]]);
  });

  it('a server logs when the failure begins and ends, without a stack trace, and all responses are 503', async () => {
    const server = await (await spawn({ WORKER: 'inline', LOG_LEVEL: 'info' })).ready();
    const lines = () =>
      server
        .logLines()
        .filter(({ msg, context }) => msg !== 'request' && context === ClickHouse.name)
        .map(({ level, msg, reason, err }) => ({ level, msg, reason, err }));
    const deliver = deliverTo(server.address, site.key);
    const statuses = new Set<number | undefined>();
    await scene.clickhouse.misbehave({ inserts: 'full' });
    const end = performance.now() + OUTAGE_MS;
    while (performance.now() < end) {
      statuses.add((await deliver(messages()))?.status);
      await sleep(10);
    }
    await scene.clickhouse.misbehave({});
    expect((await deliver(messages()))?.status).toBe(200);
    await kill(server);
    expect([...statuses]).toEqual([503]);
    expect(lines()).toEqual([
      {
        level: ERROR,
        msg: 'ClickHouse cannot store events',
        reason: expect.stringContaining('cannot be used') as string,
      },
      { level: INFO, msg: 'ClickHouse stores events again' },
    ]);
    expect(server.logLines().filter(({ level }) => Number(level) >= ERROR)).toHaveLength(1);
  });

  it('a server starts without ClickHouse, serves delivery, and collects events when ClickHouse is available again', async () => {
    scene.clickhouse.pause();
    const server = await spawn();
    const live = async () => (await fetch(`${server.address}/health/live`).catch(() => null))?.status === 200;
    await until(live, 'a live server');
    const batch = messages();
    const deliver = deliverTo(server.address, site.key);
    expect((await deliver(batch))?.status).toBe(503);
    scene.clickhouse.resume();
    await server.ready();
    expect(await deliver(batch)).toMatchObject({ status: 200, accepted: 2 });
    await kill(server);
    await expectCountedOnce(scene, 2);
  });

  it('a server that started without ClickHouse rejects events while the event log is unusable, with the reason', async () => {
    expect(await site.collect()).toBe(200);
    const { database } = scene.api;
    const setLastBatch = (position: number) =>
      database.transaction((tx) =>
        tx.query("UPDATE event_log_marks SET position = ? WHERE name = 'last_batch'", [position]),
      );
    const last = await get(EventBatches).lastBatch();
    await scene.clickhouse.kill();
    const server = await scene.api.sibling({ EVENTS_URL: scene.clickhouse.url });
    await setLastBatch(0);
    await scene.clickhouse.restart();
    const refused = await send(server, site.key, messages());
    expect([refused.status, refused.body]).toEqual([
      503,
      { message: 'Service Unavailable', code: 'UNAVAILABLE' },
    ]);
    const ready = () => server.as(null).get('//health/ready');
    expect(await ready()).toMatchObject({
      status: 503,
      text: expect.stringContaining('perhaps restored from a backup') as string,
    });
    await setLastBatch(last);
    expect((await ready()).status).toBe(200);
    expect((await send(server, site.key, messages())).status).toBe(200);
    await server.close();
    await expectCountedOnce(scene, 4);
  });

  it('no event is lost from a server of an earlier release, which omits newer columns', async () => {
    const { database } = scene.api;
    expect(await site.collect()).toBe(200);
    const [visitor, [variation]] = [randomUUID(), site.experiment.variations as Made[]];
    const id = await database.transaction(async (tx) => {
      await tx.query("UPDATE event_log_marks SET position = position + 1 WHERE name = 'last_batch'");
      const [{ batch }]: { batch: number }[] = await tx.query(
        "SELECT position AS batch FROM event_log_marks WHERE name = 'last_batch'",
      );
      await tx.query('INSERT INTO event_batches (id, state, events, opened_at) VALUES (?, 0, 1, ?)', [
        batch,
        Date.now() * 1_000,
      ]);
      return batch;
    });
    const entered = {
      visitor_id: visitor,
      event_id: randomUUID(),
      occurred_at: Date.now() * 1_000,
      experiment_id: site.experiment.id,
      variation_id: variation.id,
      goal_id: null,
      value: null,
      device: 0,
    };
    const projectId = scene.world.projectId;
    await get(ClickHouse).insert([{ ...toEventLogRow(projectId, entered), batch_id: id }]);
    await database.transaction(async (tx) => {
      await tx.query('UPDATE event_batches SET state = 1 WHERE id = ? AND state = 0', [id]);
      await tx.query('INSERT INTO dirty_visitors (project_id, visitor_id, lock_version) VALUES (?, ?, 7)', [
        projectId,
        visitor,
      ]);
    });
    expect(await site.collect()).toBe(200);
    await expectCountedOnce(scene, 5);
    const { body } = await scene.client.get(`${site.experiment.path}/results/info`);
    expect(body).toMatchObject({ participants: 3, events_counted_before: null });
  });
});
