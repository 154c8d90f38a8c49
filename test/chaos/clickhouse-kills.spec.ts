import { setTimeout as sleep } from 'node:timers/promises';
import { describeWithClickHouse } from '../support/clickhouse';
import { ClickHouseProcesses, MOMENTS, VICTIMS } from '../support/clickhouse-processes';
import { acknowledgedEvents, useClickHouseScene } from '../support/clickhouse-scene';
import { attributeAll, shownCells } from '../support/events';
import { cellsOf, figuresOf, Ledger } from '../support/ledger';
import { until } from '../support/waiting';

/*
 * Kills a server, a worker or ClickHouse with SIGKILL between any two steps on the way from a request to a result.
 * Unacknowledged events are sent again, and the results must count each event once. CHAOS_KILLS sets the number of
 * random kills.
 */

const KILLS = Number(process.env.CHAOS_KILLS ?? 3);
const SENDERS = 3;
const LONGEST_MS = 400;
const RETRY_MS = 50;

const CASES = MOMENTS.flatMap((moment) => VICTIMS.map((victim) => [victim, moment] as const));

describeWithClickHouse('events in ClickHouse are counted once', () => {
  const scene = useClickHouseScene();
  const ledgers: Ledger[] = [];
  let processes: ClickHouseProcesses;

  beforeAll(async () => {
    const key = (await scene.client.get(scene.project)).body.client_key as string;
    const goal = await scene.make.goal({ name: 'Sale', value_type: 'revenue' });
    const experiment = await scene.make.withStatus('running', { goals: [goal.id] });
    ledgers.push(...Array.from({ length: SENDERS }, () => new Ledger(experiment)));
    processes = new ClickHouseProcesses(scene, key);
    await processes.start('server', 'worker');
  });
  afterAll(() => processes?.stop());

  /**
   * Asserts that all events are eventually acknowledged, stored once, and counted as by the TypeScript implementation.
   */
  async function expectAllCountedOnce(): Promise<void> {
    for (const ledger of ledgers) {
      while (!ledger.isSettled) {
        if ((await ledger.send(processes.deliver)) !== 200) {
          await sleep(RETRY_MS);
        }
      }
    }
    await attributeAll(scene.api);
    const rows = await acknowledgedEvents(scene.api, scene.clickhouse);
    const acknowledged = ledgers.flatMap((ledger) => ledger.acknowledged);
    expect(rows.map(({ event_id }) => event_id).sort()).toEqual(acknowledged.sort());
    expect((await shownCells(scene.api)).map(figuresOf).sort()).toEqual(cellsOf(rows));
  }

  it.each(CASES)('when the %s is killed at the step: %s', async (victim, moment) => {
    processes.hold(moment);
    const sending = ledgers[0].send(processes.deliver);
    await processes.held(moment);
    await processes.kill(victim);
    processes.release();
    expect([0, 200, 503]).toContain(await sending);
    await processes.start(victim);
    await expectAllCountedOnce();
  });

  it(
    `when a server, a worker or ClickHouse is killed at a random moment, ${KILLS} times`,
    async () => {
      let isOver = false;
      const statuses = new Map<number, number>();
      const batchAcknowledged = (): Promise<void> => {
        const before = statuses.get(200) ?? 0;
        return until(() => (statuses.get(200) ?? 0) > before, 'an acknowledged batch');
      };
      const sending = ledgers.map(async (ledger) => {
        while (!isOver) {
          const status = await ledger.send(processes.deliver);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          await sleep(status === 200 ? 1 : RETRY_MS);
        }
      });
      for (let time = 0; time < KILLS; time += 1) {
        await batchAcknowledged();
        await sleep(Math.random() * LONGEST_MS);
        const victim = VICTIMS[time % VICTIMS.length];
        await processes.kill(victim);
        await processes.start(victim);
      }
      await batchAcknowledged();
      isOver = true;
      await Promise.all(sending);
      await expectAllCountedOnce();
      expect([...statuses.keys()].filter((status) => ![0, 200, 503].includes(status))).toEqual([]);
    },
    60_000 + KILLS * 30_000,
  );
});
