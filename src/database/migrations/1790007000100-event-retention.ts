import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn, createTable, nullable, primary, schemaOf } from './schema';

/** Allows projects to keep events for a limited time. */
export class EventRetention1790007000100 implements MigrationInterface {
  readonly name = 'EventRetention1790007000100';

  async up(runner: QueryRunner): Promise<void> {
    const { integer, key, micros } = schemaOf(runner);
    await addColumn(runner, 'project_settings', 'event_retention_days', 'optionalInteger');
    await addColumn(runner, 'experiment_results', 'events_removed_until', 'optionalBigint');
    await createTable(runner, 'event_retention', {
      columns: {
        project_id: primary(integer),
        days: integer,
        attributed_at: nullable(micros),
        visited_to: key(65),
        due_at: micros,
        lock_version: { ...micros, default: 0 },
      },
      references: [{ name: 'fk_event_retention_project', column: 'project_id', table: 'projects' }],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('event_retention');
    await runner.query('ALTER TABLE experiment_results DROP COLUMN events_removed_until');
    await runner.query('ALTER TABLE project_settings DROP COLUMN event_retention_days');
  }
}
