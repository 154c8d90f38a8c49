import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTable, primary, schemaOf } from './schema';

/** The collections that had a column in `project_versions`. */
const COLLECTIONS = ['experiments', 'audiences', 'pages', 'goals', 'environments'];

/**
 * Moves collection versions from columns to rows, so that a new resource needs no column. The next migration drops the
 * columns, because this migration must find them if it runs again.
 */
export class CollectionVersions1790001000000 implements MigrationInterface {
  readonly name = 'CollectionVersions1790001000000';

  async up(runner: QueryRunner): Promise<void> {
    const { integer, key } = schemaOf(runner);
    await createTable(runner, 'collection_versions', {
      columns: { project_id: primary(integer), collection: primary(key(64)), version: integer },
      references: [{ name: 'fk_collection_versions_project', column: 'project_id', table: 'projects' }],
      isClustered: true,
    });
    // This statement can be repeated, because it adds only missing rows.
    const columns = COLLECTIONS.map(
      (name) => `SELECT project_id, '${name}' AS collection, ${name} AS version FROM project_versions`,
    );
    await runner.query(
      `INSERT INTO collection_versions (project_id, collection, version)
       SELECT v.project_id, v.collection, v.version FROM (${columns.join(' UNION ALL ')}) v
        WHERE NOT EXISTS (SELECT 1 FROM collection_versions c
                           WHERE c.project_id = v.project_id AND c.collection = v.collection)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('collection_versions');
  }
}
