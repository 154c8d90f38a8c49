import { setTimeout as sleep } from 'node:timers/promises';
import { Made, useScene } from '../support/scene';
import { ServerProcess } from '../support/server-process';
import { bodiesFor, LOOPBACK, subscribe, useReceiver } from '../support/webhooks';
import { eventually } from '../support/waiting';

/* Kills workers while they deliver webhooks. No event may be lost, and the order must be preserved. */

const KILLS = 4;
const MOVES = 6;
const WITHIN_MS = 200_000;

const scene = useScene(LOOPBACK);
const receiver = useReceiver();

const startWorker = async (): Promise<ServerProcess> =>
  ServerProcess.spawn({
    DATABASE_URL: scene.api.databaseUrl,
    WORKER: 'only',
    LOG_LEVEL: 'silent',
    ...LOOPBACK,
  });

/** The timestamps of an experiment's messages, without duplicates, in the order of their first delivery. */
function firstOf(experiment: Made): string[] {
  const seen = new Set<string>();
  return receiver.it.received
    .filter(({ headers }) => !seen.has(headers['webhook-id']) && seen.add(headers['webhook-id']))
    .map(({ body }) => JSON.parse(body) as { type: string; timestamp: string; data: { experiment: Made } })
    .filter(({ data }) => data.experiment.id === experiment.id)
    .map(({ timestamp }) => timestamp);
}

it('each event is delivered at least once, and the events of an experiment in order', async () => {
  const webhook = await subscribe(scene.make, ['experiment.started', 'experiment.paused'], {
    url: receiver.it.url,
  });
  const experiments = [await scene.make.ready(), await scene.make.ready()];
  // Responses are delayed, so that kills hit pending requests.
  receiver.it.answering = (response) => void sleep(100).then(() => response.writeHead(204).end());
  for (let kill = 0; kill < KILLS; kill += 1) {
    const workers = [await startWorker(), await startWorker()];
    const before = receiver.it.received.length;
    for (let move = 0; move < MOVES; move += 1) {
      for (const experiment of experiments) {
        await scene.make.move(experiment, move % 2 === 0 ? 'running' : 'pause');
      }
    }
    expect(await eventually(() => receiver.it.received.length > before, WITHIN_MS)).toBe(true);
    workers.forEach((worker) => worker.kill('SIGKILL'));
    await Promise.all(workers.map(({ exit }) => exit));
    // Expires the leases of the killed processes.
    await scene.api.database.transaction((tx) =>
      tx.query(`UPDATE webhook_deliveries SET next_try_at = created_at WHERE status = 'pending'`),
    );
  }
  const last = await startWorker();
  const written = await bodiesFor(scene.api, webhook);
  const waiting = async (): Promise<number> =>
    Number((await scene.client.get(`${webhook.path}/deliveries?status=pending`)).headers['x-total-count']);
  expect(await eventually(async () => (await waiting()) === 0, WITHIN_MS)).toBe(true);
  last.kill('SIGKILL');
  await last.exit;
  expect(written).toHaveLength(KILLS * MOVES * experiments.length);
  for (const experiment of experiments) {
    const expected = written.filter(({ data }) => (data.experiment as Made).id === experiment.id);
    expect(firstOf(experiment)).toEqual(expected.map(({ timestamp }) => timestamp));
  }
}, 600_000);
