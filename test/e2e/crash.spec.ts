import { setTimeout as sleep } from 'node:timers/promises';
import { deliverTo, expectStoredAndCountedOnce, Ledger } from '../support/ledger';
import { Made, useScene } from '../support/scene';
import { ServerProcess } from '../support/server-process';
import { until } from '../support/waiting';

const KILLS = Number(process.env.CHAOS_KILLS ?? 10);
const CLIENTS = 6;
const RETRY_MS = 20;
const MIN_LIFE_MS = 50;
const MAX_LIFE_MS = 700;

const scene = useScene();
let key: string;
let experiment: Made;

beforeAll(async () => {
  key = (await scene.client.get(scene.project)).body.client_key as string;
  const goal = await scene.make.goal({ name: 'Sale', value_type: 'revenue' });
  experiment = await scene.make.withStatus('running', { goals: [goal.id] });
});

/** Sends batches until the server is killed. Retries unacknowledged batches on the next server. */
async function sendUntilGone(ledger: Ledger, address: string): Promise<void> {
  for (let status = 200; status !== 0;) {
    status = await ledger.send(deliverTo(address, key));
    await sleep(status === 200 ? 0 : RETRY_MS);
  }
}

describe('a server that is killed', () => {
  it(
    'loses no acknowledged event, and counts no event twice',
    async () => {
      const ledgers = [...Array(CLIENTS).keys()].map(() => new Ledger(experiment));
      const acknowledged = (): string[] => ledgers.flatMap((ledger) => ledger.acknowledged);
      for (let kill = 0; kill < KILLS; kill += 1) {
        const server = await (
          await ServerProcess.spawn({ DATABASE_URL: scene.api.databaseUrl, LOG_LEVEL: 'silent' })
        ).ready();
        const sending = ledgers.map((ledger) => sendUntilGone(ledger, server.address));
        await sleep(MIN_LIFE_MS + Math.random() * (MAX_LIFE_MS - MIN_LIFE_MS));
        // A server on a busy machine can be killed before it acknowledges anything. Every second server is given time
        // to do so.
        const before = acknowledged().length;
        await until(() => kill % 2 === 0 || acknowledged().length > before, 'a further batch');
        server.kill('SIGKILL');
        await Promise.all([...sending, server.exit]);
      }

      expect(acknowledged().length).toBeGreaterThan(KILLS * CLIENTS);
      await expectStoredAndCountedOnce(scene.api, ledgers);
    },
    60_000 + KILLS * 30_000,
  );
});
