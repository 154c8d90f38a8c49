import { randomBytes } from 'node:crypto';
import { TestApi, type World } from '../../support/api';
import { readyExperiment } from '../../support/builders';
import { newSite } from '../../support/delivery';
import { attributeAll, exposure, send, storedEvents } from '../../support/events';
import { MysqlEnd } from '../../../src/database/copy/mysql-end';
import { migrations } from '../../../src/database/migrations';
import { packetWarning } from '../../../src/database/packet-size';
import { describeWith, MariaDb, mariadbd } from '../../support/mariadb';
import type { Scene } from '../../support/scene';
import { until } from '../../support/waiting';

/* Database servers are often shared with other programs, which can require other settings. */

const NAME = "Ann's \\' shop";
/** With NO_BACKSLASH_ESCAPES, the second id would end the string early if it were escaped with backslashes. */
const VISITORS = ["o'brien", "\\' OR 1=1 -- x", 'a\\', '"quoted"'];

describeWith(mariadbd === undefined ? ['mariadb-server'] : [])('a database server', () => {
  let server: MariaDb;

  beforeAll(async () => {
    server = await MariaDb.create();
    await server.start();
  }, 120_000);
  afterAll(() => server.remove(), 60_000);

  it.each([
    ['NO_BACKSLASH_ESCAPES', 'first'],
    ['ANSI', 'second'],
    ['', 'third'],
  ])(
    'with the SQL mode "%s" stores text unchanged',
    async (mode, name) => {
      await server.query(`SET GLOBAL sql_mode = '${mode}'`);
      await server.query(`CREATE DATABASE ${name}`);
      const api = await TestApi.start({}, () => Promise.resolve(server.url(name)));
      const world: World = await api.world();
      const { client } = world.people.admin;
      const scene = { api, world, client, project: world.project } as Scene;
      const site = await newSite(scene);
      expect((await client.patch(site.make.project, { name: NAME })).body).toMatchObject({ name: NAME });
      const { id, variations } = await site.make.withStatus('running');
      const { body } = await send(
        api,
        site.key,
        VISITORS.map((visitor) => exposure(visitor, id, variations[0].id)),
      );
      expect(body).toMatchObject({ accepted: VISITORS.length, rejected: 0 });
      await attributeAll(api);
      expect((await storedEvents(api)).map(({ visitor_id }) => visitor_id).sort()).toEqual(
        [...VISITORS].sort(),
      );
      await api.close();
    },
    120_000,
  );

  it('without autocommit and with a different character set stores text and shows changes to all processes', async () => {
    await server.kill();
    await server.start(
      '--autocommit=0',
      '--skip-character-set-client-handshake',
      '--character-set-server=utf8mb3',
    );
    await server.query('CREATE DATABASE fourth CHARACTER SET utf8mb4');
    const url = server.url('fourth');
    const api = await TestApi.start({}, () => Promise.resolve(url));
    const world: World = await api.world();
    const scene = { api, world, client: world.people.admin.client, project: world.project } as Scene;
    const site = await newSite(scene);
    const name = 'Caf\u00e9 \u{1f600}';
    expect((await scene.client.patch(site.make.project, { name })).body).toMatchObject({ name });
    expect(await server.query('SELECT COUNT(*) AS count FROM fourth.migrations')).toEqual([
      { count: migrations.length },
    ]);
    const experiment = await site.make.withStatus('running');
    const sibling = await api.sibling({ DATABASE_URL: url });
    const decided = async (): Promise<object> => {
      const visitor = { user: { id: 'visitor-1' }, record: false };
      const { body } = await sibling
        .as(null)
        .post('//v1/decide', visitor, { authorization: `Bearer ${site.key}` });
      return (body as { user: { bucketing: object } }).user.bucketing;
    };
    const count = async (): Promise<number> => Object.keys(await decided()).length;
    expect(await count()).toBe(1);
    await site.make.move(experiment, 'pause');
    await until(async () => (await count()) === 0, 'the pause in the other process');
    await sibling.close();
    await api.close();
  }, 120_000);

  it('with a small max_allowed_packet causes a warning, and large changes name the variable', async () => {
    await server.kill();
    await server.start('--max-allowed-packet=256K');
    await server.query('CREATE DATABASE fifth CHARACTER SET utf8mb4');
    const api = await TestApi.start({}, () => Promise.resolve(server.url('fifth')));
    expect(await packetWarning(api.database)).toBe(
      'The database server rejects statements longer than 262144 bytes, so large changes will fail. Set max_allowed_packet on the database server to at least 16M.',
    );
    const world: World = await api.world();
    const { client } = world.people.admin;
    const { experiment, variations } = await readyExperiment(client, world.project);
    const path = `${world.project}/experiments/${experiment}`;
    const js = `var noise = "${randomBytes(100_000).toString('hex')}";`;
    const changed = await client.patch(`${path}/variations/${variations[1]}`, { js });
    expect(changed.status).toBe(200);
    const { status, body } = await client.patch(`${path}/status`, { status: 'running' });
    expect([status, body.message]).toEqual([
      500,
      'The change is too large for the settings of the database server. Set max_allowed_packet on the database server to at least 16M.',
    ]);
    await api.close();
  }, 120_000);

  it('keeps the connection of a copy open while the other database is read for hours', async () => {
    await server.query('CREATE DATABASE copied');
    const end = await MysqlEnd.connect(server.url('copied'));
    const [[seconds]] = await end.all('SELECT @@SESSION.wait_timeout');
    await end.close();
    expect(Number(seconds)).toBeGreaterThan(24 * 3600);
  });
});
