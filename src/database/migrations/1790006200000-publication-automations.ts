import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './schema';

/** Adds the automatic status change that caused a publication. */
export class PublicationAutomations1790006200000 implements MigrationInterface {
  readonly name = 'PublicationAutomations1790006200000';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'publications', 'automation', 'automation');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE publications DROP COLUMN automation');
  }
}
