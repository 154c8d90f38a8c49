import { createServer, connect, Server, Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { loadSqliteDriver } from '../../src/database/sqlite-driver';
import { afterOutage } from '../support/admin';
import { TestApi, World } from '../support/api';
import { engine } from '../support/engine';
import { hiddenFields, signedIn, withPassword } from '../support/visitor';

/** Makes the database unreachable for the server, then reachable again. */
interface Outage {
  databaseUrl: string;
  begin(): Promise<void>;
  end(): Promise<void>;
}

/** A proxy between the server and MySQL that can be disconnected. */
async function cutMysql(url: string): Promise<Outage> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const relay = (client: Socket): void => {
    const upstream = connect(Number(target.port || 3306), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => sockets.delete(from));
    }
  };
  let server: Server = createServer(relay);
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const relayed = new URL(url);
  relayed.hostname = '127.0.0.1';
  relayed.port = String(port);
  const cut = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      sockets.forEach((socket) => socket.destroy());
    });
  return {
    databaseUrl: relayed.href,
    begin: cut,
    end: async () => {
      server = createServer(relay);
      await listen(port);
    },
  };
}

/** Locks the database file, as another process would. */
function lockSqlite(url: string): Outage {
  const Driver = loadSqliteDriver();
  let holder: InstanceType<typeof Driver> | undefined;
  return {
    databaseUrl: url,
    begin: () => {
      holder = new Driver(url.replace('sqlite:', ''));
      holder.exec('BEGIN EXCLUSIVE');
      return Promise.resolve();
    },
    end: () => {
      holder?.exec('ROLLBACK');
      holder?.close();
      return Promise.resolve();
    },
  };
}

describe('while the database is unreachable', () => {
  let api: TestApi;
  let world: World;
  let outage: Outage;

  beforeAll(async () => {
    api = await TestApi.start({}, async (url) => {
      outage = engine === 'mysql' ? await cutMysql(url) : lockSqlite(url);
      return outage.databaseUrl;
    });
    world = await api.world();
  });

  afterAll(async () => {
    await api.close();
    await (engine === 'mysql' ? outage.begin() : Promise.resolve());
  });

  it('writes get 503 with Retry-After, and recover automatically afterwards', async () => {
    const { client } = world.people.admin;
    const create = () => client.post(`${world.project}/pages`, { name: 'Page' });
    expect((await create()).status).toBe(201);
    await outage.begin();
    const refused = await create();
    expect(refused.status).toBe(503);
    expect(refused.body).toEqual({ message: 'Service Unavailable', code: 'UNAVAILABLE' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    // SQLite readers can continue while another process writes.
    const ready = await client.get('//health/ready');
    expect(ready.status).toBe(engine === 'mysql' ? 503 : 200);
    expect(ready.body.details.database.status).toBe(engine === 'mysql' ? 'down' : 'up');
    expect((await client.get(`${world.project}/goals`)).status).toBe(engine === 'mysql' ? 503 : 200);
    await outage.end();
    expect((await afterOutage(create)).status).toBe(201);
    expect((await client.get(`${world.project}/pages`)).body).toHaveLength(2);
  });

  it('forms keep their input, and can be submitted again afterwards', async () => {
    const { visitor } = await signedIn(api, await withPassword(api, world.people.admin));
    const form = `${world.project}/goals/new/`;
    const { text } = await visitor.get(form);
    const fields = { ...hiddenFields(text), name: 'Typed before the outage', type: 'custom' };
    await outage.begin();
    const refused = await visitor.post(form, fields);
    expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([503, true]);
    expect(refused.text).toContain('value="Typed before the outage"');
    await outage.end();
    const again = { ...fields, ...hiddenFields(refused.text) };
    expect((await afterOutage(() => visitor.post(form, again))).status).toBe(303);
    const goals = (await world.people.admin.client.get(`${world.project}/goals`)).body as { name: string }[];
    expect(goals.filter(({ name }) => name === fields.name)).toHaveLength(1);
  });
});
