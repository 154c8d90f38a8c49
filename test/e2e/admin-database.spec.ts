import { loadConfig } from '../../src/config/config';
import { createWriter } from '../../src/database/data-source';
import { migrations } from '../../src/database/migrations';
import { entities } from '../../src/entities';
import { AdminCommand } from '../support/admin';
import { TestApi } from '../support/api';
import { createTestDatabase, engine, TestDatabase } from '../support/engine';
import { Maker } from '../support/scene';
import { createMigratedDatabase } from '../support/template';

const WAITING =
  'Another process is migrating the database, or was killed while migrating it less than 15 seconds ago. Waiting for up to 5 minutes.\n';
const NAMES = migrations.map((migration) => new migration().name);

describe('the admin command on a new database', () => {
  let store: TestDatabase;
  let admin: AdminCommand;

  beforeEach(async () => {
    store = await createTestDatabase();
    admin = new AdminCommand(store.url);
  });

  afterEach(async () => {
    admin.remove();
    await store.remove();
  });

  async function holdMigrationLock(): Promise<void> {
    const writer = await createWriter(loadConfig({ DATABASE_URL: store.url }).database, entities);
    await writer.initialize();
    await writer.query("UPDATE migration_locks SET holder = 'killed', expires_at = UNIX_TIMESTAMP() + 3");
    await writer.destroy();
  }

  async function tables(): Promise<number> {
    const writer = await createWriter(loadConfig({ DATABASE_URL: store.url }).database, entities);
    await writer.initialize();
    const runner = writer.createQueryRunner();
    const found = await runner.getTables(writer.entityMetadatas.map((metadata) => metadata.tableName));
    await runner.release();
    await writer.destroy();
    return found.length;
  }

  it('migrates and reports the migrations, once', async () => {
    const { code, stdout, stderr } = await admin.run(['db:migrate']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`Ran ${NAMES.length} migration(s):\n${NAMES.map((name) => `  ${name}\n`).join('')}`);
    expect(await tables()).toBe(entities.length);
    expect(await admin.json(['db:migrate'])).toEqual({ migrations: [], copy: null, warnings: [] });
    expect((await admin.run(['db:migrate'])).stdout).toBe('The database is up to date.\n');
  });

  if (engine === 'mysql') {
    it('reports that it waits for another process that is migrating or was killed while migrating', async () => {
      await admin.run(['db:migrate']);
      await holdMigrationLock();
      const { code, stdout, stderr } = await admin.run(['db:migrate']);
      expect([code, stdout]).toEqual([0, 'The database is up to date.\n']);
      expect(stderr).toBe(WAITING);
    });

    it('reports that it waits if another process is migrating the database to which it copies', async () => {
      const source = await createMigratedDatabase();
      await admin.run(['db:migrate']);
      await holdMigrationLock();
      const { code, stderr } = await admin.run(['db:copy', '--from', source.url, '--to', store.url]);
      expect([code, stderr.replace(/^(?:From|To): .*\n/gm, '')]).toEqual([0, WAITING]);
      await source.remove();
    });
  }

  it('lists stored regular expressions that no longer work, as the server does at startup', async () => {
    const api = await TestApi.start({}, () => Promise.resolve(store.url));
    const { people, project } = await api.world();
    const page = await new Maker(people.admin.client, project).page({ name: 'Old' });
    const old = JSON.stringify([{ match: 'regex', value: '(?!new)', negate: false }]);
    await api.database.transaction((tx) =>
      tx.query('UPDATE pages SET conditions = ? WHERE id = ?', [old, page.id]),
    );
    await api.close();
    const { migrations, warnings } = await admin.json(['db:migrate']);
    expect([migrations, warnings]).toEqual([
      [],
      [expect.stringMatching(/^The page \d+ \("Old"\) of project \d+ never matches on the server: /)],
    ]);
    expect((await admin.run(['db:migrate'])).stdout).toBe(`The database is up to date.\n${warnings[0]}\n`);
  });

  it('migrates once if several processes try at the same time', async () => {
    const answers: { migrations: string[] }[] = await Promise.all(
      Array.from({ length: 4 }, () => admin.json(['db:migrate'])),
    );
    expect(answers.flatMap((answer) => answer.migrations).sort()).toEqual([...NAMES].sort());
    expect(await tables()).toBe(entities.length);
    expect(await admin.json(['users:list'])).toEqual([]);
  });

  it('migrates SQLite automatically, and asks for db:migrate on MySQL', async () => {
    const { code, stdout, stderr } = await admin.run(['users:list', '--json']);
    const behind = `The database is ${NAMES.length} migration(s) behind: ${NAMES.join(', ')}. Run: npm run -s admin -- db:migrate\n`;
    const expected = engine === 'sqlite' ? [0, '[]\n', ''] : [1, '', behind];
    expect([code, stdout, stderr]).toEqual(expected);
  });

  it('reads variables from a .env file in its folder', async () => {
    const { writeFile } = await import('node:fs/promises');
    await writeFile(`${admin.folder}/.env`, 'RATE_LIMIT_PER_MINUTE=many\n');
    const { code, stderr } = await admin.runAlone(['users:list']);
    expect(code).toBe(1);
    expect(stderr).toContain('RATE_LIMIT_PER_MINUTE');
  });
});
