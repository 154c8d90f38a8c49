import { setTimeout as sleep } from 'node:timers/promises';
import { RebuildService } from '../../src/events/rebuild.service';
import { describeWithClickHouse } from '../support/clickhouse';
import { ageRemovals, ClickHouseTestLog } from '../support/clickhouse-log';
import { useClickHouseScene } from '../support/clickhouse-scene';
import { cellsOf, figuresOf } from '../support/ledger';
import { ServerProcess } from '../support/server-process';
import { tablesWith, VisitorSite } from '../support/visitor-site';
import { until } from '../support/waiting';

/*
 * Kills servers while they delete visitors: during the transaction, between it and the deletion in ClickHouse, or
 * during that deletion.
 */

const ROUNDS = 5;
const VISITORS = 60;

describeWithClickHouse('visitors in ClickHouse', () => {
  const scene = useClickHouseScene();

  it('are deleted completely or not at all, no matter when the server is killed', async () => {
    const log = new ClickHouseTestLog(scene);
    const site = await VisitorSite.create(scene);
    const names = Array.from({ length: VISITORS }, (_, number) => `visitor-${number}-x`);
    await site.collect(names.flatMap((name, number) => site.messagesOf(name, number)));
    await site.shown();
    const { token } = scene.world.people.admin;
    const deleted: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      // Makes removals of earlier rounds old enough for the worker to carry them out.
      await ageRemovals(scene.api);
      const server = await ServerProcess.spawn({
        DATABASE_URL: scene.api.databaseUrl,
        ...log.environment,
        LOG_LEVEL: 'silent',
      });
      await server.ready();
      await scene.clickhouse.misbehave({ delayMs: 30 });
      const before = deleted.length;
      const deleting = deleteAll(
        names.filter((_, number) => number % ROUNDS === round),
        async (name) => {
          const answer = await fetch(`${server.address}/api${site.addressOf(name)}`, {
            method: 'DELETE',
            headers: { authorization: `Bearer ${token}` },
          });
          return answer.status === 204;
        },
        deleted,
      );
      await until(() => deleted.length > before, 'a deleted visitor');
      await sleep(173 * round);
      server.kill('SIGKILL');
      await server.exit;
      await deleting;
      await scene.clickhouse.misbehave({});
    }
    const known = new Set((await log.stored(site.id)).map(({ visitor_id }) => visitor_id));
    expect(known.size).toBeGreaterThan(0);
    expect(deleted.filter((name) => known.has(name))).toEqual([]);
    const shown = await site.shown();
    const figures = async (): Promise<string[]> => (await site.cells()).map(figuresOf).sort();
    expect(await figures()).toEqual(cellsOf(await log.stored(site.id)));
    for (const name of deleted) {
      expect(await tablesWith({ ...scene, log }, site, name)).toEqual([]);
    }
    await scene.api.app.get(RebuildService, { strict: false }).rebuild({ projectId: site.id });
    expect(await site.shown()).toEqual(shown);
  }, 240_000);
});

/** @param deleted receives the names of visitors whose deletion was acknowledged */
async function deleteAll(
  names: readonly string[],
  isDeleted: (name: string) => Promise<boolean>,
  deleted: string[],
): Promise<void> {
  for (const name of names) {
    if (await isDeleted(name).catch(() => false)) {
      deleted.push(name);
    }
  }
}
