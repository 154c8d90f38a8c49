import { TestApi, World } from '../../support/api';
import { GaleraCluster, missingForGalera } from '../../support/galera';
import { describeWith } from '../../support/mariadb';
import { Made, Maker } from '../../support/scene';
import { ServerProcess } from '../../support/server-process';
import { Traffic } from '../../support/traffic';

const NAME = 'gosset';

describeWith(missingForGalera)('two servers on two nodes of a cluster', () => {
  let cluster: GaleraCluster;
  let api: TestApi;
  let world: World;
  let servers: ServerProcess[] = [];

  beforeAll(async () => {
    cluster = await GaleraCluster.start();
    const [first, second, third] = cluster.nodes;
    await first.query(`CREATE DATABASE ${NAME}`);
    const store = { url: cluster.url(NAME, [third, first, second]), remove: () => Promise.resolve() };
    api = await TestApi.start({}, undefined, () => Promise.resolve(store));
    world = await api.world();
    servers = [await serverOn([first, second, third]), await serverOn([second, first, third])];
  }, 180_000);

  afterAll(async () => {
    servers.forEach((server) => server.kill('SIGKILL'));
    await api.close();
    await cluster.remove();
  }, 60_000);

  /** @param nodes in the order in which the server tries them */
  async function serverOn(nodes: GaleraCluster['nodes']): Promise<ServerProcess> {
    const environment = { DATABASE_URL: cluster.url(NAME, nodes), RATE_LIMIT_PER_MINUTE: '0' };
    return (await ServerProcess.spawn(environment)).ready();
  }

  const addresses = (): string[] => servers.map(({ address }) => address);

  /** Visitors of a running experiment in a project of its own. */
  async function traffic(visitors: number): Promise<Traffic> {
    const projectId = await api.project(world.teamId);
    const { client } = world.people.admin;
    const make = new Maker(client, `/projects/${projectId}`);
    const goal = await make.goal({ name: 'Sale', value_type: 'revenue' });
    const experiment: Made = await make.withStatus('running', { goals: [goal.id] });
    const { client_key: key } = (await client.get(make.project)).body as { client_key: string };
    return new Traffic(key, experiment, { visitors, conversions: 5, batch: 20, senders: 6 });
  }

  /** Acknowledged = stored = counted once. */
  async function expectAll(sent: Traffic, visitors: number): Promise<void> {
    const messages = visitors * 6;
    expect(sent.acknowledged).toHaveLength(messages);
    expect(await sent.stored(api)).toEqual({ found: messages, rows: messages });
    expect(await sent.counted(api, world.people.admin.token)).toEqual(sent.expected());
    const unexpected = [...sent.statuses.keys()].filter((status) => ![200, 503, 0].includes(status));
    expect(unexpected).toEqual([]);
  }

  it('count every acknowledged message of the same visitors once', async () => {
    const sent = await traffic(1_500);
    await sent.send(addresses());
    await expectAll(sent, 1_500);
    expect([...sent.statuses.keys()]).toEqual([200]);
  }, 120_000);

  it('show what the other one has just stored, and take writes at the same time', async () => {
    const project = `/api/projects/${await api.project(world.teamId)}`;
    const headers = {
      authorization: `Bearer ${world.people.admin.token}`,
      'content-type': 'application/json',
    };
    const call = async (server: number, method: string, path: string, body?: object) => {
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      const answer = await fetch(`${servers[server].address}${path}`, init);
      return { status: answer.status, body: (await answer.json()) as Made & Made[] };
    };
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        call(index % 2, 'POST', `${project}/goals`, { name: 'Same', api_name: `goal-${index >> 1}` }),
      ),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([...Array(15).fill(201), ...Array(15).fill(422)]);
    const [goal] = made.filter(({ status }) => status === 201);
    for (let round = 0; round < 10; round += 1) {
      const path = `${project}/goals/${goal.body.id}`;
      expect((await call(round % 2, 'PATCH', path, { name: `Round ${round}` })).status).toBe(200);
      expect((await call((round + 1) % 2, 'GET', path)).body.name).toBe(`Round ${round}`);
    }
    const patches = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        call(index % 2, 'PATCH', `${project}/goals/${goal.body.id}`, { description: `Text ${index}` }),
      ),
    );
    expect(new Set(patches.map(({ status }) => status))).toEqual(new Set([200]));
    const lists = await Promise.all([0, 1].map((server) => call(server, 'GET', `${project}/goals`)));
    expect(lists[0].body).toHaveLength(15);
    expect(lists[1].body).toEqual(lists[0].body);
  }, 60_000);

  it('lose nothing when a node is killed', async () => {
    const sent = await traffic(1_500);
    const sending = sent.send(addresses());
    while (sent.acknowledged.length < 1_500) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await cluster.nodes[0].kill();
    await sending;
    await expectAll(sent, 1_500);
  }, 120_000);

  it('are not ready without a quorum, and lose nothing when it is back', async () => {
    const survivor = cluster.nodes[2];
    const sent = await traffic(600);
    const sending = sent.send(addresses());
    while (sent.acknowledged.length < 600) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await cluster.nodes[1].kill();
    await survivor.until("SHOW STATUS LIKE 'wsrep_cluster_status'", ([row]) => row?.Value === 'non-Primary');
    for (const address of addresses()) {
      expect((await fetch(`${address}/health/ready`)).status).toBe(503);
      expect((await fetch(`${address}/health/live`)).status).toBe(200);
    }
    await cluster.bootstrap(survivor);
    await sending;
    await expectAll(sent, 600);
    await cluster.join(cluster.nodes[0]);
    expect(await cluster.nodes[0].query(`SELECT COUNT(*) AS marks FROM ${NAME}.dirty_visitors`)).toEqual([
      { marks: 0 },
    ]);
  }, 180_000);

  it('say in the log what happened once a second, and nothing unexpected', () => {
    for (const server of servers) {
      const errors = server.logLines().filter(({ level }) => level === 50);
      const seconds = new Set(errors.map(({ time }) => Math.floor(Number(time) / 1_000)));
      expect(errors.length).toBeLessThanOrEqual(2 * seconds.size);
      const statuses = server.logLines().map(({ status }) => status);
      expect(statuses.filter((status) => status === 500)).toEqual([]);
    }
  });
});
