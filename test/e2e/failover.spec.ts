import { setTimeout } from 'node:timers/promises';
import type { PoolConnection } from 'mysql2';
import { HostPools } from '../../src/database/host-pools';
import { HostProbes } from '../../src/database/host-probes';
import { sessionSettings } from '../../src/database/mysql-server';
import { TestApi, World } from '../support/api';
import { engine } from '../support/engine';
import { RelayedHost } from '../support/relayed-host';

(engine === 'mysql' ? describe : describe.skip)('a database with several hosts', () => {
  let api: TestApi;
  let world: World;
  let hosts: RelayedHost[];
  let credentials: { user: string; password: string };

  beforeAll(async () => {
    api = await TestApi.start({}, async (url) => {
      const target = new URL(url);
      const place = { host: target.hostname, port: Number(target.port || 3306) };
      hosts = await Promise.all([0, 1].map(() => new RelayedHost(place).open()));
      credentials = { user: target.username, password: target.password };
      return `mysql://${target.username}:${target.password}@${hosts.map(({ port }) => `127.0.0.1:${port}`).join(',')}${target.pathname}`;
    });
    world = await api.world();
  });

  afterAll(async () => {
    await api.close();
    await Promise.all(hosts.map((host) => host.close()));
  });

  /** Creates goals until one succeeds. @returns the other statuses */
  async function makeOne(): Promise<number[]> {
    const others: number[] = [];
    for (;;) {
      const { status } = await world.people.admin.client.post(`${world.project}/goals`, { name: 'Goal' });
      if (status === 201) {
        return others;
      }
      others.push(status);
    }
  }

  /** Waits until the server is ready, because connecting takes a moment on a busy machine. */
  async function becomeReady(): Promise<void> {
    while ((await api.as(null).get('//health/ready')).status !== 200) {
      await setTimeout(50);
    }
  }

  it('immediately connects to the next host if one refuses', async () => {
    const refusing = await new RelayedHost({ host: '127.0.0.1', port: hosts[0].port }).open();
    await refusing.close();
    const urls = [refusing, hosts[0]].map(({ port }) => `mysql://127.0.0.1:${port}`);
    const pools = new HostPools(urls, credentials, {
      flavour: 'mariadb',
      statements: [],
      probe: 'SELECT 1',
      idleMs: 1_000,
    });
    const error = await new Promise((resolve) => pools.getConnection(resolve));
    await new Promise((resolve) => pools.end(resolve));
    expect(error).toBeNull();
  });

  it('uses the next host if the first one refuses connections', async () => {
    await hosts[0].close();
    expect(new Set([...(await makeOne()), 503])).toEqual(new Set([503]));
    await becomeReady();
  });

  it('returns to the first host when the second stops responding, and completes waiting requests', async () => {
    await hosts[0].open();
    hosts[1].fallSilent();
    const waiting = await Promise.all([makeOne(), makeOne(), makeOne()]);
    expect(new Set([...waiting.flat(), 503])).toEqual(new Set([503]));
    await becomeReady();
  });
});

(engine === 'mysql' ? describe : describe.skip)('a connection that no longer responds', () => {
  let api: TestApi;
  let world: World;
  let host: RelayedHost;
  let pools: HostPools;

  beforeAll(async () => {
    api = await TestApi.start({}, async (url) => {
      const { hostname, port, username: user, password, pathname } = new URL(url);
      host = await new RelayedHost({ host: hostname, port: Number(port || 3306) }).open();
      const options = { user, password, database: pathname.slice(1) };
      pools = new HostPools([url], options, sessionSettings({ flavour: 'mariadb', isNode: false }));
      return `mysql://${user}:${password}@127.0.0.1:${host.port}${pathname}`;
    });
    world = await api.world();
  });

  afterAll(async () => {
    await api.close();
    await new Promise((resolve) => pools.end(resolve));
    await host.close();
  });

  const make = (name: string): Promise<{ status: number }> =>
    world.people.admin.client.post(`${world.project}/goals`, { name });

  const take = (from = pools): Promise<PoolConnection> =>
    new Promise((resolve, reject) => {
      from.getConnection((error, connection) =>
        connection === undefined ? reject(error ?? new Error('none')) : resolve(connection),
      );
    });

  it.each(['INSERT INTO goals', 'COMMIT'])('fails, and its locks are released: %s', async (statement) => {
    host.loseConnectionOf(statement);
    expect((await make('Lost')).status).toBe(503);
    expect((await make(`After ${statement}`)).status).toBe(201);
  });

  it('does not include one that is executing a long statement', async () => {
    const connection = await take();
    const [rows] = await connection.promise().query('SELECT SLEEP(9) AS woken');
    connection.release();
    expect(rows).toEqual([{ woken: 0 }]);
  });

  it('is closed if it is unused for a while, before the server closes it', async () => {
    const { username: user, password, hostname, port } = new URL(api.databaseUrl);
    const short = { ...sessionSettings({ flavour: 'mariadb', isNode: false }), idleMs: 1_000 };
    const own = new HostPools([`mysql://${hostname}:${port || '3306'}`], { user, password }, short);
    (await take(own)).release();
    expect(own.load()).toMatchObject({ busy: 0, idle: 1 });
    while (own.load().idle > 0) {
      await setTimeout(100);
    }
    await new Promise((resolve) => own.end(resolve));
  });

  it('is not closed because of an outage that was over before it was opened', async () => {
    const { username: user, password, hostname, port } = new URL(api.databaseUrl);
    const relay = await new RelayedHost({ host: hostname, port: Number(port || 3306) }).open();
    const probes = new HostProbes([{ host: '127.0.0.1', port: relay.port, user, password }], 'SELECT 1');
    const settings = sessionSettings({ flavour: 'mariadb', isNode: false });
    const own = new HostPools([`mysql://127.0.0.1:${relay.port}`], { user, password }, settings, probes);
    try {
      await new Promise<void>((resolve) => probes.onAlive(() => resolve()));
      await relay.close();
      await relay.open();
      const connection = await take(own);
      // Lasts longer than the time between two probes, the next of which finds its connection closed.
      const [rows] = await connection.promise().query('SELECT SLEEP(3) AS woken');
      expect(rows).toEqual([{ woken: 0 }]);
      connection.release();
    } finally {
      await new Promise((resolve) => own.end(resolve));
      await relay.close();
    }
  });

  it('loses its transaction if its process is gone', async () => {
    const [stopped, other] = [await take(), await take()];
    const lock = 'UPDATE project_versions SET lock_version = lock_version + 1 WHERE project_id = ?';
    const id = Number(world.project.split('/').at(-1));
    await stopped.promise().query('START TRANSACTION');
    await stopped.promise().query(lock, [id]);
    const isRefused = async (): Promise<boolean> => {
      try {
        await other.promise().query(lock, [id]);
        return false;
      } catch (error) {
        return (error as NodeJS.ErrnoException).code === 'ER_LOCK_WAIT_TIMEOUT';
      }
    };
    expect(await isRefused()).toBe(true);
    while (await isRefused()) {
      // The server ends the session of the first connection after a while.
    }
    other.release();
    await expect(stopped.promise().query('COMMIT')).rejects.toThrow();
    stopped.destroy();
  }, 120_000);
});
