import { setTimeout as sleep } from 'node:timers/promises';
import { kill, useWorkers } from '../support/killed-workers';
import { Made, useScene } from '../support/scene';
import { useSchedules } from '../support/schedules';
import { until } from '../support/waiting';

const KILLS = 6;
const PER_KILL = 3;
/** Approximate time that a worker takes to start. */
const SOON_MS = 1_500;
const SPREAD_MS = 100;

const scene = useScene();
const { read, schedule, scheduled } = useSchedules(scene);
const { worker, killedBeforeCommit, areIn, isOneIn, revisionNow } = useWorkers(scene);

const inMillis = (millis: number): string => new Date(Date.now() + millis).toISOString();

/** Asserts that the status of each experiment changed once, according to the audit log and publications. */
async function expectMovedOnce(experiments: readonly Made[], revision: number): Promise<void> {
  for (const experiment of experiments) {
    expect(await scheduled(experiment)).toEqual([expect.objectContaining({ action: 'status' })]);
    expect(await read(experiment)).toMatchObject({ starts_at: null, schedule_error: null });
  }
  expect(await revisionNow()).toBe(revision + experiments.length);
}

describe('a worker that is killed', () => {
  it('during a scheduled start leaves no partial start, and the next worker starts the experiment', async () => {
    const revision = await revisionNow();
    const made = await scene.make.ready();
    const experiment = await schedule(made, { starts_at: inMillis(SOON_MS) });
    await killedBeforeCommit('a start before its commit');
    expect(await read(experiment)).toMatchObject({ status: 'draft', starts_at: experiment.starts_at });
    expect(await scheduled(experiment)).toEqual([]);
    const second = await worker();
    await until(areIn([experiment], 'running'), 'the start');
    await kill(second, 'SIGTERM');
    await expectMovedOnce([experiment], revision);
  }, 120_000);

  it('at a random moment, while another worker is running, causes neither a missing nor a duplicate status change', async () => {
    const revision = await revisionNow();
    const experiments: Made[] = [];
    for (let round = 0; round < KILLS; round += 1) {
      const made = await Promise.all(Array.from({ length: PER_KILL }, () => scene.make.ready()));
      const starts_at = inMillis(SOON_MS);
      const due = await Promise.all(made.map((each) => schedule(each, { starts_at })));
      experiments.push(...due);
      const both = await Promise.all([worker(), worker()]);
      // Once the first experiment of the round is started, the other starts are in progress.
      await until(isOneIn(due, 'running'), 'a start');
      await sleep(Math.random() * SPREAD_MS);
      await kill(both[0]);
      await sleep(Math.random() * SPREAD_MS);
      await kill(both[1]);
    }
    const last = await Promise.all([worker(), worker()]);
    await until(areIn(experiments, 'running'), 'all starts');
    await Promise.all(last.map((process) => kill(process, 'SIGTERM')));
    await expectMovedOnce(experiments, revision);
  }, 240_000);
});
