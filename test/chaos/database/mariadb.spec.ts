import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, createConnection } from 'mysql2/promise';
import { TestApi, World } from '../../support/api';
import { describeWith, MariaDb, mariadbd } from '../../support/mariadb';
import { RelayedHost } from '../../support/relayed-host';
import { Made, Maker } from '../../support/scene';
import { ServerProcess } from '../../support/server-process';
import { Traffic } from '../../support/traffic';
import { until } from '../../support/waiting';

const NAME = 'gosset';
const VISITORS = 400;
const CONVERSIONS = 5;
/** The number of visitors in tests in which each batch takes a second or more. */
const FEW_VISITORS = 160;
/** The latency in each direction. A transaction needs several round trips. */
const SLOW_MS = 50;

/** The number of messages of these visitors: one exposure and several conversions each. */
const messagesOf = (visitors: number): number => visitors * (1 + CONVERSIONS);

const LOCKED = ['dirty_visitors', 'experiment_results', 'project_versions'];

/** Locks all rows of these tables. Retries after a deadlock with the server, which can end either transaction. */
async function lockRows(client: Connection): Promise<void> {
  await client.query('START TRANSACTION');
  try {
    for (const table of LOCKED) {
      await client.query(`SELECT * FROM ${table} FOR UPDATE`);
    }
  } catch (error) {
    if ((error as { code?: string }).code !== 'ER_LOCK_DEADLOCK') {
      throw error;
    }
    await lockRows(client);
  }
}

describeWith(mariadbd === undefined ? ['mariadb-server'] : [])('a server with a failing MariaDB', () => {
  let store: MariaDb;
  let api: TestApi;
  let world: World;
  let server: ServerProcess;

  beforeAll(async () => {
    store = await MariaDb.create();
    await store.start();
    await store.query(`CREATE DATABASE ${NAME}`);
    const database = { url: store.url(NAME), remove: () => Promise.resolve() };
    api = await TestApi.start({}, undefined, () => Promise.resolve(database));
    world = await api.world();
    const environment = { DATABASE_URL: store.url(NAME), RATE_LIMIT_PER_MINUTE: '0' };
    server = await (await ServerProcess.spawn(environment)).ready();
  }, 120_000);

  afterAll(async () => {
    server.kill('SIGKILL');
    await api.close();
    await store.remove();
  }, 60_000);

  /**
   * Starts sending messages of visitors in a separate project. Resolves once a third of the messages has been
   * acknowledged.
   */
  async function trafficUnderWay(
    { address } = server,
    visitors = VISITORS,
  ): Promise<{
    sent: Traffic;
    sending: Promise<void>;
    project: string;
  }> {
    const project = `/projects/${await api.project(world.teamId)}`;
    const { client } = world.people.admin;
    const make = new Maker(client, project);
    const goal = await make.goal({ name: 'Sale', value_type: 'revenue' });
    const experiment: Made = await make.withStatus('running', { goals: [goal.id] });
    const { client_key: key } = (await client.get(project)).body as { client_key: string };
    const sent = new Traffic(key, experiment, {
      visitors,
      conversions: CONVERSIONS,
      batch: 20,
      senders: 4,
    });
    const sending = sent.send([address]);
    await until(() => sent.acknowledged.length >= messagesOf(visitors) / 3, 'acknowledged events');
    return { sent, sending, project };
  }

  async function expectAll(sent: Traffic, visitors = VISITORS): Promise<void> {
    const messages = messagesOf(visitors);
    expect(sent.acknowledged).toHaveLength(messages);
    expect(await sent.stored(api)).toEqual({ found: messages, rows: messages });
    expect(await sent.counted(api, world.people.admin.token)).toEqual(sent.expected());
    const unexpected = [...sent.statuses.keys()].filter((status) => ![200, 503].includes(status));
    expect(unexpected).toEqual([]);
  }

  /** Creates a goal, and retries with the same idempotency key until the server responds. */
  async function makeGoal(project: string, key: string): Promise<{ statuses: number[]; id: number }> {
    const statuses: number[] = [];
    for (;;) {
      const answer = await fetch(`${server.address}/api${project}/goals`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${world.people.admin.token}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify({ name: 'Made under pressure' }),
      });
      statuses.push(answer.status);
      if (answer.status === 201) {
        return { statuses, id: ((await answer.json()) as Made).id };
      }
      expect(answer.headers.get('retry-after')).not.toBeNull();
      await answer.arrayBuffer();
      await sleep(200);
    }
  }

  /**
   * The number of created goals. Retries on 503, because the application in the test process can still have broken
   * connections.
   */
  async function goalsMade(project: string): Promise<number> {
    for (;;) {
      const { status, body } = await world.people.admin.client.get(`${project}/goals?search=pressure`);
      if (status === 200) {
        return (body as Made[]).length;
      }
      expect(status).toBe(503);
      await sleep(200);
    }
  }

  it('that is killed loses no events and creates no duplicates', async () => {
    const { sent, sending, project } = await trafficUnderWay();
    const making = makeGoal(project, 'killed');
    await store.kill();
    await sleep(500);
    const during = await fetch(`${server.address}/health/ready`);
    expect(during.status).toBe(503);
    await store.start();
    const { statuses } = await making;
    expect(new Set([...statuses, 201, 409, 503])).toEqual(new Set([201, 409, 503]));
    expect(await goalsMade(project)).toBe(1);
    await sending;
    await expectAll(sent);
  }, 120_000);

  it('that is stopped for a while loses no events, and causes status 503 in the meantime', async () => {
    const { sent, sending, project } = await trafficUnderWay();
    store.signal('SIGSTOP');
    const making = makeGoal(project, 'stopped');
    expect((await fetch(`${server.address}/health/ready`)).status).toBe(503);
    await until(() => sent.statuses.has(503), 'a refused event');
    store.signal('SIGCONT');
    await making;
    expect(await goalsMade(project)).toBe(1);
    await sending;
    await expectAll(sent);
  }, 120_000);

  it('that is locked by another client loses no events', async () => {
    const { sent, sending, project } = await trafficUnderWay();
    const other = await createConnection(store.url(NAME));
    await lockRows(other);
    const making = makeGoal(project, 'locked');
    await sleep(3_000);
    await other.query('ROLLBACK');
    await other.end();
    await making;
    expect(await goalsMade(project)).toBe(1);
    await sending;
    await expectAll(sent);
  }, 120_000);

  it('that responds slowly loses no events', async () => {
    const host = await new RelayedHost({ host: '127.0.0.1', port: store.port }).open();
    const far = await ServerProcess.spawn({ DATABASE_URL: `mysql://root@127.0.0.1:${host.port}/${NAME}` });
    await far.ready();
    const { sent, sending } = await trafficUnderWay(far, FEW_VISITORS);
    host.delayMs = SLOW_MS;
    await sending;
    await expectAll(sent, FEW_VISITORS);
    far.kill('SIGTERM');
    expect(await far.exit).toBe(0);
    await host.close();
    expect(far.logLines().filter(({ status }) => status === 500)).toEqual([]);
  }, 120_000);

  it('never causes status 500, and its failures are logged at most once per second', () => {
    const lines = server.logLines();
    expect(lines.filter(({ status }) => status === 500)).toEqual([]);
    const errors = lines.filter(({ level }) => level === 50);
    const seconds = new Set(errors.map(({ time }) => Math.floor(Number(time) / 1_000)));
    expect(errors.length).toBeLessThanOrEqual(2 * seconds.size);
    expect(errors.length).toBeGreaterThan(0);
  });
});
