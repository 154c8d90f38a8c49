import type { MigrationInterface, QueryRunner } from 'typeorm';
import { schemaOf } from './schema';

/** Adds a version to preview links, so that they can be revoked. */
export class PreviewVersions1790000400000 implements MigrationInterface {
  readonly name = 'PreviewVersions1790000400000';

  /**
   * Does not use TypeORM's `addColumn`, which copies the whole table on SQLite. Can be run again after an interruption.
   */
  async up(runner: QueryRunner): Promise<void> {
    if (!(await runner.hasColumn('experiments', 'preview_version'))) {
      const { type } = schemaOf(runner).integer;
      await runner.query(`ALTER TABLE experiments ADD COLUMN preview_version ${type} NOT NULL DEFAULT 0`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE experiments DROP COLUMN preview_version');
  }
}
