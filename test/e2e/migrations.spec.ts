import { DataSource } from 'typeorm';
import { loadConfig } from '../../src/config/config';
import { createWriter } from '../../src/database/data-source';
import { Database } from '../../src/database/database';
import { migrations } from '../../src/database/migrations';
import { entities } from '../../src/entities';
import { createTestDatabase, TestDatabase } from '../support/engine';

const isAuditSearch = ({ name }: { name: string }): boolean => name.startsWith('AuditSearch');

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

  it('fold the names of audit entries, more than one batch', async () => {
    await writer.runMigrations({ transaction: 'each' });
    do {
      await writer.undoLastMigration({ transaction: 'each' });
    } while ((await writer.query('SELECT * FROM migrations')).some(isAuditSearch));
    const entry = `1, 'api', 'update', 'goal', 1`;
    const names = [...Array<string>(1_000).fill('STRAẞE'), null, 'İstanbul'];
    const tuples = names.map(() => `(${entry}, ?)`).join(', ');
    await writer.query(
      `INSERT INTO audit_entries (at, source, action, item_type, item_id, item_name) VALUES ${tuples}`,
      names,
    );
    await writer.runMigrations({ transaction: 'each' });
    const folded = await writer.query(
      'SELECT item_search, COUNT(*) AS entries FROM audit_entries GROUP BY item_search ORDER BY MIN(id)',
    );
    expect(folded.map((row: Record<string, unknown>) => [row.item_search, Number(row.entries)])).toEqual([
      ['straße', 1_000],
      [null, 1],
      ['i\u0307stanbul', 1],
    ]);
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
