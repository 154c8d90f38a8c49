import { randomUUID } from 'node:crypto';
import { RebuildService } from '../../src/events/rebuild.service';
import { Made, useScene } from '../support/scene';
import {
  attributeAll,
  conversion,
  exposure,
  message,
  pageView,
  send,
  shownCells,
  storedEvents,
} from '../support/events';

const scene = useScene();
let key: string;
let experiment: Made;
let green: number;
let sale: Made;

beforeAll(async () => {
  key = (await scene.client.get(scene.project)).body.client_key as string;
  const page = await scene.make.page({
    name: 'Checkout',
    conditions: [{ match: 'simple', value: '/checkout' }],
  });
  sale = await scene.make.goal({ name: 'Sale', value_type: 'revenue' });
  const seen = await scene.make.goal({ name: 'Seen', type: 'pageview', page_id: page.id });
  const click = await scene.make.goal({ name: 'Click', type: 'click', selector: 'a' });
  experiment = await scene.make.withStatus('running', { goals: [sale.id, seen.id, click.id] });
  [, green] = experiment.variations.map(({ id }: Made) => id);
});

const ofVisitor = async (visitor: string) =>
  (await storedEvents(scene.api)).filter(({ visitor_id }) => visitor_id === visitor);

const reasonOf = async (sent: unknown): Promise<string> => {
  const answer = await send(scene.api, key, [sent]);
  expect(answer.status).toBe(200);
  return answer.body.errors[0]?.reason ?? 'accepted';
};

describe('a batch', () => {
  it('is stored before it is acknowledged', async () => {
    const visitor = randomUUID();
    const messages = [
      exposure(visitor, experiment.id, green, { context: { device: { type: 'mobile' } } }),
      conversion(visitor, 'sale', 12.5),
      pageView(visitor, 'https://shop.example/checkout?step=1'),
      conversion(visitor, 'click'),
    ];
    const answer = await send(scene.api, key, messages);
    expect([answer.status, answer.body]).toEqual([
      200,
      { success: true, accepted: 4, rejected: 0, errors: [] },
    ]);
    const rows = await ofVisitor(visitor);
    expect(rows).toHaveLength(4);
    const stored = rows.find(({ experiment_id }) => experiment_id !== null);
    expect(stored).toMatchObject({
      experiment_id: experiment.id,
      variation_id: green,
      device: 1,
      goal_id: null,
    });
    expect(rows.find(({ goal_id }) => goal_id === sale.id)).toMatchObject({
      value: 125_000,
      experiment_id: null,
    });
  });

  it('becomes part of the results', async () => {
    await attributeAll(scene.api);
    const cells = await shownCells(scene.api);
    const [day] = /event_day=(\d+)/.exec(cells[0])!.slice(1);
    const prefix = `experiment_id=${experiment.id}`;
    expect(
      cells.some((cell) => cell.startsWith(`${prefix} goal_id=0 variation_id=${green} phase=1 device=1`)),
    ).toBe(true);
    expect(cells).toContain(
      `${prefix} goal_id=${sale.id} variation_id=${green} phase=1 device=1 entry_day=${day} event_day=${day} ` +
        'participants=0 converters=1 conversions=1 value=125000 value_excess=0 value_squared=15625000000 conversions_squared=1 value_by_conversions=125000',
    );
  });

  it('returns rejection reasons only on request', async () => {
    const body = { writeKey: key, batch: [{}, exposure('v', experiment.id, green)] };
    const answer = await scene.api.as(null).post('//v1/batch', body);
    expect(answer.body).toEqual({ success: true, accepted: 1, rejected: 1 });
  });

  it('can be empty', async () => {
    expect((await send(scene.api, key, [])).body).toMatchObject({ accepted: 0, rejected: 0 });
  });

  it('stores valid messages even if others are invalid', async () => {
    const visitor = randomUUID();
    const messages = [
      null,
      exposure(visitor, experiment.id, green),
      'x',
      conversion(visitor, 'sale', '12,5'),
    ];
    const answer = await send(scene.api, key, messages);
    expect(answer.body).toMatchObject({ accepted: 1, rejected: 3 });
    expect(answer.body.errors.map(({ index, reason }: Made) => [index, reason])).toEqual([
      [0, 'invalid_message'],
      [2, 'invalid_message'],
      [3, 'invalid_value'],
    ]);
    expect(answer.body.errors[2].messageId).toBe(messages[3] && (messages[3] as Made).messageId);
    expect(await ofVisitor(visitor)).toHaveLength(1);
  });

  it('counts a duplicate once, whether it is in the same batch, in another one or concurrent', async () => {
    const visitor = randomUUID();
    const sent = [exposure(visitor, experiment.id, green), conversion(visitor, 'sale', 5)];
    const answers = await Promise.all(
      [...Array(6).keys()].map(() => send(scene.api, key, [...sent, ...sent])),
    );
    expect(answers.map(({ body }) => body.accepted)).toEqual(Array(6).fill(4));
    expect(await ofVisitor(visitor)).toHaveLength(2);
  });

  it('counts a message id once for each visitor, across all goals, and page views separately', async () => {
    const [visitor, other] = [randomUUID(), randomUUID()];
    const order = { messageId: 'order-501' };
    const sent = [
      exposure(visitor, experiment.id, green, order),
      conversion(visitor, 'sale', 80, order),
      conversion(other, 'sale', 80, order),
    ];
    expect((await send(scene.api, key, sent)).body).toMatchObject({ accepted: 3, rejected: 0 });
    expect([await ofVisitor(visitor), await ofVisitor(other)]).toMatchObject([
      [{ variation_id: green }],
      [{ goal_id: sale.id }],
    ]);
    const goals = ['sale', 'click'];
    const named = goals.map((goal) => conversion(visitor, goal, 80, { messageId: `order-501-${goal}` }));
    await send(scene.api, key, named);
    expect(await ofVisitor(visitor)).toHaveLength(3);
    const view = pageView(visitor, 'https://shop.example/checkout', order);
    await send(scene.api, key, [view, view]);
    expect(await ofVisitor(visitor)).toHaveLength(4);
  });

  it('accepts message ids that are not UUIDs, and recognises duplicates', async () => {
    const visitor = randomUUID();
    const sent = exposure(visitor, experiment.id, green, { messageId: 'node-next-1234' });
    await send(scene.api, key, [sent]);
    await send(scene.api, key, [sent]);
    const [row, ...more] = await ofVisitor(visitor);
    expect(more).toEqual([]);
    expect(row.event_id).toMatch(/^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-/);
  });

  it('ignores the letter case of message ids that are UUIDs', async () => {
    const visitor = randomUUID();
    const messageId = randomUUID();
    await send(scene.api, key, [exposure(visitor, experiment.id, green, { messageId })]);
    await send(scene.api, key, [
      exposure(visitor, experiment.id, green, { messageId: messageId.toUpperCase() }),
    ]);
    expect(await ofVisitor(visitor)).toHaveLength(1);
  });
});

describe('the client key', () => {
  const batch = () => ({ batch: [exposure('key', experiment.id, green)] });
  const post = (body: object, headers: Record<string, string> = {}, query = '') =>
    scene.api.as(null).post(`//v1/batch${query}`, body, headers);

  it('can be sent in the body, as a user name, as a bearer token, in a header or in the query', async () => {
    const basic = `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
    const answers = [
      await post({ ...batch(), writeKey: key }),
      await post(batch(), { authorization: basic }),
      await post(batch(), { authorization: `Bearer ${key}` }),
      await post(batch(), { 'x-api-key': key }),
      await post(batch(), {}, `?client_key=${key}`),
    ];
    expect(answers.map(({ status, body }) => [status, body.accepted])).toEqual(Array(5).fill([200, 1]));
  });

  it.each(['pk_unknown', '', 'x'.repeat(5_000), "' OR 1=1 --", 'é\u0000'])(
    'is rejected with 401 if it is %j',
    async (wrong) => {
      const answer = await post({ ...batch(), writeKey: wrong });
      expect([answer.status, answer.body]).toEqual([
        401,
        { message: 'Unauthenticated.', code: 'UNAUTHENTICATED' },
      ]);
    },
  );

  it('is rejected if it is missing or belongs to a deleted project', async () => {
    expect((await post(batch())).status).toBe(401);
    const gone = await scene.api.project(scene.world.teamId, 'Gone');
    const { client_key } = (await scene.client.get(`/projects/${gone}`)).body;
    expect((await post({ ...batch(), writeKey: client_key })).status).toBe(200);
    await scene.client.delete(`/projects/${gone}`);
    expect((await post({ ...batch(), writeKey: client_key })).status).toBe(401);
  });
});

describe('a message', () => {
  it.each([
    ['a number in place of the object', 5, 'invalid_message'],
    ['a list in place of the object', [], 'invalid_message'],
    ['no type', { anonymousId: 'v' }, 'invalid_message'],
    ['another type', message('v', { type: 'delete' }), 'unknown_type'],
    ['no visitor', message('v', { anonymousId: undefined }), 'invalid_visitor'],
    ['an empty visitor', message('', {}), 'invalid_visitor'],
    ['a visitor with NUL', message('a\u0000b', {}), 'invalid_visitor'],
    ['a visitor of 10,000 characters', message('v'.repeat(10_000), {}), 'invalid_visitor'],
    ['a visitor of 65 characters', message('v'.repeat(65), {}), 'invalid_visitor'],
    ['a visitor that is not ASCII', message('vé', {}), 'invalid_visitor'],
    ['a visitor that is a fraction', message('v', { anonymousId: 5.5 }), 'invalid_message'],
    ['a visitor that is a number beyond 2^53', message('v', { anonymousId: 2 ** 53 }), 'invalid_message'],
    ['an empty id', message('v', { messageId: '' }), 'invalid_message_id'],
    ['a type that is a list', message('v', { type: ['track'] }), 'invalid_message'],
    ['an id of 256 characters', message('v', { messageId: 'i'.repeat(256) }), 'invalid_message_id'],
    ['an id with a lone surrogate', message('v', { messageId: 'a\ud800' }), 'invalid_message_id'],
    ['an invalid time', message('v', { timestamp: 'yesterday' }), 'invalid_timestamp'],
    ['a day that does not exist', message('v', { timestamp: '2026-02-30T00:00:00Z' }), 'invalid_timestamp'],
    ['a time that is a number', message('v', { timestamp: 1_700_000_000_000 }), 'invalid_timestamp'],
    ['a goal that is unknown', conversion('v', 'nothing'), 'unknown_event'],
    ['no event', message('v', {}), 'unknown_event'],
    ['a pageview goal by name', conversion('v', 'seen'), 'unknown_event'],
    ['properties of a wrong type', message('v', { event: 'sale', properties: 'x' }), 'invalid_message'],
    ['a page without a URL', message('v', { type: 'page' }), 'invalid_url'],
    ['a page whose URL is only a path', pageView('v', '/checkout'), 'invalid_url'],
    ['an unknown page', pageView('v', 'https://shop.example/elsewhere'), 'no_matching_page'],
    [
      'a page URL of 3,000 characters',
      pageView('v', `https://shop.example/${'x'.repeat(3_000)}`),
      'invalid_url',
    ],
  ])('with %s is rejected', async (_, sent, reason) => expect(await reasonOf(sent)).toBe(reason));

  it.each([1e308, -1e308, 1e9 + 1, 'NaN', '12,5', '1e5', {}, [1], true, ''])(
    'with the value %p is rejected',
    async (value) => expect(await reasonOf(conversion('v', 'sale', value))).toBe('invalid_value'),
  );

  it.each([
    [-3.5, -35_000],
    ['7.25', 72_500],
    [undefined, null],
    [null, null],
    [0.00005, 0],
  ])('with the value %p is stored', async (value, stored) => {
    const visitor = randomUUID();
    expect(await reasonOf(conversion(visitor, 'sale', value))).toBe('accepted');
    expect((await ofVisitor(visitor))[0].value).toBe(stored);
  });

  it('can have a visitor id with spaces, which are part of the id', async () => {
    const visitors = ['a b', ' a b', 'a b ', 'a b  ', ' ', '  '];
    const messages = visitors.map((visitor) => exposure(visitor, experiment.id, green));
    expect((await send(scene.api, key, messages)).body).toMatchObject({ accepted: 6, rejected: 0 });
    expect((await send(scene.api, key, messages)).body).toMatchObject({ accepted: 6, rejected: 0 });
    const stored = (await storedEvents(scene.api)).map(({ event_id }) => event_id);
    const ids = messages.map(({ messageId }) => messageId);
    expect(stored.filter((id) => ids.includes(id)).sort()).toEqual(ids.sort());
    await attributeAll(scene.api);
    await scene.api.app.get(RebuildService, { strict: false }).rebuild({});
    const [{ count }]: { count: number | string }[] = await scene.api.database.read.query(
      "SELECT COUNT(DISTINCT visitor_id) AS count FROM events WHERE visitor_id LIKE '%a b%' OR visitor_id LIKE ' %'",
    );
    expect(Number(count)).toBe(6);
  });

  it('has a value only if the goal has values', async () => {
    const visitor = randomUUID();
    expect(await reasonOf(conversion(visitor, 'click', 'whatever'))).toBe('accepted');
    expect((await ofVisitor(visitor))[0].value).toBeNull();
  });
});

describe('the time of a message', () => {
  const timeOf = async (timestamp: string | undefined, sentAt?: string): Promise<number> => {
    const visitor = randomUUID();
    const sent = conversion(visitor, 'sale', 1, { timestamp });
    expect((await send(scene.api, key, [sent], { sentAt })).body.accepted).toBe(1);
    return ((await ofVisitor(visitor))[0].occurred_at / 1000 - Date.now()) / 60_000;
  };
  const minutes = (count: number): string => new Date(Date.now() + count * 60_000).toISOString();

  it('is the arrival time by default', async () => expect(await timeOf(undefined)).toBeCloseTo(0, 0));
  it("is corrected for the client's clock", async () =>
    expect(await timeOf(minutes(500_000), minutes(500_060))).toBeCloseTo(-60, 0));
  it('is the arrival time if it is in the future', async () =>
    expect(await timeOf(minutes(500))).toBeCloseTo(0, 0));
  it('is at most 72 hours before arrival', async () =>
    expect(await timeOf('2025-01-01T00:00:00Z')).toBeCloseTo(-72 * 60, 0));
  it('is not corrected if the client does not send its clock', async () =>
    expect(await timeOf(minutes(-90))).toBeCloseTo(-90, 0));
});
