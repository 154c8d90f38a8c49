import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './schema';

/** Allows share links to be turned off. Existing links stay on. */
export class Sharing1790005200100 implements MigrationInterface {
  readonly name = 'Sharing1790005200100';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'experiments', 'shared', 'flagOn');
    await addColumn(runner, 'project_settings', 'share_by_default', 'flagOn');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE project_settings DROP COLUMN share_by_default');
    await runner.query('ALTER TABLE experiments DROP COLUMN shared');
  }
}
