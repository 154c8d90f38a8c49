import { randomBytes } from 'node:crypto';
import { createConnection } from 'mysql2/promise';
import { afterOutage } from '../support/admin';
import { TestApi, World } from '../support/api';
import { engine } from '../support/engine';

/*
 * A database that refuses the server's user is treated like an outage, because an operator can restore the user's
 * access.
 */

const onMysql = engine === 'mysql' ? describe : describe.skip;

onMysql("while the database refuses the server's user", () => {
  const name = `gosset_${randomBytes(4).toString('hex')}`;
  const user = `'${name}'@'%'`;
  const serverUrl = new URL(process.env.TEST_DATABASE_URL ?? 'mysql://root@127.0.0.1:3306/');
  serverUrl.pathname = '/';
  let api: TestApi;
  let world: World;
  let databaseName = '';

  /** Runs statements as an administrator. */
  async function asRoot(...statements: string[]): Promise<void> {
    const connection = await createConnection(serverUrl.href);
    for (const sql of statements) {
      await connection.query(sql);
    }
    await connection.end();
  }

  /** Closes the server's connections, so that it must open new ones. */
  async function disconnect(): Promise<void> {
    const connection = await createConnection(serverUrl.href);
    const [rows] = await connection.query('SELECT id FROM information_schema.processlist WHERE user = ?', [
      name,
    ]);
    for (const { id } of rows as { id: number }[]) {
      await connection.query(`KILL ${id}`).catch(() => undefined);
    }
    await connection.end();
  }

  beforeAll(async () => {
    api = await TestApi.start({}, async (url) => {
      const own = new URL(url);
      databaseName = own.pathname.slice(1);
      await asRoot(
        `CREATE USER ${user} IDENTIFIED BY '${name}'`,
        `GRANT ALL ON \`${databaseName}\`.* TO ${user}`,
      );
      [own.username, own.password] = [name, name];
      return own.href;
    });
    world = await api.world();
  });

  afterAll(async () => {
    await api.close();
    await asRoot(`DROP USER ${user}`);
  });

  it.each([
    ['is locked', () => `ALTER USER ${user} ACCOUNT LOCK`, () => `ALTER USER ${user} ACCOUNT UNLOCK`],
    [
      'has used up its statements for the hour',
      () => `ALTER USER ${user} WITH MAX_QUERIES_PER_HOUR 1`,
      () => `ALTER USER ${user} WITH MAX_QUERIES_PER_HOUR 0`,
    ],
    [
      'has lost its privileges',
      () => `REVOKE ALL ON \`${databaseName}\`.* FROM ${user}`,
      () => `GRANT ALL ON \`${databaseName}\`.* TO ${user}`,
    ],
  ])('because it %s, requests get 503, and they succeed afterwards', async (_, refuse, allow) => {
    const { client } = world.people.admin;
    const create = () => client.post(`${world.project}/pages`, { name: 'Page' });
    expect((await create()).status).toBe(201);
    await asRoot(refuse());
    await disconnect();
    const refused = [await create(), await client.get(`${world.project}/goals`), await create()];
    expect(refused.map(({ status }) => status)).toEqual([503, 503, 503]);
    await asRoot(allow(), 'FLUSH USER_RESOURCES');
    await disconnect();
    expect((await afterOutage(create)).status).toBe(201);
  });
});
