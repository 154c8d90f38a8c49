import { DataSource } from 'typeorm';
import { loadConfig } from '../../src/config/config';
import { createWriter } from '../../src/database/data-source';
import { entities } from '../../src/entities';
import { createTestDatabase, TestDatabase } from '../support/engine';

/* Versions for ETags in projects that existed when versions were stored in columns instead of rows. */

const COLLECTIONS = ['experiments', 'audiences', 'pages', 'goals', 'environments'];

let store: TestDatabase;
let writer: DataSource;

beforeEach(async () => {
  store = await createTestDatabase();
  writer = await createWriter(loadConfig({ DATABASE_URL: store.url }).database, entities);
  await writer.initialize();
  await migrate();
});

afterEach(async () => {
  await writer.destroy();
  await store.remove();
});

const migrate = () => writer.runMigrations({ transaction: 'each' });

/** Reverts the migration `name` and all later migrations. */
async function undo(name: string): Promise<void> {
  const isThere = async (): Promise<boolean> => {
    const found: unknown[] = await writer.query('SELECT id FROM migrations WHERE name = ?', [name]);
    return found.length > 0;
  };
  while (await isThere()) {
    await writer.undoLastMigration({ transaction: 'each' });
  }
}

async function insertProject(id: number): Promise<void> {
  const columns = {
    id,
    team_id: 1,
    name: 'Shop',
    name_key: `key ${id}`,
    name_search: 'shop',
    storage: 'cookie',
    snippet_revision: 0,
    client_key: `pk_${id}`,
    significance: 95,
    min_conversions: 0,
    min_runtime_days: 0,
    statistics_method: 'sequential',
    statistics_correction: 'none',
    version: 1,
    created_at: 1,
    updated_at: 1,
  };
  const names = Object.keys(columns);
  await writer.query(
    `INSERT INTO projects (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    Object.values(columns),
  );
}

const versions = (): Promise<unknown[]> =>
  writer.query(
    'SELECT project_id, collection, version FROM collection_versions ORDER BY project_id, version',
  );

it('versions are kept when the migration moves them to rows, and when it is reverted', async () => {
  await undo('CollectionVersions1790001000000');
  await writer.query(
    "INSERT INTO teams (id, name, name_search, projects_version, created_at, updated_at) VALUES (1, 'A', 'a', 1, 1, 1)",
  );
  for (const id of [1, 2]) {
    await insertProject(id);
    await writer.query(
      `INSERT INTO project_versions (project_id, version, ${COLLECTIONS.join(', ')}) VALUES (?, 99, ?, ?, ?, ?, ?)`,
      [id, ...COLLECTIONS.map((_, index) => id * 10 + index)],
    );
  }
  const expected = [1, 2].flatMap((id) =>
    COLLECTIONS.map((collection, index) => ({ project_id: id, collection, version: id * 10 + index })),
  );
  await migrate();
  expect(await versions()).toEqual(expected);
  expect(await writer.query('SELECT project_id, version FROM project_versions ORDER BY project_id')).toEqual([
    { project_id: 1, version: 99 },
    { project_id: 2, version: 99 },
  ]);

  await writer.query(
    "UPDATE collection_versions SET version = 77 WHERE project_id = 1 AND collection = 'goals'",
  );
  await undo('CollectionVersions1790001000000');
  const columns = `project_id, ${COLLECTIONS.join(', ')}`;
  expect(await writer.query(`SELECT ${columns} FROM project_versions ORDER BY project_id`)).toEqual([
    { project_id: 1, experiments: 10, audiences: 11, pages: 12, goals: 77, environments: 14 },
    { project_id: 2, experiments: 20, audiences: 21, pages: 22, goals: 23, environments: 24 },
  ]);
});
