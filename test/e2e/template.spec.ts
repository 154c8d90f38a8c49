import { loadConfig } from '../../src/config/config';
import { Database } from '../../src/database/database';
import { entities } from '../../src/entities';
import { createTestDatabase, TestDatabase } from '../support/engine';
import { contentsOf, createMigratedDatabase } from '../support/template';

const SECRET = 's'.repeat(32);

describe('test databases', () => {
  const stores: TestDatabase[] = [];
  afterAll(() => Promise.all(stores.map((store) => store.remove())));

  const kept = (store: TestDatabase): TestDatabase => {
    stores.push(store);
    return store;
  };
  const open = ({ url }: TestDatabase): Promise<Database> =>
    Database.open(loadConfig({ DATABASE_URL: url, SESSION_SECRET: SECRET }).database, entities);

  it('match the result of the migrations, including the rows', async () => {
    const [copy, original] = [kept(await createMigratedDatabase()), kept(await createTestDatabase())];
    const database = await open(original);
    await database.migrate();
    await database.onApplicationShutdown();
    const [copied, migrated] = [await contentsOf(copy.url), await contentsOf(original.url)];
    expect(String(copied)).toBe(String(migrated));
    expect(String(copied).match(/CREATE TABLE/gi)!.length).toBeGreaterThanOrEqual(entities.length);
  });

  it('have no pending migrations', async () => {
    const database = await open(kept(await createMigratedDatabase()));
    expect(await database.pendingMigrations()).toEqual([]);
    await database.onApplicationShutdown();
  });
});
