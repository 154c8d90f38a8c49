import fc from 'fast-check';
import { buildDocument } from '../../src/platform/reference/reference';
import { watchLiveness } from '../support/fuzz/liveness-probe';
import { Records } from '../support/fuzz/records';
import { requestsOf } from '../support/fuzz/request-arbitrary';
import { FuzzSender, Tally } from '../support/fuzz/sender';
import { useScene } from '../support/scene';
import { ServerProcess } from '../support/server-process';

/*
 * Sends requests generated from the reference to a real server, both valid and malformed. The server must stay up,
 * respond as the reference says, and leak nothing. FUZZ_REQUESTS sets the number of requests, FUZZ_SEED the seed.
 */

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 20_000);
const SEED = Number(process.env.FUZZ_SEED ?? 1908);
const AT_ONCE = 8;
const MINUTES = 60_000;
/** Maximum response time of the liveness check. The target is 250 ms on an idle machine; tests allow ten times that. */
const LONGEST_MS = 2_500;

const scene = useScene();
let server: ServerProcess;

beforeAll(async () => {
  server = await ServerProcess.spawn({ DATABASE_URL: scene.api.databaseUrl, LOG_LEVEL: 'error' });
  await server.ready();
});

afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
});

async function sendAll(sender: FuzzSender, records: Records): Promise<Tally> {
  const document = buildDocument(scene.api.app, scene.api.config);
  const plans = fc.sample(requestsOf(document), { numRuns: REQUESTS, seed: SEED });
  for (let start = 0; start < plans.length; start += AT_ONCE) {
    await records.replenish();
    await Promise.all(plans.slice(start, start + AT_ONCE).map((plan) => sender.send(plan)));
  }
  return sender.tally;
}

it(
  `responds to ${REQUESTS} requests with seed ${SEED} as the reference says, and stays up`,
  async () => {
    const { body: project } = await scene.client.get(scene.project);
    const shared = await scene.make.withStatus('running');
    const { body: info } = await scene.client.get(`${shared.path}/results/info`);
    const records = new Records(scene.make, {
      team: [String(scene.world.teamId)],
      project: [String(scene.world.projectId)],
      environment: [String((await scene.client.get(`${scene.project}/environments`)).body[0].id)],
      clientKey: [project.client_key as string],
      key: ['experiment', 'experiment-2', 'checkout'],
      revision: ['1', '2'],
      token: [info.share_token as string],
    });
    const sender = new FuzzSender(scene, server.address, records);
    const stopWatching = watchLiveness(server.address);
    const tally = await sendAll(sender, records).finally(async () => {
      const liveness = await stopWatching();
      process.stdout.write(
        `${JSON.stringify({ ...sender.tally, problems: sender.tally.problems.length, liveness })}\n`,
      );
      expect(liveness.failed).toBe(0);
      expect(liveness.longest).toBeLessThan(LONGEST_MS);
    });
    expect(tally.problems.slice(0, 10)).toEqual([]);
    // The fuzzer would find nothing if none of its requests referred to an existing record.
    expect(tally.about.missing / tally.sent).toBeLessThan(0.25);
    expect(server.stderr).toBe('');
  },
  20 * MINUTES,
);
