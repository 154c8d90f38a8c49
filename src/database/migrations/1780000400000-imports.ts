import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTable, nullable, schemaOf } from './schema';

/** Creates the table for file imports of events. */
export class Imports1780000400000 implements MigrationInterface {
  readonly name = 'Imports1780000400000';

  async up(runner: QueryRunner): Promise<void> {
    const { id, integer, micros, mediumText, key } = schemaOf(runner);
    await createTable(runner, 'event_imports', {
      columns: {
        id,
        project_id: integer,
        fingerprint: key(64),
        line: integer,
        accepted: integer,
        rejections: nullable(mediumText),
        finished_at: nullable(micros),
        finished_version: nullable(integer),
      },
      unique: { uq_event_imports_file: ['project_id', 'fingerprint'] },
      references: [{ name: 'fk_event_imports_project', column: 'project_id', table: 'projects' }],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('event_imports');
  }
}
