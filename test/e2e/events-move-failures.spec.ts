import { ClickHouse } from '../../src/events/clickhouse/clickhouse';
import { EventBatches } from '../../src/events/clickhouse/event-batches.store';
import { EventMoves } from '../../src/events/move/event-moves.store';
import { RebuildService } from '../../src/events/rebuild.service';
import { TestApi } from '../support/api';
import { describeWithClickHouse, TestClickHouse } from '../support/clickhouse';
import { acknowledgedEvents, changeClickHouse, inClickHouse } from '../support/clickhouse-scene';
import { raw } from '../support/database-copies';
import { createTestDatabase, engine } from '../support/engine';
import { accept, expectCells, Installation, MoveStage, visit } from '../support/event-moves';
import { storedEvents } from '../support/events';
import type { Made } from '../support/scene';
import { contentsOf } from '../support/template';

/* Moves that are interrupted, fail or are refused. */

/** More than two parts of the killed move, which has parts of 500 events (test/support/killed-move.cjs). */
const MORE_EVENTS = 1_100;
const STILL_COPIED =
  /The move is cancelled, but its copies are still in ClickHouse\. Run the command with --cancel again\./;
const NOT_COPIES = /ClickHouse has events that are not copies of this move\./;

/** Adds events of other visitors. Every fifth event is not attributed, as if no worker had run. */
async function fill({ api, experiment }: Installation): Promise<void> {
  const { id } = experiment;
  const variations = experiment.variations as Made[];
  const [{ project_id: projectId }] = await raw(api.databaseUrl, 'SELECT project_id FROM events LIMIT 1');
  const at = Date.now() * 1_000;
  for (let start = 0; start < MORE_EVENTS; start += 100) {
    const rows = Array.from({ length: 100 }, (_, index) => start + index);
    await raw(
      api.databaseUrl,
      `INSERT INTO events (project_id, visitor_id, event_id, occurred_at, experiment_id, variation_id, device, attributed)
       VALUES ${rows.map(() => '(?, ?, ?, ?, ?, ?, 0, ?)').join(', ')}`,
      rows.flatMap((row) => [
        projectId,
        `more-${row}`,
        `more-${row}`,
        at,
        id,
        variations[row % 2].id,
        row % 5 ? 1 : 0,
      ]),
    );
    const waiting = rows.filter((row) => row % 5 === 0);
    await raw(
      api.databaseUrl,
      `INSERT INTO dirty_visitors (project_id, visitor_id, lock_version) VALUES ${waiting.map(() => '(?, ?, 0)').join(', ')}`,
      waiting.flatMap((row) => [projectId, `more-${row}`]),
    );
  }
  await api.app.get(RebuildService, { strict: false }).rebuild({});
}

describeWithClickHouse('events:move with failures', () => {
  let stage: MoveStage;

  beforeEach(async () => {
    stage = await MoveStage.start();
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await stage.end();
  });

  /** Number of events in ClickHouse. */
  async function copies(clickhouse = stage.clickhouse): Promise<number> {
    const [{ count }] = await inClickHouse<{ count: number }>(
      clickhouse,
      'SELECT toUInt32(count()) AS count FROM events FINAL',
    );
    return count;
  }

  it('resumes where it was killed, at any step', async () => {
    const installation = await stage.install();
    await fill(installation);
    const cells = await stage.expectedCells(installation);
    const events = (await storedEvents(installation.api)).length;
    const kills = [
      ['begin', 1, 'after'],
      ['insert', 1, 'after'],
      ['advance', 1, 'before'],
      ['insert', 2, 'after'],
      ['rows', 5, 'after'],
      ['finish', 1, 'before'],
      ['finish', 1, 'after'],
    ] as const;
    for (const [call, time, when] of kills) {
      const killed = await stage.killed(installation, call, time, when);
      expect([call, time, when, killed.code, killed.stderr]).toEqual([call, time, when, null, '']);
    }
    const report = JSON.parse((await stage.move(installation, '--json')).stdout) as object;
    expect(report).toMatchObject({ events, finished_before: true });
    const server = await stage.onClickHouse(installation);
    expect(await acknowledgedEvents(server, stage.clickhouse)).toHaveLength(events);
    await expectCells(server, cells);
  }, 480_000);

  it.each([
    ['has no space left', { inserts: 'full' as const }, /not enough space/],
    ['does not answer after an insert', { inserts: 'unanswered' as const }, /ClickHouse cannot be used/],
  ])('stops while ClickHouse %s, and continues when it is run again', async (_, faults, message) => {
    const installation = await stage.install();
    const { cells } = installation;
    await stage.clickhouse.misbehave(faults);
    const failed = await stage.move(installation);
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringMatching(message)]);
    await stage.clickhouse.misbehave({});
    expect((await stage.move(installation)).code).toBe(0);
    await expectCells(await stage.onClickHouse(installation), cells);
  });

  it('deletes the copies if ClickHouse has lost, changed or foreign events, and copies again', async () => {
    const installation = await stage.install();
    const { cells } = installation;
    for (const harm of [
      'DELETE FROM events WHERE goal_id > 0',
      'ALTER TABLE events UPDATE value = value + 1 WHERE value > 0',
      "INSERT INTO events SELECT * REPLACE ('other' AS visitor_id) FROM events LIMIT 1",
    ]) {
      await stage.interrupted(installation);
      await changeClickHouse(stage.clickhouse, harm);
      const refused = await stage.move(installation);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('The copies were deleted')]);
    }
    expect((await stage.move(installation)).code).toBe(0);
    await expectCells(await stage.onClickHouse(installation), cells);
  });

  it('deletes the copies of a cancelled move later if ClickHouse fails', async () => {
    const installation = await stage.install();
    for (const next of [['--cancel'], []]) {
      await stage.interrupted(installation);
      await stage.clickhouse.misbehave({ deletions: 'refused' });
      for (let time = 0; time < 2; time += 1) {
        const failed = await stage.move(installation, '--cancel');
        expect([failed.code, failed.stderr]).toEqual([1, expect.stringMatching(STILL_COPIED)]);
      }
      await accept(installation, visit(installation, 1));
      await (await installation.api.sibling()).close();
      expect(await copies()).toBeGreaterThan(0);
      await stage.clickhouse.misbehave({});
      const answer = await stage.move(installation, ...next);
      expect([answer.code, answer.stderr]).toEqual([0, '']);
      expect(await copies()).toBe(next.length > 0 ? 0 : (await storedEvents(installation.api)).length);
    }
  });

  it('deletes copies that are inserted after the move was cancelled', async () => {
    const installation = await stage.install();
    const { insert } = ClickHouse.prototype;
    jest.spyOn(ClickHouse.prototype, 'insert').mockImplementationOnce(async function (
      this: ClickHouse,
      rows,
    ) {
      expect((await stage.move(installation, '--cancel')).code).toBe(0);
      await insert.call(this, rows);
    });
    await stage.inThisProcess(installation, (move) =>
      expect(move).rejects.toThrow('The move was cancelled while this command was running.'),
    );
    expect(await copies()).toBe(0);
    await accept(installation, visit(installation, 1));

    await stage.interrupted(installation);
    await changeClickHouse(stage.clickhouse, 'CREATE TABLE late ENGINE = Memory AS SELECT * FROM events');
    expect((await stage.move(installation, '--cancel')).code).toBe(0);
    // As if ClickHouse completed an insert of a killed move.
    await changeClickHouse(
      stage.clickhouse,
      "INSERT INTO events SELECT * REPLACE ('late' AS visitor_id) FROM late",
    );
    const answer = await stage.move(installation);
    expect([answer.code, answer.stderr]).toEqual([0, '']);
    expect(await copies()).toBe((await storedEvents(installation.api)).length);
  });

  it('deletes nothing from the ClickHouse of another installation when a move is cancelled again', async () => {
    const installation = await stage.install();
    const { databaseUrl } = installation.api;
    await stage.interrupted(installation);
    expect((await stage.move(installation, '--cancel')).code).toBe(0);
    const foreign = stage.opens(await TestClickHouse.start());
    const owner = await TestApi.start({ EVENTS_URL: foreign.url });
    stage.opens(owner);
    await changeClickHouse(
      foreign,
      "INSERT INTO events (project_id, visitor_id, event_id, batch_id, occurred_at, device) VALUES (1, 'a', 'b', 1, 1, 0)",
    );
    for (const args of [['--cancel'], []]) {
      const refused = await stage
        .admin(databaseUrl, { EVENTS_URL: foreign.url })
        .run(['events:move', ...args]);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('another installation')]);
    }
    expect(await copies(foreign)).toBe(1);
  });

  it('does not cancel a move while EVENTS_URL names another installation', async () => {
    const installation = await stage.install();
    await stage.interrupted(installation);
    const foreign = stage.opens(await TestClickHouse.start());
    stage.opens(await TestApi.start({ EVENTS_URL: foreign.url }));
    const refused = await stage
      .admin(installation.api.databaseUrl, { EVENTS_URL: foreign.url })
      .run(['events:move', '--cancel']);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('another installation')]);
    expect((await stage.move(installation)).code).toBe(0);
  });

  it.each(['a later move', 'servers'])(
    'keeps the only copies, made by %s, if a backup has the cancelled move',
    async (by) => {
      const installation = await stage.install();
      const { databaseUrl } = installation.api;
      await stage.interrupted(installation);
      expect((await stage.move(installation, '--cancel')).code).toBe(0);
      const backup = await contentsOf(databaseUrl);
      if (by === 'servers') {
        await raw(databaseUrl, 'DELETE FROM events');
        await accept(installation, visit(installation, 1), await stage.onClickHouse(installation));
      } else {
        await accept(installation, visit(installation, 1));
        expect((await stage.move(installation)).code).toBe(0);
        expect((await stage.move(installation, '--remove')).code).toBe(0);
      }
      const only = await copies();
      expect(only).toBeGreaterThan(0);
      const restored = { ...installation, api: await stage.started(await createTestDatabase(backup)) };
      for (const args of [['--cancel'], []]) {
        const refused = await stage.move(restored, ...args);
        expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(NOT_COPIES)]);
      }
      expect(await copies()).toBe(only);
    },
  );

  it('keeps the copies of a move that another process began meanwhile', async () => {
    const installation = await stage.install();
    await stage.interrupted(installation);
    await stage.clickhouse.misbehave({ deletions: 'refused' });
    expect((await stage.move(installation, '--cancel')).code).toBe(1);
    await stage.clickhouse.misbehave({});
    const { whileCancelled } = EventMoves.prototype;
    jest.spyOn(EventMoves.prototype, 'whileCancelled').mockImplementationOnce(async function (
      this: EventMoves,
      ...given
    ) {
      expect((await stage.move(installation)).code).toBe(0);
      await whileCancelled.apply(this, given);
    });
    await stage.inThisProcess(installation, (move) =>
      expect(move).resolves.toMatchObject({ finished_before: true }),
    );
    expect(await copies()).toBe((await storedEvents(installation.api)).length);
  });

  it('can cancel a move whose table is missing in ClickHouse', async () => {
    const installation = await stage.install();
    await stage.interrupted(installation);
    await changeClickHouse(stage.clickhouse, 'DROP TABLE events');
    const answer = await stage.move(installation, '--cancel');
    expect([answer.code, answer.stderr]).toEqual([0, '']);
  });

  it('does not delete events of servers when a cancelled move is cancelled again', async () => {
    const installation = await stage.install();
    const { databaseUrl } = installation.api;
    await stage.interrupted(installation);
    expect((await stage.move(installation, '--cancel')).code).toBe(0);
    expect((await stage.move(installation, '--cancel')).code).toBe(0);
    await raw(databaseUrl, 'DELETE FROM events');
    const server = await stage.onClickHouse(installation);
    await accept(installation, visit(installation, 1), server);
    const refused = await stage.move(installation, '--cancel');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('no move to cancel')]);
    expect(await copies()).toBe(2);
  });

  it('refuses impossible moves without any changes', async () => {
    const installation = await stage.install();
    const { api } = installation;
    const refusals: [Record<string, string>, RegExp, number][] = [
      [{ EVENTS_URL: '' }, /Set EVENTS_URL to the ClickHouse address/, 1],
      [{ EVENTS_URL: 'http://127.0.0.1' }, /EVENTS_URL must be clickhouse:/, 1],
      [{ EVENTS_URL: stage.clickhouse.url.replace('secret', 'other') }, /password is incorrect/, 1],
      [{ EVENTS_URL: 'clickhouse://gosset:x@127.0.0.1:1/default' }, /ECONNREFUSED/, 1],
    ];
    for (const [environment, message, code] of refusals) {
      const refused = await stage.admin(api.databaseUrl, environment).run(['events:move']);
      expect([refused.code, refused.stderr]).toEqual([code, expect.stringMatching(message)]);
    }
    expect((await stage.move(installation, '--remove', '--cancel')).code).toBe(2);
    await accept(installation, visit(installation, 1));
    const other = await TestApi.start({ EVENTS_URL: stage.clickhouse.url });
    stage.opens(other);
    expect((await stage.move(installation)).stderr).toContain('belongs to another installation');
    await accept(installation, visit(installation, 1));
    const used = stage.admin(other.databaseUrl);
    await other.database.transaction((tx) => other.app.get(EventBatches, { strict: false }).open(tx, 1));
    expect((await used.run(['events:move'])).stderr).toContain(
      'ClickHouse already stores the events of this database',
    );
  });

  it('requires a migrated database', async () => {
    const store = await createTestDatabase();
    stage.opens(store);
    const { code, stderr } = await stage.admin(store.url).run(['events:move', '--remove']);
    const message = engine === 'mysql' ? 'db:migrate' : 'The events have not been moved';
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});
