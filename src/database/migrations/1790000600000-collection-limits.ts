import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn, createTable, nullable, schemaOf } from './schema';

const SETTINGS = `INSERT INTO project_settings (id, version, allowed_origins, events_per_minute, created_at, updated_at)
  SELECT p.id, 1, NULL, NULL, p.created_at, p.created_at FROM projects p
   WHERE p.id NOT IN (SELECT id FROM project_settings)`;

/**
 * Adds allowed origins and event limits to projects, and the flag `trusted_only` to goals. Each step can be repeated
 * after an interruption.
 */
export class CollectionLimits1790000600000 implements MigrationInterface {
  readonly name = 'CollectionLimits1790000600000';

  async up(runner: QueryRunner): Promise<void> {
    const { integer, micros, mediumText } = schemaOf(runner);
    await addColumn(runner, 'goals', 'trusted_only', 'flag');
    if (!(await runner.hasTable('project_settings'))) {
      await createTable(runner, 'project_settings', {
        columns: {
          id: { ...integer, isPrimary: true },
          version: integer,
          allowed_origins: nullable(mediumText),
          events_per_minute: nullable(integer),
          created_at: micros,
          updated_at: micros,
        },
        references: [{ name: 'fk_project_settings_project', column: 'id', table: 'projects' }],
      });
    }
    await runner.query(SETTINGS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('project_settings');
    await runner.query('ALTER TABLE goals DROP COLUMN trusted_only');
  }
}
