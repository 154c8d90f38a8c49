import { Database } from '../../src/database/database';
import { RowStore } from '../../src/database/row-store';
import { entities } from '../../src/entities';
import { Team } from '../../src/teams/team.entity';
import { testConfig } from '../support/api';
import { createTestDatabase, TestDatabase } from '../support/engine';

const row = (name: string) => ({
  name,
  name_search: name,
  projects_version: 1,
  members_version: 1,
  lock_version: 0,
  created_at: 1,
  updated_at: 2,
});

/** A database that claims to be MySQL, which has no INSERT ... RETURNING. */
function withoutReturning(database: Database): Database {
  const writer = new Proxy(database.writer, {
    get: (target, key) => (key === 'options' ? { type: 'mysql' } : Reflect.get(target, key)),
  });
  return new Proxy(database, {
    get: (target, key) => (key === 'writer' ? writer : Reflect.get(target, key)),
  });
}

describe('RowStore', () => {
  let file: TestDatabase;
  let database: Database;

  beforeEach(async () => {
    file = await createTestDatabase();
    database = await Database.open(testConfig({ DATABASE_URL: file.url }).database, entities);
    await database.migrate();
  });

  afterEach(async () => {
    await database.onApplicationShutdown();
    await file.remove();
  });

  it.each([
    ['in one statement', (opened: Database) => opened],
    ['one by one if the server does not return ids', withoutReturning],
  ])('inserts rows %s and returns their ids in order', async (_, disguise) => {
    const store = new RowStore(disguise(database), Team);
    const ids = await database.transaction((tx) => store.insertAll(tx, ['a', 'b', 'c'].map(row)));
    const found = await store.find(database.read, '1 = 1', []);
    expect(found.map(({ id, name }) => [id, name])).toEqual([
      [ids[0], 'a'],
      [ids[1], 'b'],
      [ids[2], 'c'],
    ]);
  });

  it('finds more rows by id than a statement can have parameters', async () => {
    const store = new RowStore(database, Team);
    const id = await database.transaction((tx) => store.insert(tx, row('a')));
    const ids = Array.from({ length: 35_000 }, (_, index) => id + index);
    expect(await store.findIn(database.read, ['name'], 'id', ids)).toEqual([{ name: 'a' }]);
  });

  it('rejects columns that the entity does not have', async () => {
    const store = new RowStore(database, Team);
    const unknown = { ...row('a'), nonsense: 1 };
    await expect(database.transaction((tx) => store.insert(tx, unknown))).rejects.toThrow(
      'no column nonsense',
    );
  });
});
