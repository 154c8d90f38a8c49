import { setTimeout as sleep } from 'node:timers/promises';
import { describeWithClickHouse } from '../support/clickhouse';
import { acknowledgedEvents, useClickHouseScene } from '../support/clickhouse-scene';
import { attributeAll, shownCells } from '../support/events';
import { cellsOf, deliverTo, figuresOf, Ledger } from '../support/ledger';
import type { Made } from '../support/scene';
import { ServerProcess } from '../support/server-process';
import { until } from '../support/waiting';

/* Kills servers while they write events to ClickHouse. Its responses are delayed, so that a kill can hit any step. */

const ROUNDS = 6;
const SENDERS = 3;

describeWithClickHouse('events in ClickHouse', () => {
  const scene = useClickHouseScene();

  it('are counted once if they were acknowledged, no matter when the server is killed', async () => {
    const key = (await scene.client.get(scene.project)).body.client_key as string;
    const goal = await scene.make.goal({ name: 'Sale', value_type: 'revenue' });
    const experiment: Made = await scene.make.withStatus('running', { goals: [goal.id] });
    const ledgers = Array.from({ length: SENDERS }, () => new Ledger(experiment));
    const acknowledged = (): string[] => ledgers.flatMap((ledger) => ledger.acknowledged);
    for (let round = 0; round < ROUNDS; round += 1) {
      await scene.clickhouse.misbehave({});
      const server = await ServerProcess.spawn({
        DATABASE_URL: scene.api.databaseUrl,
        EVENTS_URL: scene.clickhouse.url,
        LOG_LEVEL: 'silent',
      });
      await server.ready();
      await scene.clickhouse.misbehave({ delayMs: 40 });
      let isOver = false;
      const before = acknowledged().length;
      const sending = ledgers.map(async (ledger) => {
        while (!isOver) {
          const status = await ledger.send(deliverTo(server.address, key));
          await sleep(status === 200 ? 1 : 20);
        }
      });
      await until(() => acknowledged().length > before, 'an acknowledged batch');
      await sleep(1_000 + 211 * round);
      server.kill('SIGKILL');
      await server.exit;
      isOver = true;
      await Promise.all(sending);
    }
    await scene.clickhouse.misbehave({});
    const rows = await acknowledgedEvents(scene.api, scene.clickhouse);
    const stored = new Set(rows.map(({ event_id }) => event_id));
    expect(acknowledged().filter((id) => !stored.has(id))).toEqual([]);
    expect(stored.size).toBe(rows.length);
    await attributeAll(scene.api);
    expect((await shownCells(scene.api)).map(figuresOf).sort()).toEqual(cellsOf(rows));
  }, 240_000);
});
