import { TestApi, type World } from '../../support/api';
import { newSite } from '../../support/delivery';
import { attributeAll, exposure, send, storedEvents } from '../../support/events';
import { describeWith, MariaDb, mariadbd } from '../../support/mariadb';
import type { Scene } from '../../support/scene';

/* Database servers are often shared with other programs, which can require other SQL modes. */

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
});
