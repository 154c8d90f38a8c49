import { VisitorDeletionService } from '../../src/events/deletions/visitor-deletion.service';
import { EventPurge } from '../../src/events/event-purge';
import { RebuildService } from '../../src/events/rebuild.service';
import { RetentionService } from '../../src/events/retention/retention.service';
import { describeWithClickHouse } from '../support/clickhouse';
import { acknowledgedEvents } from '../support/clickhouse-scene';
import { raw } from '../support/database-copies';
import { accept, expectCells, MoveStage, visit } from '../support/event-moves';
import { attributeAll, send, shownCells, storedEvents } from '../support/events';

/* Moving events from the main database to ClickHouse. */

describeWithClickHouse('events:move', () => {
  let stage: MoveStage;

  beforeEach(async () => {
    stage = await MoveStage.start();
  });

  afterEach(() => stage.end());

  it('keeps the results, counts unattributed events once, and can delete the events from the database', async () => {
    const installation = await stage.install();
    const { cells } = installation;
    const before = await shownCells(installation.api);
    expect(cells).not.toEqual(before);
    const events = await storedEvents(installation.api);

    const answer = await stage.move(installation);
    expect([answer.code, answer.stderr]).toEqual([0, '']);
    expect(answer.stdout).toContain(
      `Moved ${events.length} events to ClickHouse.\nCompared all events: they are identical.`,
    );
    expect(answer.stdout).toContain('Compared the results of 1 experiment: they are identical.');
    expect(await shownCells(installation.api)).toEqual(before);

    const server = await stage.onClickHouse(installation);
    expect(await acknowledgedEvents(server, stage.clickhouse)).toHaveLength(events.length);
    await expectCells(server, cells);
    const removed = await stage.move(installation, '--remove', '--json');
    expect(JSON.parse(removed.stdout)).toEqual({ removed: events.length });
    expect(await storedEvents(installation.api)).toEqual([]);
    await expectCells(server, cells);
    expect(JSON.parse((await stage.move(installation, '--json')).stdout)).toMatchObject({
      finished_before: true,
    });
    await accept(installation, visit(installation, 1), server);
    await attributeAll(server);
    expect(await shownCells(server)).not.toEqual(cells);
  });

  it('stops collection on servers without EVENTS_URL, and includes events of other servers in results', async () => {
    const installation = await stage.install();
    const { api, key } = installation;
    expect((await stage.killed(installation, 'begin', 1, 'after')).code).toBeNull();
    const before = await shownCells(api);
    const stored = await storedEvents(api);
    const late = visit(installation, 4);

    const refused = await send(api, key, late);
    expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([
      503,
      'UNAVAILABLE',
      '5',
    ]);
    const ready = await api.as(null).get('//health/ready');
    expect([ready.status, ready.text]).toEqual([
      503,
      expect.stringContaining('Restart this process with EVENTS_URL'),
    ]);
    await expect(attributeAll(api)).rejects.toThrow(/events:move/);

    const server = await stage.onClickHouse(installation);
    await accept(installation, late, server);
    await expect(attributeAll(server)).rejects.toThrow(/until events:move has finished/);
    await expect(server.app.get(RebuildService, { strict: false }).rebuild({})).rejects.toThrow(
      /events:move/,
    );
    expect([await shownCells(api), await storedEvents(api)]).toEqual([before, stored]);
    expect((await server.as(null).get('//health/ready')).status).toBe(200);

    expect((await stage.move(installation)).code).toBe(0);
    expect(await shownCells(api)).toEqual(before);
    await attributeAll(server);
    const cells = await shownCells(server);
    expect(await acknowledgedEvents(server, stage.clickhouse)).toHaveLength(stored.length + late.length);
    await expectCells(server, cells);
    await expect(api.sibling()).rejects.toThrow(/EVENTS_URL is not set/);
  });

  it('names experiments whose results do not match their events, and can finish without this comparison', async () => {
    const installation = await stage.install();
    const { api, cells, experiment } = installation;
    await raw(api.databaseUrl, 'UPDATE result_cells SET conversions = conversions + 1 WHERE goal_id > 0');
    const refused = await stage.move(installation);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      `do not match the events: ${experiment.id}. Run the command again with --skip-results`,
    );
    expect((await stage.move(installation, '--remove')).stderr).toContain('The events have not been moved.');
    expect((await stage.move(installation, '--skip-results')).code).toBe(0);
    const server = await stage.onClickHouse(installation);
    await attributeAll(server);
    await server.app.get(RebuildService, { strict: false }).rebuild({});
    expect(await shownCells(server)).toEqual(cells);
  });

  it('can be cancelled until a server stores events in ClickHouse', async () => {
    const installation = await stage.install();
    const { api, key } = installation;
    expect((await stage.move(installation, '--cancel')).stderr).toContain('There is no move to cancel');
    const begin = () => stage.interrupted(installation);
    await begin();
    const early = await stage.onClickHouse(installation);
    expect((await stage.move(installation, '--cancel')).code).toBe(0);
    await expect(attributeAll(early)).rejects.toThrow(/cancelled/);
    await expect(early.app.get(RebuildService, { strict: false }).rebuild({})).rejects.toThrow(/cancelled/);
    expect((await send(early, key, visit(installation, 1))).status).toBe(503);
    await accept(installation, visit(installation, 2));
    const cells = await stage.expectedCells(installation);
    await begin();
    const server = await stage.onClickHouse(installation);
    const late = visit(installation, 1);
    await accept(installation, late, server);
    expect((await stage.move(installation, '--cancel')).code).toBe(1);
    expect((await stage.move(installation)).code).toBe(0);
    await attributeAll(server);
    expect((await shownCells(server)).length).toBeGreaterThanOrEqual(cells.length);
    expect(await acknowledgedEvents(server, stage.clickhouse)).toHaveLength(
      (await storedEvents(api)).length + late.length,
    );
    await expectCells(server, await shownCells(server));
  });

  it('leaves no events of visitors and experiments that are deleted afterwards', async () => {
    const installation = await stage.install();
    const { api, experiment } = installation;
    expect((await stage.move(installation)).code).toBe(0);
    const server = await stage.onClickHouse(installation);
    await attributeAll(server);
    const [{ visitor_id: visitor }] = await storedEvents(api);
    const [{ project_id: projectId }] = await raw(api.databaseUrl, 'SELECT project_id FROM events LIMIT 1');
    const known = async () => [
      ...(await storedEvents(api)),
      ...(await acknowledgedEvents(server, stage.clickhouse)),
    ];
    const deletions = server.app.get(VisitorDeletionService, { strict: false });
    await deletions.delete({ projectId: Number(projectId), author: 'admin' }, visitor);
    expect((await known()).filter(({ visitor_id }) => visitor_id === visitor)).toEqual([]);
    expect(await raw(api.databaseUrl, 'SELECT visitor_id, event_id FROM event_moves')).toEqual([
      { visitor_id: '', event_id: '' },
    ]);
    const purge = server.app.get(EventPurge, { strict: false });
    await server.database.transaction((tx) => purge.schedule(tx, Number(projectId), experiment.id));
    await purge.run();
    expect((await known()).filter(({ experiment_id }) => experiment_id !== null)).toEqual([]);
    expect(await known()).not.toEqual([]);
  });

  it('postpones retention until it has finished, and drops pending removals if it is cancelled', async () => {
    const installation = await stage.install();
    const { databaseUrl } = installation.api;
    await stage.interrupted(installation);
    const server = await stage.onClickHouse(installation);
    const [{ project_id: projectId }] = await raw(databaseUrl, 'SELECT project_id FROM events LIMIT 1');
    await raw(databaseUrl, 'UPDATE project_settings SET event_retention_days = 30 WHERE id = ?', [projectId]);
    await raw(
      databaseUrl,
      `INSERT INTO event_retention (project_id, days, attributed_at, visited_to, due_at, lock_version)
       VALUES (?, 30, 1, '', 1, 0)`,
      [projectId],
    );
    const removing = server.app.get(RetentionService, { strict: false }).step();
    await expect(removing).rejects.toThrow(/until events:move has finished/);
    const removals = () => raw(databaseUrl, 'SELECT id FROM event_removals');
    expect(await removals()).toEqual([]);
    await raw(
      databaseUrl,
      'INSERT INTO event_removals (project_id, happened_before, up_to_batch, requested_at) VALUES (?, 1, 1, 1)',
      [projectId],
    );
    expect((await stage.move(installation, '--cancel')).code).toBe(0);
    expect(await removals()).toEqual([]);
  });

  it('is required before a server starts with EVENTS_URL', async () => {
    const { api } = await stage.install();
    await expect(api.sibling({ EVENTS_URL: stage.clickhouse.url })).rejects.toThrow(
      /Move them to ClickHouse first.*events:move/,
    );
    const refused = await stage.admin(api.databaseUrl).run(['results:rebuild']);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('events:move')]);
  });
});
