import { DataSource } from 'typeorm';
import { loadConfig } from '../../src/config/config';
import { createWriter } from '../../src/database/data-source';
import { Database } from '../../src/database/database';
import { migrations } from '../../src/database/migrations';
import { entities } from '../../src/entities';
import { createTestDatabase, TestDatabase } from '../support/engine';

describe('migrations', () => {
  let store: TestDatabase;
  let writer: DataSource;

  beforeEach(async () => {
    store = await createTestDatabase();
    writer = await createWriter(loadConfig({ DATABASE_URL: store.url }).database, entities);
    await writer.initialize();
  });

  afterEach(async () => {
    await writer.destroy();
    await store.remove();
  });

  async function tables(): Promise<string[]> {
    const runner = writer.createQueryRunner();
    const found = await runner.getTables(writer.entityMetadatas.map((metadata) => metadata.tableName));
    await runner.release();
    return found.map((table) => table.name.split('.').at(-1) ?? '').sort();
  }

  it('create the complete schema of the entities', async () => {
    await writer.runMigrations({ transaction: 'each' });
    const { upQueries } = await writer.driver.createSchemaBuilder().log();
    expect(upQueries.map((query) => query.query)).toEqual([]);
  });

  it('give every table a primary key', async () => {
    await writer.runMigrations({ transaction: 'each' });
    const runner = writer.createQueryRunner();
    const found = await runner.getTables(writer.entityMetadatas.map((metadata) => metadata.tableName));
    await runner.release();
    expect(found).toHaveLength(entities.length);
    for (const table of found) {
      expect([table.name, table.primaryColumns.length > 0]).toEqual([table.name, true]);
    }
  });

  it('can be reverted completely and run again', async () => {
    await writer.runMigrations({ transaction: 'each' });
    const all = await tables();
    expect(all).toHaveLength(entities.length);
    for (const _ of migrations) {
      await writer.undoLastMigration({ transaction: 'each' });
    }
    expect(await tables()).toEqual([]);
    await writer.runMigrations({ transaction: 'each' });
    expect(await tables()).toEqual(all);
  });

  it('run once, even if two processes open a new database at the same time', async () => {
    const { database: target } = loadConfig({ DATABASE_URL: store.url });
    const opened = await Promise.all([Database.open(target, entities), Database.open(target, entities)]);
    for (const database of opened) {
      if (database.engine === 'mysql') {
        await database.migrate();
      }
      expect(await database.pendingMigrations()).toEqual([]);
      await database.onApplicationShutdown();
    }
  });

  it('prevent the reuse of ids', async () => {
    await writer.runMigrations({ transaction: 'each' });
    const insert =
      'INSERT INTO teams (name, name_search, projects_version, created_at, updated_at) VALUES (?, ?, 1, 1, 1)';
    await writer.query(insert, ['A', 'a']);
    await writer.query(insert, ['B', 'b']);
    await writer.query('DELETE FROM teams WHERE id = 2');
    await writer.query(insert, ['C', 'c']);
    expect(await writer.query('SELECT id FROM teams ORDER BY id')).toEqual([{ id: 1 }, { id: 3 }]);
  });
});
