import { randomUUID } from 'node:crypto';
import { nowMicros } from '../../src/common/time/clock';
import { newSite, running, Site } from '../support/delivery';
import { attributeAll, conversion, send, storedEvents, StoredRow } from '../support/events';
import { errorsOf, Made, refusedPaths, useScene } from '../support/scene';

/* POST /v1/track: conversions by goal id. */

const scene = useScene();
let site: Site;
let custom: Made;
let revenue: Made;
let pageview: Made;
let click: Made;

beforeAll(async () => {
  site = await newSite(scene);
  const { make } = site;
  custom = await make.goal({ name: 'Custom' });
  revenue = await make.goal({ name: 'Revenue', value_type: 'revenue' });
  pageview = await make.goal({ name: 'View', type: 'pageview', page_id: (await make.page()).id });
  click = await make.goal({ name: 'Click', type: 'click', selector: 'button' });
});

const track = (visitor: string, events: unknown, user: object = {}) =>
  site.post('/v1/track', { user: { id: visitor, ...user }, events });

async function storedOf(visitor: string): Promise<StoredRow[]> {
  return (await storedEvents(scene.api)).filter(({ visitor_id }) => visitor_id.trim() === visitor.trim());
}

it('POST /v1/track stores conversions of goals of every type', async () => {
  const visitor = randomUUID();
  const before = nowMicros();
  const answer = await track(visitor, [
    { id: custom.id, type: 'custom' },
    { id: String(revenue.id), value: 49.9 },
    { id: pageview.id, type: 'pageview' },
    { id: click.id, type: 'click', value: null },
  ]);
  expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([204, '', undefined]);
  const rows = await storedOf(visitor);
  const byGoal = rows.sort((a, b) => a.goal_id! - b.goal_id!);
  expect(byGoal.map(({ goal_id, value, device }) => [goal_id, value, device])).toEqual([
    [custom.id, null, 3],
    [revenue.id, 499_000, 3],
    [pageview.id, null, 3],
    [click.id, null, 3],
  ]);
  for (const { occurred_at, experiment_id, event_id } of rows) {
    expect(occurred_at).toBeGreaterThanOrEqual(before);
    expect(occurred_at).toBeLessThanOrEqual(nowMicros());
    expect([experiment_id, event_id]).toEqual([null, expect.stringMatching(/^[\da-f-]{14}7/)]);
  }
});

it('POST /v1/track counts messages with the same messageId once, on any route', async () => {
  const visitor = randomUUID();
  const messageId = randomUUID();
  const event = { id: revenue.id, value: '12.50', messageId };
  expect([(await track(visitor, [event])).status, (await track(visitor, [event])).status]).toEqual([
    204, 204,
  ]);
  await send(scene.api, site.key, [conversion(visitor, revenue.api_name as string, 12.5, { messageId })]);
  expect(await storedOf(visitor)).toEqual([expect.objectContaining({ event_id: messageId, value: 125_000 })]);
});

it('POST /v1/track stores the device of the visitor, not of the back end', async () => {
  const [visitor, other] = [randomUUID(), randomUUID()];
  const userAgent =
    'Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 Version/16.6 Mobile/15E148 Safari/604.1';
  await track(visitor, [{ id: custom.id }], { device: { userAgent } });
  await site.post(
    '/v1/track',
    { user: { id: other }, events: [{ id: custom.id }] },
    { 'user-agent': userAgent },
  );
  expect([await storedOf(visitor), await storedOf(other)]).toMatchObject([[{ device: 2 }], [{ device: 3 }]]);
});

it('POST /v1/track counts conversions in experiments that the visitor was exposed to, and creates no participants', async () => {
  const experiment = await running(site, 2, { goals: [revenue.id] });
  const bucketing = { [experiment.id]: experiment.variations[1].id };
  const { body } = await site.post('/v1/decide', { user: { id: 'participant' } });
  await track('participant', [{ id: revenue.id, value: 10 }], { bucketing: body.user.bucketing });
  await track('stranger', [{ id: revenue.id, value: 10 }], { bucketing });
  await attributeAll(scene.api);
  const [{ variationStatistics }] = (await scene.client.get(`${experiment.path}/results`)).body;
  const figures = Object.values<Made>(variationStatistics);
  const seen = body.user.bucketing[experiment.id];
  expect(figures.map(({ id, participants, totalValue }) => [id, participants, totalValue])).toEqual(
    (experiment.variations as Made[]).map(({ id }) => [id, id === seen ? 1 : 0, id === seen ? 10 : 0]),
  );
});

describe('POST /v1/track is rejected, and stores nothing, with', () => {
  const visitor = 'refused';
  const good = () => ({ id: custom.id });

  it.each<[string, () => unknown, () => Promise<Record<string, string>> | Record<string, string>]>([
    [
      'an unknown goal',
      () => ({ id: 2_147_483_647 }),
      () => ({ 'events.1.id': 'The project has no goal 2147483647.' }),
    ],
    [
      'a type that differs from the type of the goal',
      () => ({ id: click.id, type: 'custom' }),
      () => ({ 'events.1.type': `The goal ${click.id} is not of type custom.` }),
    ],
    [
      'a value that is not a decimal',
      () => ({ id: revenue.id, value: 'much' }),
      () => ({ 'events.1.value': 'The value is not a decimal between -1,000,000,000 and 1,000,000,000.' }),
    ],
    [
      'a value that is too large',
      () => ({ id: revenue.id, value: 1e9 + 1 }),
      () => ({ 'events.1.value': 'The value is not a decimal between -1,000,000,000 and 1,000,000,000.' }),
    ],
  ])('%s', async (_, event, expected) => {
    const errors = errorsOf(await track(visitor, [good(), event(), good()]));
    const messages = Object.entries(await expected()).map(([path, message]) => [path, [message]]);
    expect(errors).toEqual(Object.fromEntries(messages));
    expect(await storedOf(visitor)).toEqual([]);
  });

  it('a goal of another project, and all errors of other events', async () => {
    const foreign = await scene.other.make.goal();
    const events = [
      { id: foreign.id },
      good(),
      { id: click.id, type: 'pageview' },
      { id: revenue.id, value: '-' },
    ];
    expect(refusedPaths(await track(visitor, events))).toEqual([
      'events.0.id',
      'events.2.type',
      'events.3.value',
    ]);
    expect(await storedOf(visitor)).toEqual([]);
  });

  it.each<[string, object, string[]]>([
    ['an empty object', {}, ['events', 'user']],
    ['no visitor', { user: {}, events: [{ id: 1 }] }, ['user.id']],
    ['a null visitor', { user: { id: null }, events: [{ id: 1 }] }, ['user.id']],
    ['no events', { user: { id: 'v' } }, ['events']],
    ['an empty list', { user: { id: 'v' }, events: [] }, ['events']],
    ['one event instead of a list', { user: { id: 'v' }, events: { id: 1 } }, ['events']],
    [
      'too many events',
      { user: { id: 'v' }, events: Array.from({ length: 501 }, () => ({ id: 1 })) },
      ['events'],
    ],
    [
      'events that are not objects',
      { user: { id: 'v' }, events: [null, 5, 'x', []] },
      ['events.0', 'events.1', 'events.2', 'events.3'],
    ],
    ['no goal', { user: { id: 'v' }, events: [{}, { id: null }] }, ['events.0.id', 'events.1.id']],
    [
      'goals that are not ids',
      { user: { id: 'v' }, events: [{ id: 'x' }, { id: 0 }, { id: 1.5 }, { id: [1] }] },
      ['events.0.id', 'events.1.id', 'events.2.id', 'events.3.id'],
    ],
    ['an unknown type', { user: { id: 'v' }, events: [{ id: 1, type: 'purchase' }] }, ['events.0.type']],
    [
      'values of other types',
      {
        user: { id: 'v' },
        events: [
          { id: 1, value: {} },
          { id: 1, value: true },
        ],
      },
      ['events.0.value', 'events.1.value'],
    ],
    [
      'a messageId of another type',
      {
        user: { id: 'v' },
        events: [
          { id: 1, messageId: 5 },
          { id: 1, messageId: '' },
          { id: 1, messageId: '\ud800' },
        ],
      },
      ['events.0.messageId', 'events.1.messageId', 'events.2.messageId'],
    ],
    [
      'a duplicate messageId',
      {
        user: { id: 'v' },
        events: [
          { id: 1, messageId: 'a' },
          { id: 2, messageId: 'a' },
        ],
      },
      ['events.1.messageId'],
    ],
    [
      'a duplicate UUID',
      {
        user: { id: 'v' },
        events: ['0198F3F5-0000-7000-8000-000000000001', '0198f3f5-0000-7000-8000-000000000001'].map(
          (messageId) => ({ id: 1, messageId }),
        ),
      },
      ['events.1.messageId'],
    ],
    [
      'invalid bucketing',
      { user: { id: 'v', bucketing: { x: 1 } }, events: [{ id: 1 }] },
      ['user.bucketing.x'],
    ],
    [
      'an unknown field',
      { user: { id: 'v' }, event: [], events: [{ id: 1, goal: 1 }] },
      ['event', 'events.0.goal'],
    ],
  ])('%s', async (_, body, paths) => {
    expect(refusedPaths(await site.post('/v1/track', body))).toEqual(paths);
  });

  it('a duplicate messageId, and names the earlier event', async () => {
    const events = ['a', 'b', 'b'].map((messageId) => ({ id: 1, messageId }));
    expect(errorsOf(await site.post('/v1/track', { user: { id: 'v' }, events }))).toEqual({
      'events.2.messageId': [
        'Event 1 has the same messageId. Send a different one for each event, even for different goals.',
      ],
    });
  });

  it('invalid JSON', async () => {
    const answers = [
      await site.post('/v1/track', '{'),
      await site.post('/v1/track', ''),
      await site.post('/v1/track'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
  });
});

it('POST /v1/track accepts 500 events of one visitor, and trailing spaces in the visitor id', async () => {
  const visitor = `${randomUUID()} `;
  expect(
    (
      await track(
        visitor,
        Array.from({ length: 500 }, () => ({ id: custom.id })),
      )
    ).status,
  ).toBe(204);
  expect(await storedOf(visitor)).toHaveLength(0);
  expect(
    (await storedEvents(scene.api)).filter(({ visitor_id }) => visitor_id === `${visitor}\x7f`),
  ).toHaveLength(500);
});
