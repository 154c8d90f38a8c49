import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestApi } from '../support/api';
import { exposure, send, shownCells } from '../support/events';
import { Made, useScene } from '../support/scene';
import { ServerProcess } from '../support/server-process';
import { eventually } from '../support/waiting';

const scene = useScene();
let key: string;
let experiment: Made;

beforeAll(async () => {
  key = (await scene.client.get(scene.project)).body.client_key as string;
  experiment = await scene.make.withStatus('running');
});

const sendOne = (api: TestApi) =>
  send(api, key, [exposure(randomUUID(), experiment.id, experiment.variations[0].id)]);

const participants = async (): Promise<number> =>
  (await shownCells(scene.api)).reduce(
    (sum, cell) => sum + Number(/goal_id=0 .*participants=(\d+)/.exec(cell)?.[1] ?? 0),
    0,
  );

/** Waits until the results have `count` participants. */
async function untilParticipants(count: number): Promise<void> {
  await eventually(async () => (await participants()) >= count);
  expect(await participants()).toBe(count);
}

describe('the worker', () => {
  it('runs inside the server', async () => {
    const server = await scene.api.sibling({ WORKER: 'inline' });
    await sendOne(server);
    await untilParticipants(1);
    await server.close();
  });

  it('can be disabled in the server, so a separate process does the work', async () => {
    const server = await scene.api.sibling({ WORKER: 'off' });
    await sendOne(server);
    await sleep(1_500);
    expect(await participants()).toBe(1);
    const worker = await ServerProcess.spawn({ DATABASE_URL: scene.api.databaseUrl, WORKER: 'only' });
    await untilParticipants(2);
    await sendOne(server);
    await untilParticipants(3);
    await expect(fetch(`${worker.address}/health/live`)).rejects.toThrow();
    worker.kill('SIGTERM');
    await worker.exit;
    expect(worker.stderr).toBe('');
    await server.close();
  });

  it('continues after a database failure', async () => {
    const server = await scene.api.sibling({ WORKER: 'inline' });
    const { writer } = server.database;
    const transaction = jest.spyOn(writer, 'transaction').mockRejectedValue(new Error('gone'));
    await sleep(700);
    transaction.mockRestore();
    await sendOne(server);
    await untilParticipants(4);
    await server.close();
  });
});
