import { newSite, running, Site } from '../support/delivery';
import { send, whileLive } from '../support/hostile';
import { useScene } from '../support/scene';
import { ServerProcess } from '../support/server-process';

/* Denial of service: requests with a client key and a huge number of elements. */

const EXPERIMENTS = 30;
/** As many elements as fit into a request. */
const MANY = 30_000;

const scene = useScene();
let server: ServerProcess;
let site: Site;

beforeAll(async () => {
  site = await newSite(scene);
  const premium = await site.make.audience({
    conditions: [
      'or',
      { type: 'attribute', name: 'plan', value: 'premium' },
      ['not', { type: 'attribute', name: 'account.kind', match: 'regex', value: '.' }],
    ],
  });
  for (let index = 0; index < EXPERIMENTS; index += 1) {
    await running(site, 1, { api_name: `number-${index}`, audiences: [premium.id] });
  }
  server = await ServerProcess.spawn({ DATABASE_URL: scene.api.databaseUrl });
  await server.ready();
}, 120_000);

afterAll(async () => {
  server.kill('SIGKILL');
  await server.exit;
});

const many = (prefix = 'field'): Record<string, number> =>
  Object.fromEntries(Array.from({ length: MANY }, (_, index) => [`${prefix}${index}`, 1]));

async function ask(path: string, body: unknown): Promise<{ status: number; text: string }> {
  const headers = { authorization: `Bearer ${site.key}` };
  return whileLive(server, send(server, path, body, headers));
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- bodies of any shape
const read = ({ status, text }: { status: number; text: string }): any => {
  expect(status).toBe(200);
  return JSON.parse(text);
};

/**
 * Attributes of visitors, and the number of experiments in which they take part. Only premium customers and visitors
 * without an account take part, regardless of other attributes.
 */
const VISITORS = [
  [{ plan: 'premium', account: { kind: 'a' } }, EXPERIMENTS],
  [{}, EXPERIMENTS],
  [{ plan: 'free', account: { kind: 'a' } }, 0],
] as const;

it.each(VISITORS)('many attributes next to %j are handled', async (attributes, expected) => {
  const given = { ...many(), ...attributes };
  const decided = read(await ask('/v1/decide', { user: { id: 'v', attributes: given }, record: false }));
  expect(decided.experiments.filter(({ reason }: { reason: string }) => reason === 'assigned')).toHaveLength(
    expected,
  );
  const context = { targetingKey: 'v', ...given };
  const { flags } = read(await ask('/ofrep/v1/evaluate/flags', { context }));
  expect(flags.filter(({ reason }: { reason: string }) => reason === 'SPLIT')).toHaveLength(expected);
  const flag = read(await ask('/ofrep/v1/evaluate/flags/number-7', { context }));
  expect(flag.reason).toBe(expected === 0 ? 'UNKNOWN' : 'SPLIT');
  const evaluate = (body: object) => ask(`/api/eval/${site.key}?experiments=1`, body);
  const { features, experiments } = read(
    await evaluate({ attributes: { id: 'v', ...given }, forcedFeatures: [['number-1', 9]] }),
  );
  expect(Object.keys(features)).toHaveLength(EXPERIMENTS);
  expect(features['number-1'].defaultValue).toBe(9);
  expect(experiments).toHaveLength(expected);
  const forced = read(
    await evaluate({ attributes: { id: 'v', ...attributes }, forcedVariations: many('exp-0') }),
  );
  expect(forced.experiments).toHaveLength(expected);
});

it('many unknown fields are all reported', async () => {
  for (const body of [many(), { user: many('local') }, { context: { view: many('refer') } }]) {
    const { status, text } = await ask('/v1/decide', body);
    const { errors } = JSON.parse(text) as { errors: object };
    expect([status, Object.keys(errors).length]).toEqual([422, MANY]);
  }
});

it('many SDK events with fields that are not strings are handled', async () => {
  const path = `/track?client_key=${site.key}`;
  expect(
    (
      await ask(
        path,
        Array.from({ length: 160_000 }, () => ({})),
      )
    ).status,
  ).toBe(413);
  const odd = { toString: 1, valueOf: 1 };
  const deep = JSON.parse(`${'['.repeat(2_000)}${']'.repeat(2_000)}`) as unknown;
  const exposures = [odd, deep, null, true].flatMap((value) =>
    ['hashValue', 'experimentId', 'variationId'].map((name) => ({
      event_name: 'Experiment Viewed',
      properties_json: { hashValue: 'v', experimentId: 'exp-1', variationId: '1', [name]: value },
    })),
  );
  expect(read(await ask(path, exposures))).toMatchObject({ accepted: 0, rejected: exposures.length });
});
