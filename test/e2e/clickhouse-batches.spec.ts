import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { Attribution } from '../../src/events/attribution-steps';
import { BatchCompaction } from '../../src/events/clickhouse/batch-compaction';
import { ClickHouse } from '../../src/events/clickhouse/clickhouse';
import { EventCounters } from '../../src/events/event-metrics';
import { EventBatches } from '../../src/events/clickhouse/event-batches.store';
import { deleteAfter } from '../../src/events/clickhouse/table.store';
import { EventPurge } from '../../src/events/event-purge';
import type { TestApi } from '../support/api';
import { describeWithClickHouse } from '../support/clickhouse';
import { expectCountedOnce, inClickHouse, useCollectingExperiment } from '../support/clickhouse-scene';
import { attributeAll, send, storedEvents } from '../support/events';

/* The list of batches in the main database, which must stay short and correct. */

const MAX_DONE = 200;

describeWithClickHouse('batches of events in ClickHouse', () => {
  const site = useCollectingExperiment();
  const { scene, get, messages, collect } = site;
  afterEach(() => jest.restoreAllMocks());

  const rows = async (): Promise<number> => {
    const [{ count }]: { count: number | string }[] = await scene.api.database.read.query(
      'SELECT COUNT(*) AS count FROM event_batches',
    );
    return Number(count);
  };

  /** Creates batches whose events are stored, but never acknowledged. */
  async function failToCollect(times: number): Promise<void> {
    await scene.clickhouse.misbehave({ inserts: 'unanswered' });
    for (let time = 0; time < times; time += 1) {
      expect(await collect()).toBe(503);
    }
    await scene.clickhouse.misbehave({});
  }

  async function openAndClose(times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      await scene.api.database.transaction(async (tx) => {
        await get(EventBatches).close(tx, await get(EventBatches).open(tx, 1));
      });
    }
  }

  /** Runs code after the next transaction that opens a batch, as another process could. */
  function afterOpening(work: () => Promise<unknown>): void {
    const outside = AsyncLocalStorage.snapshot();
    const { database } = scene.api;
    const transaction = database.transaction.bind(database);
    const opened = jest.spyOn(get(EventBatches), 'open');
    const held = jest.spyOn(database, 'transaction').mockImplementation(async (inner) => {
      const result = await transaction(inner);
      if (opened.mock.calls.length > 0) {
        held.mockRestore();
        opened.mockRestore();
        await outside(work);
      }
      return result;
    });
  }

  it('leave no rows once they are attributed or closed, and closed batches never count', async () => {
    expect(await collect()).toBe(200);
    await failToCollect(3);
    expect(await collect()).toBe(200);
    await attributeAll(scene.api);
    await get(BatchCompaction).run();
    expect(await rows()).toBe(0);
    await failToCollect(2);
    expect(await collect()).toBe(200);
    await expectCountedOnce(scene, 6);
    await get(BatchCompaction).run();
    expect(await rows()).toBe(0);
    await expectCountedOnce(scene, 6);
  });

  it('are compacted by the worker if there are many, even without new events', async () => {
    await failToCollect(1);
    await openAndClose(MAX_DONE + 1);
    await get(Attribution).step(null);
    expect(await rows()).toBe(0);
    expect(await collect()).toBe(200);
    await expectCountedOnce(scene, 2);
  });

  it('stay in the database if ClickHouse cannot list them, and none is lost or counted', async () => {
    await failToCollect(2);
    await scene.clickhouse.misbehave({ inserts: 'unanswered' });
    await expect(get(BatchCompaction).run()).rejects.toThrow(/ClickHouse/);
    expect(await rows()).toBe(2);
    await scene.clickhouse.misbehave({});
    expect(await collect()).toBe(200);
    await get(BatchCompaction).run();
    await expectCountedOnce(scene, 2);
  });

  it('are rejected with 503 if they are stored after compaction', async () => {
    const batch = messages();
    const clickhouse = get(ClickHouse);
    const insert = clickhouse.insert.bind(clickhouse);
    jest.spyOn(clickhouse, 'insert').mockImplementationOnce(async (values) => {
      await get(EventBatches).closeOpenedBefore(Number.MAX_SAFE_INTEGER);
      await get(BatchCompaction).run();
      expect(await rows()).toBe(0);
      await insert(values);
    });
    expect(await collect(batch)).toBe(503);
    await expectCountedOnce(scene, 0);
    expect(await collect(batch)).toBe(200);
    await expectCountedOnce(scene, 2);
  });

  it('are rejected with 503 if they were closed early, even with an idempotency key', async () => {
    const post = (batch: object[], key: string) =>
      scene.client.post(`${scene.project}/events`, { batch }, { 'idempotency-key': key });
    const [batch, key] = [messages(), randomUUID()];
    afterOpening(() => get(EventBatches).closeOpenedBefore(Number.MAX_SAFE_INTEGER));
    expect((await post(batch, key)).status).toBe(503);
    await expectCountedOnce(scene, 0);
    const answer = await post(batch, key);
    expect([answer.status, answer.body]).toMatchObject([200, { accepted: 2 }]);
    await expectCountedOnce(scene, 2);
  });

  it('store the response for an idempotency key in the same transaction as their state', async () => {
    const batch = messages().map((message) => ({ ...message, messageId: undefined }));
    const headers = { 'idempotency-key': randomUUID() };
    const post = () => scene.client.post(`${scene.project}/events`, { batch }, headers);
    const failing = jest.spyOn(get(EventCounters), 'count').mockImplementationOnce(() => {
      throw new Error('It was killed.');
    });
    expect((await post()).status).toBe(500);
    failing.mockRestore();
    const answer = await post();
    expect([answer.headers['idempotency-replayed'], answer.body]).toMatchObject(['true', { accepted: 2 }]);
    await expectCountedOnce(scene, 2);
  });

  it('do not include events of a dry run that used the same batch id', async () => {
    const batches = get(EventBatches);
    const { database } = scene.api;
    const opened: number[] = [];
    afterOpening(async () => {
      opened.push(await database.transaction((tx) => batches.open(tx, 1)));
    });
    const dryRun = await scene.client.post(`${scene.project}/events?dry_run=1`, { batch: messages() });
    expect([dryRun.status, opened]).toEqual([200, [expect.any(Number)]]);
    expect(await database.transaction((tx) => batches.store(tx, opened[0]))).toBe(true);
    await expectCountedOnce(scene, 0);
  });

  const whyNotReady = async (api: TestApi): Promise<string> => {
    const ready = await api.as(null).get('//health/ready');
    return ready.status === 503 ? ready.text : '';
  };

  it('cause processes without EVENTS_URL to return 503 as soon as there is one batch', async () => {
    const other = await scene.api.sibling();
    expect(await collect()).toBe(200);
    expect((await send(other, site.key, messages())).status).toBe(503);
    expect(await whyNotReady(other)).toContain('Restart this process with EVENTS_URL');
    await expect(attributeAll(other)).resolves.toBeUndefined();
    expect(await storedEvents(other)).toEqual([]);
    await other.close();
    await (await scene.api.sibling({ EVENTS_URL: scene.clickhouse.url })).close();
    await expectCountedOnce(scene, 2);
  });

  it('are purged only by processes with EVENTS_URL', async () => {
    const other = await scene.api.sibling();
    expect(await collect()).toBe(200);
    const purge = get(EventPurge);
    const { projectId } = scene.world;
    await scene.api.database.transaction((tx) => purge.schedule(tx, projectId, site.experiment.id));
    const stale = other.app.get(EventPurge, { strict: false }).run();
    await expect(stale).rejects.toThrow('Restart this process with EVENTS_URL');
    await other.close();
    const left = () => inClickHouse(scene.clickhouse, 'SELECT experiment_id FROM events');
    expect(await left()).toHaveLength(2);
    await purge.run();
    expect(await left()).toEqual([{ experiment_id: 0 }]);
  });

  it('are no longer opened once a process without EVENTS_URL has stored events, and that process continues', async () => {
    const other = await scene.api.sibling();
    const late = await scene.api.sibling({ EVENTS_URL: scene.clickhouse.url });
    expect((await send(other, site.key, messages())).status).toBe(200);
    expect((await send(late, site.key, messages())).status).toBe(503);
    expect(await whyNotReady(late)).toContain('Move them to ClickHouse first');
    const opening = scene.api.database.transaction((tx) => get(EventBatches).open(tx, 1));
    await expect(opening).rejects.toThrow('Move them to ClickHouse first');
    expect((await send(other, site.key, messages())).status).toBe(200);
    expect(await storedEvents(other)).toHaveLength(4);
    await late.close();
    await other.close();
  });

  it('do not reuse the ids of deleted batches', async () => {
    await openAndClose(3);
    await get(BatchCompaction).run();
    const [{ last }] = await inClickHouse<{ last: number }>(
      scene.clickhouse,
      'SELECT max(batch_id) AS last FROM closed_batches',
    );
    await scene.api.database.transaction((tx) =>
      tx.query("UPDATE event_log_marks SET position = ? WHERE name = 'last_batch'", [last - 1]),
    );
    const start = () => scene.api.sibling({ EVENTS_URL: scene.clickhouse.url });
    await expect(start()).rejects.toThrow(
      new RegExp(`restored from a backup.*DELETE FROM closed_batches WHERE batch_id > ${last - 1}`),
    );
    for (const statement of deleteAfter(last - 1).split('; ')) {
      await get(ClickHouse).command(statement);
    }
    await (await start()).close();
  });
});
