import { existsSync } from 'node:fs';
import { freePort } from './server-process';
import { MariaDb, mariadbd } from './mariadb';

const PROVIDERS = ['/usr/lib/galera/libgalera_smm.so', '/usr/lib64/galera-4/libgalera_smm.so'];
const provider = PROVIDERS.find(existsSync);

/** The packages that a cluster needs but that are not installed. */
export const missingForGalera: readonly string[] = [
  ...(mariadbd === undefined ? ['mariadb-server'] : []),
  ...(provider === undefined ? ['galera-4'] : []),
  ...(existsSync('/usr/bin/rsync') ? [] : ['rsync']),
];

const SYNCED = "SHOW STATUS LIKE 'wsrep_local_state_comment'";
const isSynced = ([row]: Record<string, unknown>[]): boolean => row?.Value === 'Synced';

/** A Galera cluster of three nodes on the loopback address. */
export class GaleraCluster {
  private constructor(readonly nodes: readonly MariaDb[]) {}

  /**
   * Starts all nodes, and waits until they form a cluster.
   * @param prepare fills the first node; the other nodes replicate its data
   */
  static async start(prepare: (first: MariaDb) => Promise<void>): Promise<GaleraCluster> {
    const ports: number[] = [];
    while (ports.length < 9) {
      ports.push(await freePort());
    }
    const groups = [0, 1, 2].map((node) => ports.slice(node * 3, node * 3 + 3));
    const address = `gcomm://${groups.map(([group]) => `127.0.0.1:${group}`).join(',')}`;
    const nodes = await Promise.all(
      groups.map((own, index) => MariaDb.create(optionsOf(own, address, index))),
    );
    const cluster = new GaleraCluster(nodes);
    await nodes[0].start('--wsrep-new-cluster');
    await nodes[0].until(SYNCED, isSynced);
    await prepare(nodes[0]);
    for (const node of nodes.slice(1)) {
      await cluster.join(node);
    }
    return cluster;
  }

  /** Starts a node, and waits until it has joined the cluster. */
  async join(node: MariaDb): Promise<void> {
    await node.start();
    await node.until(SYNCED, isSynced);
  }

  /** Bootstraps a new primary component from this node, as an operator does when the other nodes are lost. */
  async bootstrap(node: MariaDb): Promise<void> {
    await node.until("SHOW STATUS LIKE 'wsrep_cluster_status'", ([row]) => row?.Value === 'non-Primary');
    await node.query("SET GLOBAL wsrep_provider_options = 'pc.bootstrap=YES'");
    await node.until(SYNCED, isSynced);
  }

  /** The value of `DATABASE_URL`, with the nodes in the order in which they are tried. */
  url(name: string, nodes: readonly MariaDb[] = this.nodes): string {
    return `mysql://root@${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${name}`;
  }

  async remove(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.remove()));
  }
}

function optionsOf([group, transfer, increment]: number[], address: string, index: number): string[] {
  const providerOptions = [
    `gmcast.listen_addr=tcp://127.0.0.1:${group}`,
    `ist.recv_addr=tcp://127.0.0.1:${increment}`,
    `ist.recv_bind=tcp://127.0.0.1:${increment}`,
    'evs.keepalive_period=PT1S',
    'evs.suspect_timeout=PT3S',
    'evs.inactive_timeout=PT6S',
    'evs.install_timeout=PT6S',
    'gcache.size=64M',
  ];
  return [
    '--wsrep-on=ON',
    `--wsrep-provider=${provider}`,
    `--wsrep-cluster-address=${address}`,
    '--wsrep-cluster-name=gosset-test',
    `--wsrep-node-name=node-${index}`,
    `--wsrep-node-address=127.0.0.1:${group}`,
    '--wsrep-sst-method=rsync',
    `--wsrep-sst-receive-address=127.0.0.1:${transfer}`,
    `--wsrep-provider-options=${providerOptions.join(';')}`,
    '--binlog-format=ROW',
    '--innodb-autoinc-lock-mode=2',
    '--default-storage-engine=InnoDB',
  ];
}
