import { setTimeout as sleep } from 'node:timers/promises';
import { Cells } from '../support/cells';
import { kill, useWorkers } from '../support/killed-workers';
import { Made, useScene } from '../support/scene';
import { type EventBody, LOOPBACK, subscribe, useReceiver } from '../support/webhooks';
import { until } from '../support/waiting';

/*
 * Kills workers while guardrails pause experiments. Each experiment must get one pause, one audit entry and one webhook
 * message per event type.
 */

const KILLS = 5;
const PER_KILL = 5;
const SPREAD_MS = 100;
const EVENTS = ['experiment.guardrail', 'experiment.paused'];

const scene = useScene(LOOPBACK);
const receiver = useReceiver();
const { worker, killedBeforeCommit, areIn, isOneIn, revisionNow } = useWorkers(scene);

beforeAll(async () => {
  await subscribe(scene.make, EVENTS, { url: receiver.it.url });
});

/**
 * Creates a running experiment whose guardrail has tripped: 120 of 1,000 participants converted in the original, and 40
 * of 1,000 in the variation.
 */
async function tripped(): Promise<Made> {
  const guardrail = await scene.make.goal();
  const experiment = await scene.make.withStatus('running', {
    guardrails: [guardrail.id],
    guardrail_action: 'pause',
  });
  const cells = new Cells(scene.api, experiment.id);
  for (const [index, converters] of [120, 40].entries()) {
    const place = { variation: experiment.variations[index].id as number, day: '2026-05-01' };
    cells.entered(place, 1_000).converted(guardrail.id, place, { converters });
  }
  await cells.store();
  return experiment;
}

async function entriesOf({ id }: Made): Promise<Made[]> {
  const path = `${scene.project}/audit?item_type=experiment&item_id=${id}&per_page=500`;
  const entries = (await scene.client.get(path)).body as Made[];
  return entries.filter(({ actor }) => actor.type === 'guardrail');
}

/**
 * The types of an experiment's webhook messages, without duplicates from deliveries that were repeated after a kill.
 */
function eventsOf({ id }: Made): string[] {
  const bodies = new Map(
    receiver.it.received.map(({ headers, body }) => [headers['webhook-id'], JSON.parse(body) as EventBody]),
  );
  return [...bodies.values()]
    .filter(({ data }) => (data.experiment as Made).id === id)
    .map(({ type }) => type);
}

const areTold = (experiments: readonly Made[]) => (): Promise<boolean> =>
  Promise.resolve(experiments.every((experiment) => eventsOf(experiment).length >= EVENTS.length));

/** Expires the leases of killed processes, so that their deliveries can be claimed immediately. */
const endLeases = (): Promise<unknown> =>
  scene.api.database.transaction((tx) =>
    tx.query(`UPDATE webhook_deliveries SET next_try_at = created_at WHERE status = 'pending'`),
  );

/**
 * Asserts that each experiment was paused once, according to the audit log, webhooks and publications.
 * @param before the revision before the pauses
 */
async function expectPausedOnce(experiments: readonly Made[], before: number): Promise<void> {
  for (const experiment of experiments) {
    expect(await entriesOf(experiment)).toEqual([
      expect.objectContaining({ action: 'status', after: expect.objectContaining({ status: 'pause' }) }),
    ]);
    expect(eventsOf(experiment)).toEqual(EVENTS);
  }
  expect(await revisionNow()).toBe(before + experiments.length);
}

/** Lets two workers finish the remaining work. */
async function finish(experiments: readonly Made[]): Promise<void> {
  await endLeases();
  const both = await Promise.all([worker(LOOPBACK), worker(LOOPBACK)]);
  await until(areIn(experiments, 'pause'), 'all pauses');
  await until(areTold(experiments), 'all webhooks');
  await Promise.all(both.map((process) => kill(process, 'SIGTERM')));
}

describe('a worker that is killed', () => {
  it('during a pause leaves no partial pause, and the next worker pauses the experiment', async () => {
    const experiment = await tripped();
    const revision = await revisionNow();
    await killedBeforeCommit('a pause before its commit');
    expect((await scene.client.get(experiment.path)).body).toMatchObject({
      status: 'running',
      paused_reason: null,
    });
    expect([await entriesOf(experiment), eventsOf(experiment)]).toEqual([[], []]);
    await finish([experiment]);
    await expectPausedOnce([experiment], revision);
  }, 120_000);

  it('at a random moment, while another worker is running, causes neither a missing nor a duplicate pause', async () => {
    const before = await revisionNow();
    const experiments: Made[] = [];
    for (let round = 0; round < KILLS; round += 1) {
      const added: Made[] = [];
      for (let each = 0; each < PER_KILL; each += 1) {
        added.push(await tripped());
      }
      experiments.push(...added);
      const both = await Promise.all([worker(LOOPBACK), worker(LOOPBACK)]);
      // Once the first experiment of the round is paused, the other pauses are in progress.
      await until(isOneIn(added, 'pause'), 'a pause');
      await sleep(Math.random() * SPREAD_MS);
      await kill(both[0]);
      await sleep(Math.random() * SPREAD_MS);
      await kill(both[1]);
    }
    await finish(experiments);
    const starts = experiments.length;
    await expectPausedOnce(experiments, before + starts);
  }, 240_000);
});
