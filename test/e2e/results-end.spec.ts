import { setTimeout as sleep } from 'node:timers/promises';
import { RebuildService } from '../../src/events/rebuild.service';
import { ImportWriter } from '../../src/events/import/import-writer';
import { attributeAll, conversion, exposure, send, shownCells } from '../support/events';
import { makeFinal } from '../support/final-results';
import { Made, useScene } from '../support/scene';

/* Events that occur during a pause or after the end do not count, whenever they arrive. */

const scene = useScene();
const DAY = 86_400_000;

interface Running extends Made {
  a: number;
  b: number;
  goal: Made;
}

let clientKey: string;
beforeAll(async () => {
  clientKey = (await scene.client.get(scene.project)).body.client_key as string;
});

async function running(): Promise<Running> {
  const goal = await scene.make.goal({ value_type: 'number' });
  const experiment = await scene.make.withStatus('running', { goals: [goal.id] });
  const [a, b] = experiment.variations.map(({ id }: Made) => id);
  return { ...experiment, a, b, goal };
}

const move = async ({ path }: Made, status: string): Promise<Made> => {
  const answer = await scene.client.patch(`${path}/status`, { status });
  expect(answer.status).toBe(200);
  return answer.body as Made;
};

async function collect(...messages: unknown[]): Promise<void> {
  const { body } = await send(scene.api, clientKey, messages);
  expect(body.accepted).toBe(messages.length);
  await attributeAll(scene.api);
}

const infoOf = async ({ path }: Made): Promise<Made> =>
  (await scene.client.get(`${path}/results/info`)).body as Made;

/** The first millisecond after all events of an experiment. */
async function afterLastEvent(experiment: Made): Promise<{ timestamp: string }> {
  const { last_event_at } = await infoOf(experiment);
  return { timestamp: new Date(Date.parse(last_event_at) + 1).toISOString() };
}

/** The total value of each variation. */
async function totals({ path }: Made): Promise<number[]> {
  const { body } = await scene.client.get(`${path}/results`);
  const statistics = (body as Made[])[0].variationStatistics as Record<string, { totalValue: number }>;
  return Object.values(statistics).map(({ totalValue }) => totalValue);
}

const rawResults = async ({ path, goal }: Running): Promise<string> => {
  const bodies = [`${path}/results`, `${path}/results/info`, `${path}/results/goal/${goal.id}`].map(
    async (address) => JSON.stringify((await scene.client.get(address)).body),
  );
  return (await Promise.all(bodies)).join('\n');
};

describe('an experiment that has ended', () => {
  it('has identical results after later events', async () => {
    const experiment = await running();
    await collect(
      exposure('v1', experiment.id, experiment.b),
      conversion('v1', experiment.goal.api_name, 3_105),
    );
    await move(experiment, 'archive');
    expect(await totals(experiment)).toEqual([0, 3_105]);
    const before = await rawResults(experiment);
    const etag = (await scene.client.get(`${experiment.path}/results`)).headers.etag;
    await collect(conversion('v1', experiment.goal.api_name, 99_999));
    expect(await rawResults(experiment)).toBe(before);
    expect((await scene.client.get(`${experiment.path}/results`)).headers.etag).toBe(etag);
  });

  it('counts events that occurred before the end but arrive late', async () => {
    const experiment = await running();
    await collect(exposure('late', experiment.id, experiment.a));
    const before = await afterLastEvent(experiment);
    await sleep(2);
    await move(experiment, 'archive');
    // Without sentAt, the server uses the timestamp of the event. With sentAt, it would add the network latency.
    const late = conversion('late', experiment.goal.api_name, 7, before);
    await send(scene.api, clientKey, [late], { sentAt: undefined });
    await attributeAll(scene.api);
    expect(await totals(experiment)).toEqual([7, 0]);
  });

  it('counts nothing during a pause, and continues afterwards', async () => {
    const experiment = await running();
    await collect(exposure('p', experiment.id, experiment.a), conversion('p', experiment.goal.api_name, 1));
    const paused = await move(experiment, 'pause');
    await collect(conversion('p', experiment.goal.api_name, 10));
    const info = await infoOf(experiment);
    expect(info).toMatchObject({ ended_at: paused.paused_at, counted_until: null, is_final: false });
    await move(experiment, 'running');
    await collect(conversion('p', experiment.goal.api_name, 100));
    expect(await totals(experiment)).toEqual([101, 0]);
    expect(await infoOf(experiment)).toMatchObject({ ended_at: null, is_final: false, recomputing: false });
  });

  it('has the same results after a rebuild', async () => {
    const cells = await shownCells(scene.api);
    expect(cells.length).toBeGreaterThan(3);
    await scene.api.app.get(RebuildService, { strict: false }).rebuild({});
    expect(await shownCells(scene.api)).toEqual(cells);
  });
});

describe('a run that an import moves back', () => {
  it('counts all events since its new start, even those that were already stored', async () => {
    const experiment = await running();
    const writer = scene.api.app.get(ImportWriter, { strict: false });
    const at = (days: number) => ({ timestamp: new Date(Date.now() - days * DAY).toISOString() });
    const goal = experiment.goal.api_name as string;
    await writer.store(scene.world.projectId, [conversion('early', goal, 5, at(3))]);
    await attributeAll(scene.api);
    await writer.store(scene.world.projectId, [exposure('early', experiment.id, experiment.a, at(4))]);
    await attributeAll(scene.api);
    expect(await totals(experiment)).toEqual([5, 0]);
  });
});

describe('a final result', () => {
  let experiment: Running;
  beforeAll(async () => {
    experiment = await running();
    await collect(
      exposure('f1', experiment.id, experiment.a),
      conversion('f1', experiment.goal.api_name, 1),
      exposure('f2', experiment.id, experiment.b),
    );
    await sleep(2);
    const archived = await move(experiment, 'archive');
    const info = await infoOf(experiment);
    expect(info).toMatchObject({ ended_at: archived.archived_at, is_final: false });
    expect(Date.parse(info.counted_until) - Date.parse(archived.archived_at)).toBe(72 * 3_600_000);
    await makeFinal(scene.api, experiment.id);
  });

  it('is marked as final, also on the share page', async () => {
    const info = await infoOf(experiment);
    expect(info).toMatchObject({ is_final: true, revised_at: null, recomputing: false, participants: 2 });
    const path = new URL(info.share_url).pathname;
    const page = await scene.api.as(null).get(`/${path}`, { accept: 'text/html' });
    expect(page.text).toContain('>Final</span>');
    expect(page.text).not.toContain('>Ended</span>');
  });

  it('ignores trusted events and imports, whatever their time', async () => {
    const before = await rawResults(experiment);
    const during = await afterLastEvent(experiment);
    const batch = [
      conversion('f2', experiment.goal.api_name, 50, during),
      exposure('f3', experiment.id, experiment.a, during),
    ];
    const { body } = await scene.client.post(`${scene.project}/events?strict=1`, { batch });
    expect(body).toMatchObject({ accepted: 1, errors: [{ index: 1, reason: 'result_final' }] });
    const { receipt } = await scene.api.app
      .get(ImportWriter, { strict: false })
      .store(scene.world.projectId, [
        conversion('f2', experiment.goal.api_name, 60, during),
        exposure('f4', experiment.id, experiment.a, { timestamp: '2020-01-01T00:00:00Z' }),
      ]);
    expect(receipt.rejected).toEqual([{ index: 1, reason: 'result_final' }]);
    await attributeAll(scene.api);
    expect(await rawResults(experiment)).toBe(before);
    await scene.api.app.get(RebuildService, { strict: false }).rebuild({ experimentId: experiment.id });
    expect(await rawResults(experiment)).toBe(before);
  });

  it('is not final once the experiment leaves the archive, and then includes the ignored events', async () => {
    expect(await totals(experiment)).toEqual([1, 0]);
    await move(experiment, 'pause');
    expect(await infoOf(experiment)).toMatchObject({
      is_final: false,
      counted_until: null,
      recomputing: true,
    });
    await attributeAll(scene.api);
    expect(await infoOf(experiment)).toMatchObject({ recomputing: false });
    expect(await totals(experiment)).toEqual([1, 110]);
  });
});
