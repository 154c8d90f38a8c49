import { setTimeout as sleep } from 'node:timers/promises';
import { ExperimentStatusService } from '../../src/experiments/experiment-status.service';
import type { TestApi } from '../support/api';
import { Made, useScene } from '../support/scene';
import { inHours, runSchedules, shiftClock, useSchedules } from '../support/schedules';
import { ServerProcess } from '../support/server-process';
import { bodiesFor, subscribe } from '../support/webhooks';
import { eventually } from '../support/waiting';

/* Scheduled status changes. For valid schedules, see schedule.spec.ts. */

const inSeconds = (moment: unknown): string => String(moment).replace(/\.\d+Z$/, 'Z');

const scene = useScene();

const { read, schedule, scheduled, actionsOf } = useSchedules(scene);

async function untilStatus(experiment: Made, status: string): Promise<void> {
  await eventually(async () => (await read(experiment)).status === status);
  expect(await read(experiment)).toMatchObject({ status });
}

describe('at its time', () => {
  it('an experiment is started, published and archived, each exactly once', async () => {
    const experiment = await scene.make.ready({ starts_at: inHours(1), ends_at: inHours(3) });
    await runSchedules(scene.api);
    expect(await read(experiment)).toMatchObject({ status: 'draft', starts_at: experiment.starts_at });
    shiftClock(2);
    const revision = (await scene.client.get(scene.project)).body.snippet_revision as number;
    await runSchedules(scene.api);
    await runSchedules(scene.api);
    const running = await read(experiment);
    expect(running).toMatchObject({ status: 'running', starts_at: null, ends_at: experiment.ends_at });
    expect(running.started_at >= experiment.starts_at).toBe(true);
    expect((await scene.client.get(scene.project)).body.snippet_revision).toBe(revision + 1);
    shiftClock(2);
    await runSchedules(scene.api);
    await runSchedules(scene.api);
    expect(await read(experiment)).toMatchObject({
      status: 'archive',
      ends_at: null,
      schedule_error: null,
    });
    expect((await scene.client.get(scene.project)).body.snippet_revision).toBe(revision + 2);
    expect(await scheduled(experiment)).toMatchObject([
      { action: 'status', before: { status: 'draft' }, after: { status: 'running', starts_at: null } },
      { action: 'status', before: { status: 'running' }, after: { status: 'archive', ends_at: null } },
    ]);
  });

  it('a paused experiment is restarted, and a paused experiment or a draft is archived', async () => {
    const resumed = await schedule(await scene.make.withStatus('pause'), { starts_at: inHours(1) });
    const ended = [await scene.make.withStatus('pause'), await scene.make.experiment()];
    for (const experiment of ended) {
      await schedule(experiment, { ends_at: inHours(1) });
    }
    shiftClock(2);
    await runSchedules(scene.api);
    expect(await read(resumed)).toMatchObject({ status: 'running' });
    for (const experiment of ended) {
      expect(await read(experiment)).toMatchObject({ status: 'archive', schedule_error: null });
    }
  });

  it('nothing happens to experiments that have been deleted or rescheduled', async () => {
    const deleted = await scene.make.ready({ starts_at: inHours(1) });
    const later = await scene.make.ready({ starts_at: inHours(1) });
    const cleared = await scene.make.ready({ starts_at: inHours(1) });
    await scene.client.delete(deleted.path);
    await schedule(later, { starts_at: inHours(9) });
    await schedule(cleared, { starts_at: null });
    shiftClock(2);
    await runSchedules(scene.api);
    expect(await read(later)).toMatchObject({ status: 'draft', schedule_error: null });
    expect(await read(cleared)).toMatchObject({ status: 'draft', schedule_error: null });
    expect(await actionsOf(deleted)).toEqual([]);
  });

  it.each(['starts_at', 'ends_at'])(
    'nothing happens if the %s is postponed at the last moment',
    async (moment) => {
      const made = await scene.make.ready({ [moment]: inHours(1) });
      shiftClock(2);
      const { changeAutomatically } = ExperimentStatusService.prototype;
      const late = jest
        .spyOn(ExperimentStatusService.prototype, 'changeAutomatically')
        .mockImplementationOnce(async function (this: ExperimentStatusService, move) {
          await schedule(made, { [moment]: inHours(9) });
          return changeAutomatically.call(this, move);
        });
      await runSchedules(scene.api);
      expect(late).toHaveBeenCalledTimes(1);
      late.mockRestore();
      expect(await read(made)).toMatchObject({ status: 'draft', schedule_error: null });
      expect(await actionsOf(made)).toEqual([]);
    },
  );

  it('a failed status change does not affect others, and is retried', async () => {
    const [first, second] = [
      await scene.make.ready({ starts_at: inHours(1) }),
      await scene.make.ready({ starts_at: inHours(1) }),
    ];
    shiftClock(2);
    const { changeAutomatically } = ExperimentStatusService.prototype;
    const failing = jest
      .spyOn(ExperimentStatusService.prototype, 'changeAutomatically')
      .mockImplementation(function (this: ExperimentStatusService, move) {
        return move.experimentId === first.id
          ? Promise.reject(new Error('gone'))
          : changeAutomatically.call(this, move);
      });
    await runSchedules(scene.api);
    failing.mockRestore();
    expect(await read(first)).toMatchObject({ status: 'draft', starts_at: first.starts_at });
    expect(await read(second)).toMatchObject({ status: 'running' });
    await runSchedules(scene.api);
    expect(await read(first)).toMatchObject({ status: 'running' });
  });
});

describe('the worker', () => {
  const soon = (): string => new Date(Date.now() + 3_000).toISOString();

  it('in the server makes status changes on schedule', async () => {
    const server = await scene.api.sibling({ WORKER: 'inline' });
    const experiment = await schedule(await scene.make.ready(), { starts_at: soon() });
    await untilStatus(experiment, 'running');
    await schedule(experiment, { ends_at: soon() });
    await untilStatus(experiment, 'archive');
    await server.close();
  });

  it('catches up after downtime, even in a separate process', async () => {
    const experiment = await schedule(await scene.make.ready(), { starts_at: soon() });
    await sleep(Date.parse(experiment.starts_at as string) - Date.now() + 10);
    const worker = await ServerProcess.spawn({ DATABASE_URL: scene.api.databaseUrl, WORKER: 'only' });
    await untilStatus(experiment, 'running');
    await schedule(experiment, { ends_at: soon() });
    await untilStatus(experiment, 'archive');
    worker.kill('SIGTERM');
    await worker.exit;
    expect(worker.stderr).toBe('');
    expect(await actionsOf(experiment)).toEqual(['status', 'status']);
  });
});

describe('several processes', () => {
  it('make each status change once, and report each refusal once', async () => {
    const servers: TestApi[] = [scene.api, await scene.api.sibling(), await scene.api.sibling()];
    const make = (fields: object) => Promise.all([1, 2, 3].map(() => scene.make.ready(fields)));
    const started = await make({ starts_at: inHours(1) });
    const refused = await make({ starts_at: inHours(1), goals: [] });
    const ended = await Promise.all((await make({})).map((made) => schedule(made, { ends_at: inHours(1) })));
    shiftClock(2);
    await Promise.all(servers.flatMap((api) => [runSchedules(api), runSchedules(api)]));
    for (const [made, actions] of [
      [started, ['status']],
      [refused, ['schedule-refused']],
      [ended, ['status']],
    ] as const) {
      for (const experiment of made) {
        expect(await actionsOf(experiment)).toEqual(actions);
      }
    }
    for (const api of servers.slice(1)) {
      await api.close();
    }
  });
});

describe('after a clock change', () => {
  it('to a later time, a status change happens only once, even when the clock is set back', async () => {
    const experiment = await scene.make.ready({ starts_at: inHours(1), ends_at: inHours(50) });
    shiftClock(30);
    await runSchedules(scene.api);
    expect(await read(experiment)).toMatchObject({ status: 'running', ends_at: experiment.ends_at });
    await scene.make.move(experiment, 'pause');
    for (const hours of [-30, 2, -48, 49]) {
      shiftClock(hours);
      await runSchedules(scene.api);
      expect(await read(experiment)).toMatchObject({ status: 'pause', starts_at: null });
    }
    expect(await actionsOf(experiment)).toEqual(['status']);
  });

  it('to an earlier time, a status change waits until it is due', async () => {
    const experiment = await scene.make.ready({ starts_at: inHours(1) });
    shiftClock(-5);
    await runSchedules(scene.api);
    expect(await read(experiment)).toMatchObject({ status: 'draft' });
    shiftClock(7);
    await runSchedules(scene.api);
    expect(await read(experiment)).toMatchObject({ status: 'running' });
  });
});

describe('a refused status change', () => {
  it('is stored with its reasons and not retried, and the scheduled end is kept', async () => {
    const webhook = await subscribe(scene.make, ['experiment.schedule_refused']);
    const experiment = await scene.make.experiment({ starts_at: inHours(1), ends_at: inHours(9) });
    const before = await scene.client.get(experiment.path);
    shiftClock(2);
    await runSchedules(scene.api);
    await runSchedules(scene.api);
    const after = await scene.client.get(experiment.path);
    const schedule_error =
      `The start scheduled for ${inSeconds(experiment.starts_at)} was rejected. The experiment needs at least one variation. ` +
      'The experiment needs at least one page. The experiment needs at least one goal.';
    const shown = { starts_at: null, ends_at: experiment.ends_at, schedule_error };
    expect(after.body).toEqual({ ...before.body, ...shown, updated_at: after.body.updated_at });
    expect(after.headers.etag).not.toBe(before.headers.etag);
    expect(await scheduled(experiment)).toMatchObject([
      {
        action: 'schedule-refused',
        before: { starts_at: experiment.starts_at, schedule_error: null },
        after: { starts_at: null, schedule_error },
      },
    ]);
    const reported = await bodiesFor(scene.api, webhook);
    expect(reported.map(({ data }) => [data.move, data.message])).toEqual([['running', schedule_error]]);
    shiftClock(8);
    await runSchedules(scene.api);
    expect(await read(experiment)).toMatchObject({ status: 'archive', schedule_error });
  });

  it.each([
    ['a new schedule', (made: Made) => schedule(made, { starts_at: inHours(3) })],
    ['a cleared schedule', (made: Made) => schedule(made, { ends_at: null })],
    ['archiving', (made: Made) => scene.make.move(made, 'archive')],
    [
      'a start',
      async (made: Made) => {
        const [page, goal] = [await scene.make.page(), await scene.make.goal()];
        await scene.make.variation(made);
        await scene.client.patch(made.path, { pages: [page.id], goals: [goal.id] });
        return scene.make.move(made, 'running');
      },
    ],
  ])('is cleared by %s', async (_, change) => {
    const experiment = await scene.make.experiment({ starts_at: inHours(1), ends_at: inHours(9) });
    shiftClock(2);
    await runSchedules(scene.api);
    expect((await read(experiment)).schedule_error).not.toBeNull();
    await scene.client.patch(experiment.path, { name: 'Renamed' });
    expect((await read(experiment)).schedule_error).not.toBeNull();
    await change(experiment);
    expect((await read(experiment)).schedule_error).toBeNull();
  });

  it('can be a start after the scheduled end, and then the experiment is archived', async () => {
    const experiment = await scene.make.ready({ starts_at: inHours(1), ends_at: inHours(2) });
    shiftClock(3);
    await runSchedules(scene.api);
    expect(await read(experiment)).toMatchObject({
      status: 'archive',
      started_at: null,
      starts_at: null,
      ends_at: null,
      schedule_error: `The start scheduled for ${inSeconds(experiment.starts_at)} was rejected. The end, ${inSeconds(experiment.ends_at)}, had also passed.`,
    });
    expect(await actionsOf(experiment)).toEqual(['schedule-refused', 'status']);
  });
});
