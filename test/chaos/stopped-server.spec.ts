import { setTimeout as sleep } from 'node:timers/promises';
import { deliverTo, expectStoredAndCountedOnce, Ledger } from '../support/ledger';
import { Made, useScene } from '../support/scene';
import { ServerProcess } from '../support/server-process';
import { until } from '../support/waiting';

/* One of two servers is stopped while it works, and later resumed or killed. */

/** Longer than the lock timeout of transactions that wait for the stopped server. */
const HALT_MS = 7_000;
const SENDERS = 3;

const scene = useScene();
let key: string;
let experiment: Made;
let servers: ServerProcess[];

beforeAll(async () => {
  key = (await scene.client.get(scene.project)).body.client_key as string;
  const goal = await scene.make.goal({ name: 'Sale', value_type: 'revenue' });
  experiment = await scene.make.withStatus('running', { goals: [goal.id] });
});

beforeEach(async () => {
  servers = [];
  for (let count = 0; count < 2; count += 1) {
    servers.push(await ServerProcess.spawn({ DATABASE_URL: scene.api.databaseUrl, LOG_LEVEL: 'silent' }));
  }
  await Promise.all(servers.map((server) => server.ready()));
}, 60_000);
afterEach(async () => {
  servers.forEach((server) => server.kill('SIGKILL'));
  await Promise.all(servers.map(({ exit }) => exit));
});

/** The ledgers of all tests, which share a database, by server. */
const ledgers: Ledger[][] = [[], []];

const acknowledged = (index: number): number =>
  ledgers[index].reduce((sum, ledger) => sum + ledger.acknowledged.length, 0);

/** Makes clients send to both servers. @returns a function that stops them */
function beginSending(): () => Promise<void> {
  let isSending = true;
  const keepSending = async (ledger: Ledger, address: string): Promise<void> => {
    while (isSending) {
      const status = await ledger.send(deliverTo(address, key));
      await sleep(status === 200 ? 1 : 50);
    }
  };
  const sending = servers.map(({ address }, index) => {
    const begun = Array.from({ length: SENDERS }, () => new Ledger(experiment));
    ledgers[index].push(...begun);
    return Promise.all(begun.map((ledger) => keepSending(ledger, address)));
  });
  return async () => {
    isSending = false;
    await Promise.all(sending);
  };
}

/** Waits until this server has acknowledged further events. */
async function goingOn(index: number): Promise<void> {
  const before = acknowledged(index);
  await until(() => acknowledged(index) > before, 'further acknowledged events');
}

it.each(['SIGCONT', 'SIGKILL'] as const)(
  'acknowledged events of both servers are stored and counted once if one server is stopped and then gets %s',
  async (signal) => {
    const end = beginSending();
    await Promise.all([goingOn(0), goingOn(1)]);
    servers[0].kill('SIGSTOP');
    await sleep(HALT_MS);
    servers[0].kill(signal);
    await goingOn(1);
    if (signal === 'SIGCONT') {
      await goingOn(0);
    }
    await end();
    servers.forEach((server) => server.kill('SIGKILL'));
    await expectStoredAndCountedOnce(scene.api, ledgers.flat());
  },
  120_000,
);
