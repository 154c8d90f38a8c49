import { TestApi, World } from './api';
import { GaleraCluster } from './galera';
import { Made, Maker } from './scene';
import { ServerProcess } from './server-process';
import { migrate } from './template';
import type { Traffic } from './traffic';

/** The name of the database on the cluster. */
export const NAME = 'gosset';

/** A running experiment in a separate project, with a goal named Sale that has values. */
export interface ClusterExperiment {
  projectId: number;
  clientKey: string;
  experiment: Made;
}

/**
 * Two servers, each of which prefers a different node of a three-node cluster. A third server in this process prefers
 * the third node.
 */
export class GaleraStage {
  cluster: GaleraCluster;
  api: TestApi;
  world: World;
  servers: ServerProcess[] = [];

  async start(): Promise<void> {
    this.cluster = await GaleraCluster.start(async (first) => {
      await first.query(`CREATE DATABASE ${NAME}`);
      await migrate(first.url(NAME));
    });
    this.api = await this.apiOn(2);
    this.world = await this.api.world();
    this.servers = await Promise.all([this.serverOn(0), this.serverOn(1)]);
  }

  async stop(): Promise<void> {
    this.servers.forEach((server) => server.kill('SIGKILL'));
    await this.api.close();
    await this.cluster.remove();
  }

  addresses(): string[] {
    return this.servers.map(({ address }) => address);
  }

  async experiment(): Promise<ClusterExperiment> {
    const projectId = await this.api.project(this.world.teamId);
    const { client } = this.world.people.admin;
    const make = new Maker(client, `/projects/${projectId}`);
    const goal = await make.goal({ name: 'Sale', value_type: 'revenue' });
    const experiment = await make.withStatus('running', { goals: [goal.id] });
    const { client_key: clientKey } = (await client.get(make.project)).body as { client_key: string };
    return { projectId, clientKey, experiment };
  }

  /** Asserts that all events are acknowledged, stored and counted once. @param events their number */
  async expectAll(sent: Traffic, events: number): Promise<void> {
    expect(sent.acknowledged).toHaveLength(events);
    expect(await sent.stored(this.api)).toEqual({ found: events, rows: events });
    expect(await sent.counted(this.api, this.world.people.admin.token)).toEqual(sent.expected());
    const unexpected = [...sent.statuses.keys()].filter((status) => ![200, 503, 0].includes(status));
    expect(unexpected).toEqual([]);
  }

  /** Starts a server in this process that prefers this node. */
  apiOn(node: number): Promise<TestApi> {
    const store = { url: this.urlOn(node), remove: () => Promise.resolve() };
    return TestApi.start({}, undefined, () => Promise.resolve(store));
  }

  /** Restarts one of the two servers with other settings. Its address changes. */
  async restart(server: number, environment: Record<string, string> = {}): Promise<void> {
    this.servers[server].kill('SIGTERM');
    await this.servers[server].exit;
    this.servers[server] = await this.serverOn(server, environment);
  }

  /** The value of `DATABASE_URL`: this node first, then all other nodes. */
  urlOn(node: number): string {
    const { nodes } = this.cluster;
    return this.cluster.url(NAME, [nodes[node], ...nodes.filter((_, index) => index !== node)]);
  }

  private async serverOn(node: number, environment: Record<string, string> = {}): Promise<ServerProcess> {
    const common = { DATABASE_URL: this.urlOn(node), RATE_LIMIT_PER_MINUTE: '0' };
    return (await ServerProcess.spawn({ ...common, ...environment })).ready();
  }
}

/** Starts the cluster and its servers before the tests of a file, and stops them afterwards. */
export function useGalera(): GaleraStage {
  const stage = new GaleraStage();
  beforeAll(() => stage.start(), 180_000);
  afterAll(() => stage.stop(), 60_000);
  return stage;
}
