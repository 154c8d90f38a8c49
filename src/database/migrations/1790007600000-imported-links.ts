import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './schema';

/** Adds the number and the lines of messages whose ids an import did not link, for the import's report. */
export class ImportedLinks1790007600000 implements MigrationInterface {
  readonly name = 'ImportedLinks1790007600000';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'event_imports', 'ignored_links', 'optionalText');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE event_imports DROP COLUMN ignored_links');
  }
}
