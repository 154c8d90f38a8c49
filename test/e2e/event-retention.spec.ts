import { randomUUID } from 'node:crypto';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { EventStore } from '../../src/events/event.store';
import { ExclusionsService } from '../../src/events/exclusions/exclusions.service';
import { RebuildService } from '../../src/events/rebuild.service';
import { RetentionService, RetentionWorker } from '../../src/events/retention/retention.service';
import { AdminCommand } from '../support/admin';
import { type TestApi, testConfig } from '../support/api';
import { documentOf, textsOf } from '../support/console';
import { type LoggedScene, onBothEventLogs } from '../support/event-logs';
import { attributeAll, conversion, exposure, send, shownCells } from '../support/events';
import { makeFinal } from '../support/final-results';
import { type Made, type Maker, anotherProject, errorsOf, TIMESTAMP } from '../support/scene';
import { signedIn, withPassword } from '../support/visitor';

/* Retention: events are removed when they are old and can no longer change any result. */

const scene = {} as LoggedScene;
const DAY = 86_400_000_000;
/** Their events are removed in several steps. */
const MANY = 1_100;
const FEW = 20;

let visitors: number;
let make: Maker;
let key: string;
let final: Made;
let running: Made;
let shownBefore: unknown;

const projectId = (): number => make.projectId;
const nameOf = (number: number): string => `visitor-${number}`;
/** The last of many visitors in sort order. */
const LAST = nameOf(999);

/**
 * The number of steps that remove the events of many visitors: one for every 2,000 events. In ClickHouse, a single step.
 */
const stepsOfMany = (): number => (scene.log.environment.EVENTS_URL ? 1 : (2 * MANY) / 2_000);

async function visit(experiment: Made, names: readonly string[]): Promise<void> {
  const messages = names.flatMap((name, index) => [
    exposure(name, experiment.id, experiment.variations[index % 2].id as number),
    conversion(name, 'sale', 1.5),
  ]);
  for (let start = 0; start < messages.length; start += 1_000) {
    const part = messages.slice(start, start + 1_000);
    expect((await send(scene.api, key, part)).body.accepted).toBe(part.length);
  }
  await attributeAll(scene.api);
}

async function query(sql: string, parameters: unknown[]): Promise<void> {
  await scene.api.database.transaction((tx) => tx.query(sql, parameters));
}

/** The number of the project's rows in a table. */
async function rowsOf(table: string): Promise<number> {
  const rows: unknown[] = await scene.api.database.read.query(`SELECT 1 FROM ${table} WHERE project_id = ?`, [
    projectId(),
  ]);
  return rows.length;
}

const retentionOf = (api: TestApi): RetentionService => api.app.get(RetentionService, { strict: false });

async function keepDays(days: number | null): Promise<void> {
  const answer = await scene.client.patch(`${make.project}/settings`, { event_retention_days: days });
  expect([answer.status, answer.body.event_retention_days]).toEqual([200, days]);
}

/** Runs retention to its end. @returns the number of steps */
async function removeOld(api = scene.api): Promise<number> {
  let steps = 0;
  while (await retentionOf(api).step()) {
    steps += 1;
  }
  return steps;
}

const eventCount = async (): Promise<number> => (await scene.log.stored(projectId())).length;

/** The cells of both experiments, and the final results as the API returns them. */
async function shown(): Promise<unknown> {
  const { body } = await scene.client.get(`${final.path}/results`);
  const cells = (await shownCells(scene.api)).filter((cell) =>
    [final, running].some(({ id }) => cell.includes(`experiment_id=${id} `)),
  );
  return { results: body as unknown, cells };
}

const infoOf = async ({ path }: Made): Promise<Made> =>
  (await scene.client.get(`${path}/results/info`)).body as Made;

/** Creates a final experiment with events from three days ago, and an experiment that started later. */
async function begin(count: number): Promise<void> {
  visitors = count;
  make = await anotherProject(scene, `Retention ${randomUUID()}`);
  key = (await scene.client.get(make.project)).body.client_key as string;
  const goal = await make.goal({ name: 'Sale', value_type: 'revenue' });
  final = await make.withStatus('running', { goals: [goal.id] });
  await visit(
    final,
    Array.from({ length: visitors }, (_, number) => nameOf(number)),
  );
  await make.move(final, 'archive');
  await makeFinal(scene.api, final.id, scene.log);
  const exposures = (await scene.log.stored()).filter(({ experiment_id }) => experiment_id === final.id);
  const first = Math.min(...exposures.map(({ occurred_at }) => occurred_at));
  await query(
    'UPDATE experiment_results SET seen_from = ?, seen_until = seen_until - ? WHERE experiment_id = ?',
    [first, 3 * DAY, final.id],
  );
  running = await make.withStatus('running', { goals: [goal.id] });
  await visit(running, [nameOf(1), nameOf(2), 'new']);
  shownBefore = await shown();
}

onBothEventLogs(scene, () => {
  describe('event_retention_days', () => {
    it.each([0, -1, 3_651, 1.5, '30', true])('is rejected if it is %j', async (days) => {
      const answer = await scene.client.patch(`${scene.project}/settings`, { event_retention_days: days });
      expect(errorsOf(answer)).toHaveProperty('event_retention_days');
    });
  });

  describe('event_retention_days with many events', () => {
    beforeEach(() => begin(MANY));

    it('removes the old events of final experiments, whose results stay the same even after a rebuild', async () => {
      expect(await removeOld()).toBe(0);
      expect(await eventCount()).toBe(2 * visitors + 6);
      expect((await infoOf(final)).events_removed_before).toBeNull();

      await keepDays(1);
      expect(await removeOld()).toBeGreaterThan(stepsOfMany());
      expect(await eventCount()).toBe(6);
      expect(await shown()).toEqual(shownBefore);
      expect(await infoOf(final)).toMatchObject({
        participants: visitors,
        events_removed_before: expect.stringMatching(TIMESTAMP),
        recomputing: false,
        is_final: true,
      });
      expect(await infoOf(running)).toMatchObject({ participants: 3, events_removed_before: null });

      const rebuilds = scene.api.app.get(RebuildService, { strict: false });
      expect(await rebuilds.rebuild({ projectId: projectId() })).toEqual([running.id]);
      expect(await rebuilds.unrepeatable({})).toContain(final.id);
      expect(await shown()).toEqual(shownBefore);
      const admin = new AdminCommand(scene.api.databaseUrl, scene.log.environment);
      expect(await admin.json(['results:rebuild', '--project', String(projectId())])).toEqual([
        { id: running.id, project_id: projectId(), name: expect.any(String), rebuilt: true },
        { id: final.id, project_id: projectId(), name: expect.any(String), rebuilt: false },
      ]);
      admin.remove();
      expect(await shown()).toEqual(shownBefore);
      // Retention has no more work today.
      expect(await removeOld()).toBe(0);
    });

    it('can be applied by two processes, and be interrupted between any two steps', async () => {
      await keepDays(1);
      await retentionOf(scene.api).step();
      await retentionOf(scene.api).step();
      const left = await eventCount();
      expect(left).toBeLessThan(2 * visitors);
      // In ClickHouse, all events are hidden immediately, and deleted later.
      expect(await scene.log.has(projectId(), LAST)).toBe(true);
      expect(await shown()).toEqual(shownBefore);
      const rebuilds = scene.api.app.get(RebuildService, { strict: false });
      await rebuilds.rebuild({ projectId: projectId() });
      expect(await shown()).toEqual(shownBefore);
      const other = await scene.api.sibling(scene.log.environment);
      await Promise.all([removeOld(), removeOld(other), rebuilds.rebuild({})]);
      await Promise.all([scene.log.carryOut(), removeOld(other)]);
      await other.close();
      expect(await eventCount()).toBe(6);
      expect(await scene.log.has(projectId(), LAST)).toBe(false);
      expect(await shown()).toEqual(shownBefore);
    });
  });

  describe('event_retention_days', () => {
    beforeEach(() => begin(FEW));

    it('keeps all events since the first start of any experiment without final results', async () => {
      await query('UPDATE experiment_runs SET started_at = started_at - ? WHERE experiment_id = ?', [
        10 * DAY,
        running.id,
      ]);
      await keepDays(1);
      expect(await removeOld()).toBeGreaterThan(0);
      expect(await eventCount()).toBe(2 * visitors + 6);
      expect((await infoOf(final)).events_removed_before).toBeNull();
    });

    it('keeps events for the configured number of days, and follows changes to the setting', async () => {
      await keepDays(30);
      await removeOld();
      expect(await eventCount()).toBe(2 * visitors + 6);
      await keepDays(2);
      await removeOld();
      expect(await eventCount()).toBe(6);
    });

    it('determines the reported time before which events were removed, and a later removal updates that time', async () => {
      await keepDays(2);
      await removeOld();
      const before = Date.parse((await infoOf(final)).events_removed_before as string);
      await keepDays(1);
      await removeOld();
      const after = Date.parse((await infoOf(final)).events_removed_before as string);
      expect(after - before).toBeGreaterThanOrEqual(DAY / 1_000);
    });

    it('waits until all events are attributed, in steps between which the server responds and can stop', async () => {
      const waiting = Array.from({ length: MANY }, (_, number) => ({
        project_id: projectId(),
        visitor_id: `waiting-${number}`,
      }));
      const events = scene.api.app.get(EventStore, { strict: false });
      await scene.api.database.transaction((tx) => events.markVisitors(tx, waiting));
      const left = () => rowsOf('dirty_visitors');
      const passes = () => rowsOf('event_retention');
      await keepDays(1);
      const config = testConfig({ DATABASE_URL: scene.api.databaseUrl, WORKER: 'inline' });
      const worker = new RetentionWorker(config, retentionOf(scene.api));
      worker.onApplicationBootstrap();
      await othersTurn();
      expect(await left()).toBeGreaterThan(0);
      await worker.onModuleDestroy();
      expect(await left()).toBeGreaterThan(0);
      expect(await left()).toBeLessThan(MANY);
      expect(await passes()).toBe(0);
      expect(await eventCount()).toBe(2 * visitors + 6);
      await removeOld();
      expect([await left(), await passes()]).toEqual([0, 1]);
      expect(await eventCount()).toBe(6);
    });

    it('does not affect projects in the trash', async () => {
      await make.move(running, 'pause');
      await keepDays(1);
      expect((await scene.client.delete(make.project)).status).toBe(204);
      expect(await retentionOf(scene.api).step()).toBe(false);
      expect(await eventCount()).toBe(2 * visitors + 6);
    });

    it('makes later changes to the final experiment and its results impossible', async () => {
      await keepDays(1);
      await removeOld();
      const before = await infoOf(final);
      const refused = await scene.client.patch(`${final.path}/status`, { status: 'pause' });
      expect(errorsOf(refused).status[0]).toContain('event_retention_days');
      expect(refused.body.allowed_statuses).toEqual([]);

      const exclusions = scene.api.app.get(ExclusionsService, { strict: false });
      const scope = { projectId: projectId(), experimentId: null, criteria: { ids: [nameOf(1)] } };
      await exclusions.exclude(scope, 1);
      expect((await infoOf(running)).participants).toBe(2);
      expect((await scene.client.delete(`${make.project}/visitors/${nameOf(2)}`)).status).toBe(204);
      await attributeAll(scene.api);
      expect((await infoOf(running)).participants).toBe(1);
      // A new value cap recounts conversions whose events still exist.
      const [goal] = (await scene.client.get(`${make.project}/goals?search=Sale`)).body as Made[];
      await scene.client.patch(`${make.project}/goals/${goal.id}`, { value_cap: 1 });
      await attributeAll(scene.api);
      expect(await infoOf(final)).toEqual(before);
    });

    it('lets the page offer a clone in place of restoring the final experiment', async () => {
      const person = await withPassword(scene.api, scene.world.people.admin);
      const { visitor } = await signedIn(scene.api, person);
      const offered = async () => {
        const document = await documentOf(visitor, final.path);
        return [...textsOf(document, '.step h3'), ...textsOf(document, '.action-links a')];
      };
      const before = await offered();
      expect(before).toContain('Restore');
      await keepDays(1);
      await removeOld();
      expect(await offered()).toEqual(['Clone', ...before.filter((text) => text !== 'Restore')]);
    });

    it('removes later events even if a new value cap no longer changes a final experiment without events', async () => {
      await keepDays(2);
      await removeOld();
      const [goal] = (await scene.client.get(`${make.project}/goals?search=Sale`)).body as Made[];
      await scene.client.patch(`${make.project}/goals/${goal.id}`, { value_cap: 1 });
      await attributeAll(scene.api);
      await scene.log.fill(projectId(), [{ visitor_id: 'later', event_id: randomUUID() }]);
      const occurred = (Date.now() - 36 * 3_600_000) * 1_000;
      await scene.log.change({ occurred_at: String(occurred) }, "visitor_id = 'later'");
      await keepDays(1);
      await removeOld();
      expect(await eventCount()).toBe(6);
    });

    it('does not change the final experiment if only some events of a visitor are removed', async () => {
      // The first exposure of this visitor is removed. A later exposure, to another variation, is kept.
      await scene.log.change(
        { occurred_at: `occurred_at + ${2.5 * DAY}`, variation_id: String(final.variations[1].id) },
        `project_id = ${projectId()} AND visitor_id = 'visitor-0' AND experiment_id = ${final.id}`,
      );
      await query('UPDATE experiment_runs SET ended_at = ended_at + ? WHERE experiment_id = ?', [
        3 * DAY,
        final.id,
      ]);
      await query(
        `UPDATE experiment_results SET rules = REPLACE(rules, '"endedAt":', '"endedAt":9') WHERE experiment_id = ?`,
        [final.id],
      );
      await keepDays(1);
      await removeOld();
      expect(await eventCount()).toBe(7);
      const before = await shown();
      const exclusions = scene.api.app.get(ExclusionsService, { strict: false });
      const criteria = { ids: [nameOf(0)] };
      await exclusions.exclude({ projectId: projectId(), experimentId: null, criteria }, 1);
      expect(await shown()).toEqual(before);
      expect((await scene.client.delete(`${make.project}/visitors/${nameOf(0)}`)).status).toBe(204);
      await attributeAll(scene.api);
      expect(await shown()).toEqual(before);
    });
  });
});
