import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { TestApi } from '../support/api';
import { Visitor } from '../support/visitor';
import { eventually } from '../support/waiting';

/* Load shedding, tested with a blocked event loop. */

const NOBODY_WAKES = new Int32Array(new SharedArrayBuffer(4));

/** Blocks the event loop without using the CPU, which concurrent tests need. */
function block(ms: number): void {
  Atomics.wait(NOBODY_WAKES, 0, 0, ms);
}

const DEADLINE_MS = 30_000;

type Answer = Awaited<ReturnType<TestApi['app']['inject']>>;

/** Blocks the event loop repeatedly, until a response meets the condition or the deadline passes. */
async function whileBlocked(
  ask: () => Promise<Answer>,
  isWanted: (answer: Answer) => boolean,
): Promise<Answer> {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    const asked = ask();
    block(200);
    await nextTurn();
    const answer = await asked;
    if (isWanted(answer) || performance.now() > deadline) {
      return answer;
    }
  }
}

describe('a server with a high event loop delay', () => {
  let api: TestApi;
  let project: string;
  let key: string;
  let token: string;
  beforeAll(async () => {
    api = await TestApi.start({ MAX_EVENT_LOOP_DELAY_MS: '100', TRUST_PROXY: '127.0.0.1' });
    const world = await api.world();
    const { people } = world;
    project = world.project;
    token = people.admin.token;
    key = (await people.admin.client.get(project)).body.client_key as string;
  });
  afterAll(() => api.close());

  const get = (url: string, headers: Record<string, string> = {}): Promise<Answer> =>
    api.app.inject({ url, headers: { authorization: `Bearer ${token}`, ...headers } });
  const whenCalm = async (url: string): Promise<Answer> => {
    await eventually(async () => (await get(url)).statusCode !== 503);
    return get(url);
  };
  const isRefused = ({ statusCode }: Answer): boolean => statusCode === 503;

  it('rejects API requests with Retry-After, and recovers when the delay is over', async () => {
    const refused = await whileBlocked(() => get('/api/teams'), isRefused);
    expect([refused.statusCode, refused.json(), refused.headers['retry-after']]).toEqual([
      503,
      { message: 'Service Unavailable', code: 'OVERLOADED' },
      '2',
    ]);
    expect(refused.headers).toMatchObject({
      'x-request-id': expect.any(String),
      'x-content-type-options': 'nosniff',
    });
    expect((await whenCalm('/api/teams')).statusCode).toBe(200);
  });

  it('does not execute rejected requests', async () => {
    const answers: Answer[] = [];
    const create = async (): Promise<Answer> => {
      const headers = { authorization: `Bearer ${token}` };
      const payload = { name: `Goal ${answers.length}` };
      const answer = await api.app.inject({ method: 'POST', url: `/api${project}/goals`, headers, payload });
      answers.push(answer);
      return answer;
    };
    expect((await whileBlocked(create, isRefused)).statusCode).toBe(503);
    const made = answers.filter(({ statusCode }) => statusCode === 201).map((answer) => answer.json().name);
    const list = (await whenCalm(`/api${project}/goals`)).json<{ name: string }[]>();
    expect(list.map(({ name }) => name)).toEqual(made);
  });

  it('shows an error page in browsers', async () => {
    const refused = await whileBlocked(() => get('/login', { accept: 'text/html' }), isRefused);
    expect([refused.statusCode, refused.headers['content-type'], refused.headers['retry-after']]).toEqual([
      503,
      'text/html; charset=utf-8',
      '2',
    ]);
    expect(refused.payload).toContain('The server is busy');
    expect(refused.payload).not.toContain('Reload');
    const send = (): Promise<Answer> =>
      api.app.inject({ method: 'POST', url: '/login', headers: { accept: 'text/html' } });
    expect((await whileBlocked(send, isRefused)).payload).toContain('Reload this page in a moment');
  });

  it('continues collection, delivery and health checks', async () => {
    expect((await whileBlocked(() => get('/api/teams'), isRefused)).statusCode).toBe(503);
    const collect = (): Promise<Answer> =>
      api.app.inject({
        method: 'POST',
        url: '/v1/batch',
        payload: {
          writeKey: key,
          batch: [{ type: 'track', event: 'none', anonymousId: 'a', messageId: 'm' }],
        },
      });
    const deliver = (): Promise<Answer> => get(`/s/${key}.js`);
    const asked = { collect, deliver, live: () => get('/health/live'), ready: () => get('/health/ready') };
    for (const [name, ask] of Object.entries(asked)) {
      // API requests are rejected both before and after, so the delay was high throughout.
      expect((await whileBlocked(() => get('/api/teams'), isRefused)).statusCode).toBe(503);
      expect([name, (await ask()).statusCode]).toEqual([name, 200]);
      expect((await whileBlocked(() => get('/api/teams'), isRefused)).statusCode).toBe(503);
    }
  });
});

it('a server does not reject requests after a single long task', async () => {
  const api = await TestApi.start({ MAX_EVENT_LOOP_DELAY_MS: '1000' });
  for (let turn = 0; turn < 3; turn += 1) {
    block(2_500);
    await nextTurn();
    expect((await new Visitor(api).get('/login')).status).toBe(200);
    await sleep(1_500);
  }
  await api.close();
});
