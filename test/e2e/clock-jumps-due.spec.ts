import { BackgroundLoop } from '../../src/common/background-worker';
import { RetentionService } from '../../src/events/retention/retention.service';
import { SnippetErrorReports } from '../../src/events/snippet-error-log';
import { ResultWatch } from '../../src/results/watch/result-watch';
import { Cells } from '../support/cells';
import { anotherProject, Made, Maker, useScene } from '../support/scene';
import { shiftClock } from '../support/schedules';
import { bodiesFor, LOOPBACK, sendDue, subscribe, useReceiver } from '../support/webhooks';

/* Background work that was planned while the clock was ahead does not wait until the planned time. */

const MISMATCH = 'experiment.sample_ratio_mismatch';

const scene = useScene(LOOPBACK);
const receiver = useReceiver();
let make: Maker;

beforeEach(async () => {
  make = await anotherProject(scene);
});

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

it('results are checked again for webhooks', async () => {
  const webhook = await subscribe(make, [MISMATCH]);
  const experiment = await make.withStatus('running');
  const look = async (): Promise<void> => {
    while (await scene.api.app.get(ResultWatch, { strict: false }).step());
  };
  const variation = (index: number) => ({
    variation: (experiment.variations as Made[])[index].id,
    day: '2026-05-01',
  });
  const cells = new Cells(scene.api, experiment.id);
  await cells.entered(variation(0), 500).entered(variation(1), 500).store();
  shiftClock(5);
  await look();
  jest.useRealTimers();
  await cells.entered(variation(0), 500).store();
  await look();
  expect((await bodiesFor(scene.api, webhook)).map(({ data }) => data.detected)).toEqual([true]);
});

it('webhook messages are sent', async () => {
  await subscribe(make, ['experiment.started'], { url: receiver.it.url });
  shiftClock(5);
  await make.withStatus('running');
  jest.useRealTimers();
  await sendDue(scene.api);
  expect(receiver.it.bodies.map(({ type }) => type)).toEqual(['experiment.started']);
});

it('webhook messages are retried, and the following messages are sent', async () => {
  await subscribe(make, ['experiment.started', 'experiment.paused'], { url: receiver.it.url });
  receiver.it.answering = (response) => response.writeHead(500).end();
  shiftClock(5);
  const experiment = await make.withStatus('running');
  await sendDue(scene.api);
  receiver.it.answering = (response) => response.writeHead(204).end();
  jest.useRealTimers();
  expect((await scene.client.patch(`${experiment.path}/status`, { status: 'pause' })).status).toBe(200);
  await sendDue(scene.api);
  const started = 'experiment.started';
  expect(receiver.it.bodies.map(({ type }) => type)).toEqual([started, started, 'experiment.paused']);
});

it('snippet errors are reported', async () => {
  const webhook = await subscribe(make, ['snippet.errors']);
  const reports = scene.api.app.get(SnippetErrorReports, { strict: false });
  // The background loop is disabled, because the test decides when errors are counted.
  jest.spyOn(BackgroundLoop.prototype, 'start').mockReturnValue();
  const count = async (errors: number): Promise<void> => {
    reports.count(make.projectId, errors);
    await reports.flush();
  };
  shiftClock(5);
  await count(1);
  jest.useRealTimers();
  await count(2);
  await reports.tellWaiting();
  expect((await bodiesFor(scene.api, webhook)).map(({ data }) => data.count)).toEqual([1, 2]);
});

it('old events are removed', async () => {
  const settings = `${make.project}/settings`;
  expect((await scene.client.patch(settings, { event_retention_days: 30 })).status).toBe(200);
  const steps = async (): Promise<number> => {
    let count = 0;
    while (await scene.api.app.get(RetentionService, { strict: false }).step()) {
      count += 1;
    }
    return count;
  };
  shiftClock(72);
  expect(await steps()).toBeGreaterThan(0);
  jest.useRealTimers();
  expect(await steps()).toBeGreaterThan(0);
  expect(await steps()).toBe(0);
});
