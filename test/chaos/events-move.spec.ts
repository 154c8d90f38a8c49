import { setTimeout as sleep } from 'node:timers/promises';
import { RebuildService } from '../../src/events/rebuild.service';
import { describeWithClickHouse } from '../support/clickhouse';
import { acknowledgedEvents } from '../support/clickhouse-scene';
import { MoveStage } from '../support/event-moves';
import { attributeAll, shownCells } from '../support/events';
import { cellsOf, deliverTo, figuresOf, Ledger } from '../support/ledger';
import { Made, Maker } from '../support/scene';
import { ServerProcess } from '../support/server-process';
import { createMigratedDatabase } from '../support/template';

/* Two servers collect events while the events are moved to ClickHouse. Then they are restarted one after the other. */

const SENDERS = 3;

describeWithClickHouse('events:move while servers run', () => {
  let stage: MoveStage;
  const servers: ServerProcess[] = [];

  beforeAll(async () => {
    stage = await MoveStage.start();
  });

  afterAll(async () => {
    servers.forEach((server) => server.kill('SIGKILL'));
    await Promise.all(servers.map((server) => server.exit));
    await stage.end();
  });

  it('loses no acknowledged event, and counts each event once', async () => {
    const api = await stage.started(await createMigratedDatabase());
    const { people, project } = await api.world();
    const make = new Maker(people.admin.client, project);
    const goal = await make.goal({ name: 'Sale', value_type: 'revenue' });
    const experiment = await make.withStatus('running', { goals: [goal.id] });
    const { client_key: key } = (await people.admin.client.get(project)).body as Made;
    const start = async (place: number, environment: Record<string, string> = {}): Promise<void> => {
      const common = { DATABASE_URL: api.databaseUrl, LOG_LEVEL: 'silent' };
      servers[place] = await ServerProcess.spawn({ ...common, ...environment });
      await servers[place].ready();
    };
    await start(0);
    await start(1);

    let isOver = false;
    const ledgers = Array.from({ length: SENDERS }, () => new Ledger(experiment));
    const statuses = new Set<number>();
    const sending = ledgers.map(async (ledger, sender) => {
      for (let turn = sender; !isOver; turn += 1) {
        const status = await ledger.send(deliverTo(servers[turn % 2].address, key));
        statuses.add(status);
        await sleep(status === 200 ? 2 : 20);
      }
    });
    await sleep(1_500);
    const installation = { api, key, experiment };
    expect((await stage.killed(installation, 'advance', 1, 'before')).code).toBeNull();
    const moving = stage.move(installation);
    for (const [place, signal] of (['SIGKILL', 'SIGTERM'] as const).entries()) {
      servers[place].kill(signal);
      await servers[place].exit;
      await start(place, { EVENTS_URL: stage.clickhouse.url });
      await sleep(300);
    }
    const { code, stderr } = await moving;
    expect([code, stderr]).toEqual([0, '']);
    await sleep(1_500);
    isOver = true;
    await Promise.all(sending);
    expect([...statuses]).toEqual(expect.arrayContaining([200, 503]));

    const server = await stage.onClickHouse(installation);
    const rows = await acknowledgedEvents(server, stage.clickhouse);
    const stored = new Set(rows.map(({ event_id }) => event_id));
    const acknowledged = ledgers.flatMap((ledger) => ledger.acknowledged);
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    expect(stored.size).toBe(rows.length);
    await attributeAll(server);
    expect((await shownCells(server)).map(figuresOf).sort()).toEqual(cellsOf(rows));
    const cells = await shownCells(server);
    await server.app.get(RebuildService, { strict: false }).rebuild({});
    expect(await shownCells(server)).toEqual(cells);
  }, 240_000);
});
