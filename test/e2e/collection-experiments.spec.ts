import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventLog } from '../../src/events/event-log';
import { Outbox } from '../../src/webhooks/outbox';
import {
  attributeAll,
  conversion,
  exposure,
  pageView,
  send,
  shownCells,
  storedEvents,
} from '../support/events';
import { errorsOf, Made, useScene } from '../support/scene';
import { signal } from '../support/signal';

/** Time between events and status changes. It exceeds the latency, which can make an event appear to happen later. */
const WAY_MS = 1_000;

const scene = useScene();
let key: string;

beforeAll(async () => {
  key = (await scene.client.get(scene.project)).body.client_key as string;
});

async function expose(
  experiment: { id: number; variations: Made[] },
  fields: object = {},
  batchFields: object = {},
): Promise<string> {
  const sent = exposure(randomUUID(), experiment.id, experiment.variations[0].id, { ...fields });
  const answer = await send(scene.api, key, [sent], { ...batchFields });
  return answer.body.errors[0]?.reason ?? 'accepted';
}

describe('an exposure', () => {
  it.each([
    ['running', 'accepted'],
    ['draft', 'experiment_not_running'],
    ['preview', 'experiment_in_preview'],
    ['pause', 'experiment_not_running'],
    ['archive', 'experiment_not_running'],
  ])('of an experiment with the status %s has the outcome %s', async (status, expected) => {
    const experiment = await scene.make.withStatus(status);
    expect(await expose(experiment as never)).toBe(expected);
  });

  it('is accepted depending on the current status', async () => {
    const experiment = await scene.make.withStatus('running');
    const outcomes: string[] = [];
    for (const status of ['pause', 'running', 'preview', 'running', 'archive']) {
      outcomes.push(await expose(experiment as never));
      await scene.make.move(experiment, status);
    }
    outcomes.push(await expose(experiment as never));
    expect(outcomes).toEqual([
      'accepted',
      'experiment_not_running',
      'accepted',
      'experiment_in_preview',
      'accepted',
      'experiment_not_running',
    ]);
  });

  it('counts by its own time, not by its arrival time', async () => {
    const experiment = await scene.make.withStatus('running');
    const running = new Date().toISOString();
    await sleep(WAY_MS);
    await scene.make.move(experiment, 'pause');
    await sleep(20);
    const paused = new Date().toISOString();
    await sleep(WAY_MS);
    await scene.make.move(experiment, 'running');
    expect(await expose(experiment as never, { timestamp: running })).toBe('accepted');
    expect(await expose(experiment as never, { timestamp: paused })).toBe('experiment_not_running');
    const before = new Date(Date.now() - 3_600_000).toISOString();
    expect(await expose(experiment as never, { timestamp: before })).toBe('experiment_not_running');
  });

  it('of an unknown record is rejected', async () => {
    const experiment = await scene.make.withStatus('running');
    const other = await scene.make.withStatus('running');
    const foreign = await scene.other.make.withStatus('running');
    const reason = async (experimentId: unknown, variationId: unknown): Promise<string> => {
      const sent = exposure('v', experimentId as number, variationId as number);
      return (await send(scene.api, key, [sent])).body.errors[0]?.reason ?? 'accepted';
    };
    const [own] = experiment.variations as Made[];
    expect(await reason(experiment.id, other.variations[0].id)).toBe('unknown_variation');
    expect(await reason(experiment.id, null)).toBe('unknown_variation');
    expect(await reason(foreign.id, foreign.variations[0].id)).toBe('unknown_experiment');
    expect(await reason(99_999_999, own.id)).toBe('unknown_experiment');
    for (const wrong of [
      undefined,
      0,
      -1,
      1.5,
      '1e1',
      'constructor',
      String(experiment.id).padStart(12, '0'),
    ]) {
      expect(['unknown_experiment', 'invalid_message']).toContain(await reason(wrong, own.id));
    }
    expect(await reason(String(experiment.id), String(own.id))).toBe('accepted');
    await scene.client.delete(experiment.path);
    expect(await reason(experiment.id, own.id)).toBe('unknown_experiment');
  });

  it('of a new variation is accepted immediately', async () => {
    const experiment = await scene.make.withStatus('running', {
      variations: [
        { name: 'A', traffic_allocation: 60 },
        { name: 'B', traffic_allocation: 40 },
      ],
    });
    expect(await expose(experiment as never)).toBe('accepted');
    const added = await scene.make.variation(experiment, { traffic_allocation: 0 });
    expect(await expose({ id: experiment.id, variations: [added] })).toBe('accepted');
  });
});

describe('goals', () => {
  it('count for every experiment, attached or not', async () => {
    const goal = await scene.make.goal({ name: 'Before', value_type: 'number' });
    const experiment = await scene.make.withStatus('running');
    const visitor = randomUUID();
    await send(scene.api, key, [exposure(visitor, experiment.id, experiment.variations[1].id)]);
    await send(scene.api, key, [conversion(visitor, 'before', 3)]);
    await attributeAll(scene.api);
    const cells = (await shownCells(scene.api)).filter((cell) => cell.includes(`goal_id=${goal.id} `));
    expect(cells).toHaveLength(1);
    expect(cells[0]).toMatch(
      /converters=1 conversions=1 value=30000 value_excess=0 value_squared=900000000 conversions_squared=1 value_by_conversions=30000$/,
    );
  });

  it('for page views count once for each goal whose page matches', async () => {
    const [home, all] = [
      await scene.make.page({ conditions: [{ match: 'simple', value: '/' }] }),
      await scene.make.page({ conditions: [] }),
    ];
    const goals = [
      await scene.make.goal({ type: 'pageview', page_id: home.id }),
      await scene.make.goal({ type: 'pageview', page_id: all.id }),
    ];
    const visitor = randomUUID();
    const sent = pageView(visitor, 'https://shop.example/');
    for (let round = 0; round < 2; round += 1) {
      expect((await send(scene.api, key, [sent])).body).toMatchObject({ accepted: 1, rejected: 0 });
    }
    const rows = (await storedEvents(scene.api)).filter(({ visitor_id }) => visitor_id === visitor);
    expect(rows.map(({ goal_id }) => goal_id).sort()).toEqual(goals.map(({ id }) => id).sort());
  });

  it('cannot change their type and value type once they have conversions', async () => {
    const goal = await scene.make.goal({ name: 'Fixed', value_type: 'number' });
    expect((await scene.client.patch(goal.path, { value_type: 'revenue' })).status).toBe(200);
    await send(scene.api, key, [conversion('fixed', 'fixed', 3)]);
    expect(errorsOf(await scene.client.patch(goal.path, { value_type: 'none' }))).toEqual({
      value_type: ['The value_type cannot change once the goal has conversions.'],
    });
    expect(
      Object.keys(
        errorsOf(await scene.client.patch(goal.path, { type: 'click', selector: 'a', value_type: 'none' })),
      ),
    ).toEqual(['type', 'value_type']);
    expect((await scene.client.patch(goal.path, { name: 'Renamed', direction: 'decrease' })).status).toBe(
      200,
    );
  });
});

describe('collected events', () => {
  it('prevent the deletion of variations', async () => {
    const experiment = await scene.make.withStatus('running', {
      variations: [{ name: 'A' }, { name: 'B' }, { name: 'C' }],
    });
    const paths = experiment.variations.map(({ id }: Made) => `${experiment.path}/variations/${id}`);
    expect((await scene.client.delete(paths[2])).status).toBe(204);
    expect(await expose(experiment as never)).toBe('accepted');
    expect(errorsOf(await scene.client.delete(paths[1]))).toEqual({
      variations: ['No variation can be deleted once the experiment has participants.'],
    });
  });

  it('never refer to a variation that is deleted at the same time', async () => {
    for (let round = 0; round < 8; round += 1) {
      const experiment = await scene.make.withStatus('running', {
        variations: [{ name: 'A' }, { name: 'B' }, { name: 'C' }],
      });
      const { id } = experiment.variations[2];
      const [sent, deleted] = await Promise.all([
        send(scene.api, key, [exposure(randomUUID(), experiment.id, id)]),
        scene.client.delete(`${experiment.path}/variations/${id}`),
      ]);
      expect([
        [1, 422],
        [0, 204],
      ]).toContainEqual([sent.body.accepted, deleted.status]);
    }
  });
});

it('an exposure that arrives while a pause is being committed is not acknowledged if it would not count', async () => {
  const experiment = (await scene.make.withStatus('running')) as Made & { variations: Made[] };
  await expose(experiment);
  const [outbox, log] = [Outbox, EventLog].map((type) => scene.api.app.get(type, { strict: false })) as [
    Outbox,
    EventLog,
  ];
  const [pausing, resolved, paused] = [signal(), signal(), signal()];
  const [record, append] = [outbox.record.bind(outbox), log.append.bind(log)];
  jest.spyOn(outbox, 'record').mockImplementationOnce(async (...given) => {
    pausing.give();
    await resolved.given;
    return record(...given);
  });
  jest.spyOn(log, 'append').mockImplementationOnce(async (...given) => {
    resolved.give();
    await paused.given;
    return append(...given);
  });
  const move = scene.make.move(experiment, 'pause');
  await pausing.given;
  const outcome = expose(experiment);
  await move;
  paused.give();
  expect(await outcome).toBe('experiment_not_running');
  jest.restoreAllMocks();
});
