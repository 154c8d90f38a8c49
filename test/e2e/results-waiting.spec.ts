import { randomUUID } from 'node:crypto';
import { parseResponseTime } from '../../src/common/time/clock';
import type { TestApi } from '../support/api';
import { describeWithClickHouse } from '../support/clickhouse';
import { useClickHouseScene } from '../support/clickhouse-scene';
import { documentOf, textOf, useConsole } from '../support/console';
import { attributeAll, conversion, exposure, send } from '../support/events';
import { Made, type Scene, useScene } from '../support/scene';

/* The time until which acknowledged events are counted. */

const microsNow = (): number => Date.now() * 1000;

/** Marks a visitor as having unattributed events. */
const mark = (api: TestApi, projectId: number, at: number): Promise<unknown> =>
  api.database.transaction((tx) =>
    tx.query('INSERT INTO dirty_visitors (project_id, visitor_id, marked_at) VALUES (?, ?, ?)', [
      projectId,
      'a',
      at,
    ]),
  );

function itTellsHowFarAttributionIs(scene: Scene): void {
  let experiment: Made;
  let key: string;

  beforeAll(async () => {
    key = (await scene.client.get(scene.project)).body.client_key as string;
    const goal = await scene.make.goal({ name: 'Sale', value_type: 'revenue' });
    experiment = await scene.make.withStatus('running', { goals: [goal.id] });
  });

  const info = async (of = experiment): Promise<Made> =>
    (await scene.client.get(`${of.path}/results/info`)).body as Made;
  const countedBefore = async (): Promise<number | null> => {
    const { events_counted_before: moment } = await info();
    return moment === null ? null : (parseResponseTime(moment as string) ?? NaN);
  };
  const collect = async (visitor: string): Promise<void> => {
    const [variation] = experiment.variations as Made[];
    const batch = [exposure(visitor, experiment.id, variation.id), conversion(visitor, 'sale', 1)];
    expect((await send(scene.api, key, batch)).body.accepted).toBe(2);
  };

  it('is null if no events are pending, otherwise a time before the first pending event was acknowledged', async () => {
    expect(await countedBefore()).toBeNull();
    const before = microsNow() - 1_000;
    const visitor = randomUUID();
    await collect(visitor);
    const after = microsNow() + 1_000;
    const since = await countedBefore();
    expect(since).toBeGreaterThanOrEqual(before);
    expect(since).toBeLessThanOrEqual(after);
    await collect(visitor);
    await collect(randomUUID());
    expect(await countedBefore()).toBe(since);
    expect((await info()).participants).toBe(0);
    await attributeAll(scene.api);
    expect(await info()).toMatchObject({ events_counted_before: null, participants: 2 });
    await collect(visitor);
    expect(await countedBefore()).toBeGreaterThan(since ?? 0);
    await attributeAll(scene.api);
  });

  it('is part of the ETag', async () => {
    const path = `${experiment.path}/results/info`;
    const tag = async (): Promise<string> => (await scene.client.get(path)).headers.etag as string;
    const none = await tag();
    await collect(randomUUID());
    const waiting = await tag();
    expect(waiting).not.toBe(none);
    expect((await scene.client.get(path, { 'if-none-match': waiting })).status).toBe(304);
    await attributeAll(scene.api);
    expect(
      (await scene.client.get(path, { 'if-none-match': waiting })).body.events_counted_before,
    ).toBeNull();
  });
}

describe('the progress of attribution', () => {
  const scene = useScene();
  itTellsHowFarAttributionIs(scene);

  it('is separate for each project', async () => {
    await mark(scene.api, scene.other.make.projectId, microsNow());
    const own = await scene.make.experiment();
    const { body } = await scene.client.get(`${own.path}/results/info`);
    expect(body.events_counted_before).toBeNull();
  });
});

describe('the page of an experiment', () => {
  const stage = useConsole();
  const WORDS = /Some events since .* have not been counted yet/;

  it.each([
    ['warns if events have waited for more than a minute', 61, true],
    ['has no warning while attribution keeps up', 10, false],
  ])('%s', async (_, seconds, isTold) => {
    const make = await stage.project('Waiting');
    const experiment = await make.experiment();
    await mark(stage.api, make.projectId, microsNow() - seconds * 1_000_000);
    const page = await documentOf(await stage.admin(), experiment.path);
    expect(WORDS.test(textOf(page.querySelector('main')))).toBe(isTold);
  });
});

describeWithClickHouse('the progress of attribution in ClickHouse', () => {
  itTellsHowFarAttributionIs(useClickHouseScene());
});
