import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from './schema';

const COLLECTIONS = ['experiments', 'audiences', 'pages', 'goals', 'environments'];

/** Drops the version columns, because collection versions are now rows of `collection_versions`. */
export class NoVersionColumns1790001000100 implements MigrationInterface {
  readonly name = 'NoVersionColumns1790001000100';

  async up(runner: QueryRunner): Promise<void> {
    for (const collection of COLLECTIONS) {
      await runner.query(`ALTER TABLE project_versions DROP COLUMN ${collection}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    const { type } = schemaOf(runner).integer;
    for (const collection of COLLECTIONS) {
      await runner.query(`ALTER TABLE project_versions ADD COLUMN ${collection} ${type} NOT NULL DEFAULT 1`);
      await runner.query(
        `UPDATE project_versions SET ${collection} = COALESCE((
           SELECT c.version FROM collection_versions c
            WHERE c.project_id = project_versions.project_id AND c.collection = '${collection}'), 1)`,
      );
    }
  }
}
