import { newSite, running, Site } from '../support/delivery';
import { storedEvents } from '../support/events';
import { hammer, send } from '../support/hostile';
import { Made, useScene } from '../support/scene';
import { ServerProcess } from '../support/server-process';

/* Denial of service: very long strings in requests with a client key must not exhaust the memory. */

const LARGE = 500_000;
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

const scene = useScene();
let server: ServerProcess;
let site: Site;
let onPhones: Made;
let goal: Made;

beforeAll(async () => {
  site = await newSite(scene);
  const phones = await site.make.audience({ conditions: { type: 'device', value: 'mobile' } });
  goal = await site.make.goal({ name: 'Sale' });
  onPhones = await running(site, 1, { audiences: [phones.id], goals: [goal.id], api_name: 'on-phones' });
  server = await ServerProcess.spawn({
    DATABASE_URL: scene.api.databaseUrl,
    NODE_OPTIONS: '--max-old-space-size=256',
    TRUST_PROXY: '127.0.0.0/8',
    DELIVERY_LIMIT_PER_MINUTE: '300000',
    LOG_LEVEL: 'error',
  });
  await server.ready();
}, 120_000);

afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
});

const long = (index: number, length = LARGE): string => `${index} ${'x'.repeat(length)}`;
const bearer = (key: string = site.key) => ({ authorization: `Bearer ${key}` });

/** Many different values of each string that a client can choose. */
const ATTACKS: [string, number, (index: number) => Promise<{ status: number }>, number[]][] = [
  [
    'user agents for flags',
    700,
    (index) =>
      send(
        server,
        '/ofrep/v1/evaluate/flags/on-phones',
        { context: { targetingKey: 'v', userAgent: long(index) } },
        bearer(),
      ),
    [200],
  ],
  [
    'user agents of messages',
    200,
    (index) =>
      send(server, '/v1/batch', {
        writeKey: site.key,
        batch: [
          {
            type: 'track',
            event: 'sale',
            anonymousId: 'v',
            messageId: `m${index}`,
            context: { userAgent: `${PHONE} ${long(index)}` },
          },
        ],
      }),
    [200],
  ],
  [
    'user agents of decisions',
    300,
    (index) =>
      send(
        server,
        '/v1/decide',
        { user: { device: { userAgent: long(index, 4_000) } }, record: false },
        bearer(),
      ),
    [200],
  ],
  [
    'attributes',
    100,
    (index) =>
      send(
        server,
        '/v1/decide',
        {
          user: { attributes: { plan: long(index), [long(index, 1_000)]: [long(index, 1_000)] } },
          record: false,
        },
        bearer(),
      ),
    [200],
  ],
  [
    'SDK attributes and URLs',
    100,
    (index) =>
      send(server, `/api/eval/${site.key}`, {
        attributes: { id: 'v', url: long(index) },
        url: `https://a.example/${index}${'x'.repeat(8_000)}`,
      }),
    [200],
  ],
  [
    'client keys in bodies',
    100,
    (index) => send(server, '/v1/batch', { writeKey: long(index), batch: [] }),
    [401],
  ],
  [
    'client keys in headers, from different addresses',
    300,
    (index) =>
      send(
        server,
        '/v1/decide',
        {},
        { ...bearer(long(index, 7_000)), 'x-forwarded-for': long(index, 7_000) },
      ),
    [401],
  ],
  [
    'other headers',
    300,
    (index) =>
      send(
        server,
        `/api/features/${site.key}?x=${index}${'x'.repeat(3_000)}`,
        undefined,
        {
          'accept-encoding': `gzip;q=0.${index}, x${'y'.repeat(3_000)}`,
          'x-request-id': long(index, 3_000),
          'user-agent': long(index, 3_000),
        },
        'GET',
      ),
    [200],
  ],
  [
    'SDK events',
    100,
    (index) =>
      send(server, `/track?client_key=${site.key}`, [
        { event_name: long(index, 200_000), device_id: long(index, 100_000), url: long(index, 100_000) },
      ]),
    [200],
  ],
];

it.each(ATTACKS)(
  'the server survives many long %s',
  async (_, count, request, expected) => {
    const statuses = await hammer(count, request);
    expect(Object.keys(statuses).map(Number)).toEqual(expected);
  },
  120_000,
);

it('the server still works afterwards', async () => {
  const answers = await Promise.all(
    [PHONE, `${PHONE} ${'x'.repeat(LARGE)}`, 'x'.repeat(LARGE)].map((userAgent) =>
      send(
        server,
        '/ofrep/v1/evaluate/flags/on-phones',
        { context: { targetingKey: 'v', userAgent } },
        bearer(),
      ),
    ),
  );
  const reasons = answers.map(({ text }) => (JSON.parse(text) as { reason: string }).reason);
  expect(reasons).toEqual(['SPLIT', 'SPLIT', 'UNKNOWN']);
  const conversions = (await storedEvents(scene.api)).filter(({ goal_id }) => goal_id === goal.id);
  expect(conversions).toHaveLength(200);
  const decided = await send(server, '/v1/decide', { user: { device: { userAgent: PHONE } } }, bearer());
  expect(decided.text).toContain(`"id":${(onPhones.variations as Made[])[0].id}`);
});
