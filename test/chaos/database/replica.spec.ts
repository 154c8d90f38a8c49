import { MysqlEnd } from '../../../src/database/copy/mysql-end';
import { describeWith, MariaDb, mariadbd } from '../../support/mariadb';

/* After a failover, the first of several database hosts can be a replica, which may lag behind. */

describeWith(mariadbd === undefined ? ['mariadb-server'] : [])('db:copy and db:after-restore', () => {
  let servers: MariaDb[] = [];

  beforeAll(async () => {
    servers = await Promise.all([MariaDb.create(), MariaDb.create()]);
    await Promise.all(servers.map((server) => server.start()));
    await Promise.all(servers.map((server) => server.query('CREATE DATABASE shop')));
    await servers[0].query('SET GLOBAL read_only = 1');
  }, 120_000);
  afterAll(() => Promise.all(servers.map((server) => server.remove())), 60_000);

  /** The name of the host that is used with this URL. */
  async function usedHost(hosts: readonly MariaDb[]): Promise<string> {
    const end = await MysqlEnd.connect(
      `mysql://root@${hosts.map(({ port }) => `127.0.0.1:${port}`).join(',')}/shop`,
    );
    await end.close();
    return end.name;
  }

  it('use the first host that is not a replica, as the server does', async () => {
    expect(await usedHost(servers)).toBe(`shop on 127.0.0.1:${servers[1].port}`);
  });

  it('can use a replica if it is the only host, for example to copy from it', async () => {
    expect(await usedHost(servers.slice(0, 1))).toBe(`shop on 127.0.0.1:${servers[0].port}`);
  });

  it('do not use a replica if the primary does not respond', async () => {
    await servers[1].kill();
    const url = `mysql://root@${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}/shop`;
    await expect(MysqlEnd.connect(url)).rejects.toThrow('ECONNREFUSED');
  });
});
