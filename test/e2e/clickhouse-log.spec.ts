import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { Attribution } from '../../src/events/attribution-steps';
import { BatchCompaction } from '../../src/events/clickhouse/batch-compaction';
import { EventBatches } from '../../src/events/clickhouse/event-batches.store';
import { readCountingRules } from '../../src/events/counting-rules.store';
import { DefinitionStore } from '../../src/events/definitions.store';
import { EventLog } from '../../src/events/event-log';
import { RebuildService } from '../../src/events/rebuild.service';
import { changeCounting } from '../../src/experiments/experiment-run.store';
import { asText, linkedCellsOf } from '../support/attributed';
import { AnyEvent, AnyLink, withoutRepeats } from '../support/brute-force';
import { TestApi } from '../support/api';
import { describeWithClickHouse } from '../support/clickhouse';
import {
  clearEverything,
  expectCountedOnce,
  inClickHouse,
  useClickHouseScene,
} from '../support/clickhouse-scene';
import { eventSets, linkSets } from '../support/event-sets';
import { attributeAll, conversion, exposure, send, shownCells, storedEvents } from '../support/events';
import { checks } from '../support/properties';
import { Made } from '../support/scene';

const RUNS = 3;

/** Random steps that store events in batches, some twice, with links, changed rules and other work between batches. */
const courses = fc.tuple(
  fc.array(
    fc.record({
      events: eventSets,
      repeats: fc.boolean(),
      links: fc.oneof(fc.constant([]), linkSets),
      then: fc.constantFrom('nothing', 'attribute', 'attribute', 'rebuild', 'compact', 'crash', 'stop'),
    }),
    { minLength: 2, maxLength: 3 },
  ),
);

describeWithClickHouse('events in ClickHouse', () => {
  const scene = useClickHouseScene();
  const ids = new Map<number, number>();
  let key: string;
  let experiment: Made;
  let goal: Made;

  beforeAll(async () => {
    key = (await scene.client.get(scene.project)).body.client_key as string;
    const goals = [
      await scene.make.goal({ name: 'Sale', value_type: 'revenue' }),
      await scene.make.goal({ name: 'Visit', value_type: 'number' }),
    ];
    goal = goals[0];
    goals.forEach(({ id }, index) => ids.set(11 + index, id));
    for (const number of [1, 2]) {
      const variations = [{ name: 'A' }, { name: 'B' }, { name: 'C' }];
      const made = await scene.make.withStatus('running', { variations, goals: goals.map(({ id }) => id) });
      experiment ??= made;
      ids.set(number, made.id);
      made.variations.forEach(({ id }: Made, index: number) => ids.set(number * 100 + index, id));
    }
  });

  beforeEach(async () => {
    await scene.clickhouse.misbehave({});
    await clearEverything(scene);
    await stopAt(1, null);
    await stopAt(2, null);
  });

  const real = (id: number | null): number | null => (id === null ? null : (ids.get(id) ?? null));
  const asStored = (event: AnyEvent): AnyEvent => ({
    ...event,
    experiment_id: real(event.experiment_id),
    variation_id: real(event.variation_id),
    goal_id: real(event.goal_id),
  });

  const get = <T>(type: abstract new (...all: never[]) => T): T =>
    scene.api.app.get<T>(type, { strict: false });

  async function append(events: readonly AnyEvent[], links: readonly AnyLink[]): Promise<void> {
    const { projectId } = scene.world;
    const [{ version }]: { version: number }[] = await scene.api.database.read.query(
      'SELECT version FROM project_versions WHERE project_id = ?',
      [projectId],
    );
    const definitions = await get(DefinitionStore).load(scene.api.database.read, projectId, version);
    const requests = links.map(({ kind, from, to, linkedAt }) => ({
      kind,
      from,
      to,
      requestedAt: linkedAt,
      refusal: null,
    }));
    await get(EventLog).append([{ definitions, events: events.map(asStored), links: requests }]);
  }

  /** Replaces the runs of an experiment with a single one that ends at a given time, or never. */
  const stopAt = (number: number, endedAt: number | null): Promise<void> =>
    scene.api.database.transaction(async (tx) => {
      const id = ids.get(number)!;
      await changeCounting(tx, id);
      await tx.query('DELETE FROM experiment_runs WHERE experiment_id = ?', [id]);
      await tx.query('INSERT INTO experiment_runs (experiment_id, started_at, ended_at) VALUES (?, 0, ?)', [
        id,
        endedAt,
      ]);
      await tx.query('UPDATE project_versions SET version = version + 1');
    });

  /** Runs a step and rolls back its transaction at the end, as if the process had been killed. */
  const crash = (): Promise<unknown> => scene.api.database.rollingBack(() => get(Attribution).step(null));

  async function then(what: string): Promise<void> {
    const work: Record<string, () => Promise<unknown>> = {
      attribute: () => get(Attribution).drain(),
      rebuild: () => get(RebuildService).rebuild({}),
      compact: () => get(BatchCompaction).run(),
      crash,
      stop: () => stopAt(1, 20_002 * 86_400_000_000),
    };
    await work[what]?.();
  }

  it('give the same cells as the TypeScript implementation, in any batches, with links, rebuilds and changed rules', async () => {
    const property = fc.asyncProperty(courses, async ([steps]) => {
      await clearEverything(scene);
      await stopAt(1, null);
      await stopAt(2, null);
      const all: AnyEvent[] = [];
      const links: AnyLink[] = [];
      for (const step of steps) {
        await append(step.events, step.links);
        if (step.repeats) {
          await append(step.events, []);
        }
        all.push(...step.events);
        links.push(...step.links);
        await then(step.then);
      }
      await attributeAll(scene.api);
      const rules = await readCountingRules(scene.api.database.read, [ids.get(1)!, ids.get(2)!]);
      const expected = linkedCellsOf(withoutRepeats(all).map(asStored), links, rules).map(asText).sort();
      expect(await shownCells(scene.api)).toEqual(expected);
      await get(RebuildService).rebuild({});
      expect(await shownCells(scene.api)).toEqual(expected);
    });
    await fc.assert(property, checks(RUNS));
  });

  it('count for the visitor to whom their id was linked in an earlier step', async () => {
    const common = { arrived_at: null, phase: null, value: null, device: 0 };
    const exposed: AnyEvent = {
      ...common,
      visitor_id: 'a',
      event_id: 'x',
      occurred_at: 1_000,
      experiment_id: 1,
      variation_id: 100,
      goal_id: null,
    };
    const sold: AnyEvent = {
      ...common,
      visitor_id: 'b',
      event_id: 'y',
      occurred_at: 2_000,
      experiment_id: null,
      variation_id: null,
      goal_id: 11,
      value: 5,
    };
    const links: AnyLink[] = [{ kind: 'alias', from: 'b', to: 'a', linkedAt: 500 }];
    await append([exposed], links);
    await get(Attribution).drain();
    await append([sold], []);
    await attributeAll(scene.api);
    const rules = await readCountingRules(scene.api.database.read, [ids.get(1)!, ids.get(2)!]);
    expect(await shownCells(scene.api)).toEqual(
      linkedCellsOf([exposed, sold].map(asStored), links, rules).map(asText).sort(),
    );
  });

  const messages = (visitors: number) =>
    [...Array(visitors).keys()].flatMap((index) => {
      const visitor = randomUUID();
      const variation = (experiment.variations as Made[])[index % 2];
      return [exposure(visitor, experiment.id, variation.id), conversion(visitor, 'sale', index)];
    });

  it('are collected over HTTP, with nothing in the main database', async () => {
    const batch = messages(10);
    expect((await send(scene.api, key, batch)).body).toMatchObject({ accepted: 20 });
    expect((await send(scene.api, key, batch)).body).toMatchObject({ accepted: 20 });
    expect(await storedEvents(scene.api)).toEqual([]);
    await expectCountedOnce(scene, 20);
    const results = await scene.client.get(`${experiment.path}/results?goal_id=${goal.id}`);
    expect(results.status).toBe(200);
  });

  it('are not stored by a dry run, but by the next real request', async () => {
    const path = `${scene.project}/events`;
    const body = { batch: messages(3) };
    expect((await scene.client.post(`${path}?dry_run=true`, body)).status).toBeLessThan(300);
    await expectCountedOnce(scene, 0);
    expect((await scene.client.post(path, body)).status).toBeLessThan(300);
    await expectCountedOnce(scene, 6);
  });

  it.each([
    ['has no space left', { inserts: 'full' as const }],
    ['stores them but does not respond', { inserts: 'unanswered' as const }],
  ])('are rejected with 503 if ClickHouse %s, and counted once after a retry', async (_, faults) => {
    const batch = messages(5);
    await scene.clickhouse.misbehave(faults);
    const refused = await send(scene.api, key, batch);
    expect([refused.status, refused.body.code]).toEqual([503, 'UNAVAILABLE']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await expectCountedOnce(scene, 0);
    await scene.clickhouse.misbehave({});
    expect((await send(scene.api, key, batch)).body.accepted).toBe(10);
    await expectCountedOnce(scene, 10);
  });

  it('are rejected with 503 while ClickHouse is down, and accepted again afterwards', async () => {
    const [first, second] = [messages(2), messages(2)];
    expect((await send(scene.api, key, first)).body.accepted).toBe(4);
    await scene.clickhouse.kill();
    expect((await send(scene.api, key, second)).status).toBe(503);
    const health = await scene.api.as(null).get('//health/ready');
    expect([health.status, JSON.stringify(health.body)]).toEqual([503, expect.stringContaining('events')]);
    await scene.clickhouse.restart();
    expect((await send(scene.api, key, second)).body.accepted).toBe(4);
    await expectCountedOnce(scene, 8);
  });

  it('are rejected if their batch was closed before they were stored', async () => {
    const batch = messages(2);
    await scene.clickhouse.misbehave({ delayMs: 1_500 });
    const sending = send(scene.api, key, batch);
    let isOver = false;
    void sending.then(() => (isOver = true));
    while (!isOver) {
      await get(EventBatches).closeOpenedBefore(Number.MAX_SAFE_INTEGER);
      await sleep(20);
    }
    const answer = await sending;
    expect(answer.status).toBe(503);
    await scene.clickhouse.misbehave({});
    await expectCountedOnce(scene, 0);
    expect((await send(scene.api, key, batch)).body.accepted).toBe(4);
    await expectCountedOnce(scene, 4);
  });

  it('count once if two workers attribute them concurrently', async () => {
    const sibling = await scene.api.sibling({ EVENTS_URL: scene.clickhouse.url });
    const workers = [scene.api, sibling].map(({ app }) => app.get(Attribution, { strict: false }));
    for (let round = 0; round < 4; round += 1) {
      expect((await send(scene.api, key, messages(3))).body.accepted).toBe(6);
      await Promise.all(workers.map((worker) => worker.drain()));
    }
    await sibling.close();
    await expectCountedOnce(scene, 24);
  });

  it('cannot be mixed with events in another log', async () => {
    await send(scene.api, key, messages(1));
    const start = (environment: Record<string, string>) =>
      scene.api.sibling(environment).then(
        (started) => started.close().then(() => 'started'),
        (error: unknown) => String(error),
      );
    expect(await start({})).toMatch(/EVENTS_URL is not set/);
    expect(await start({ EVENTS_URL: scene.clickhouse.url.replace('secret', 'other') })).toMatch(
      /EVENTS_URL cannot be used.*password/,
    );
    const another = TestApi.start({ EVENTS_URL: scene.clickhouse.url });
    await expect(another).rejects.toThrow(/belongs to another installation/);
    await inClickHouse(scene.clickhouse, 'ALTER TABLE events UPDATE device = 1 WHERE false');
    await scene.api.database.transaction((tx) =>
      tx.query("UPDATE event_log_marks SET position = 0 WHERE name = 'last_batch'"),
    );
    expect(await start({ EVENTS_URL: scene.clickhouse.url })).toMatch(/restored from a backup/);
  });
});
