import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './schema';

/** Adds the places on the page where the snippet announces exposures. The default is none, as before. */
export class PushTo1790004100000 implements MigrationInterface {
  readonly name = 'PushTo1790004100000';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'project_settings', 'push_to', 'lines');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE project_settings DROP COLUMN push_to');
  }
}
