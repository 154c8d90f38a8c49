import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './schema';

/** Adds the lowest number for the next revision of each project, which `db:after-restore` raises. */
export class SkippedRevisions1790008100000 implements MigrationInterface {
  readonly name = 'SkippedRevisions1790008100000';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'project_versions', 'min_revision', 'version');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE project_versions DROP COLUMN min_revision');
  }
}
