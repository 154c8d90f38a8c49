import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTable, nullable, primary, schemaOf } from './schema';

/** Creates the tables for excluded visitors. Each step can be repeated after an interruption. */
export class VisitorExclusions1790000600100 implements MigrationInterface {
  readonly name = 'VisitorExclusions1790000600100';

  async up(runner: QueryRunner): Promise<void> {
    const { id, integer, micros, flag, key, text, shortText } = schemaOf(runner);
    if (!(await runner.hasTable('visitor_exclusions'))) {
      await createTable(runner, 'visitor_exclusions', {
        columns: {
          id,
          project_id: integer,
          experiment_id: nullable(integer),
          criteria: shortText,
          criteria_hash: text(64),
          visitors: integer,
          created_at: micros,
          finished_at: nullable(micros),
          undone_at: nullable(micros),
        },
        indices: { ix_visitor_exclusions_project: ['project_id'] },
        references: [
          { name: 'fk_visitor_exclusions_project', column: 'project_id', table: 'projects' },
          { name: 'fk_visitor_exclusions_experiment', column: 'experiment_id', table: 'experiments' },
        ],
      });
    }
    if (!(await runner.hasTable('excluded_visitors'))) {
      await createTable(runner, 'excluded_visitors', {
        columns: {
          project_id: primary(integer),
          visitor_id: primary(key(65)),
          exclusion_id: primary(integer),
          experiment_id: nullable(integer),
          wanted: flag,
          applied: flag,
        },
        indices: { ix_excluded_visitors_exclusion: ['exclusion_id', 'visitor_id'] },
        isClustered: true,
      });
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('excluded_visitors');
    await runner.dropTable('visitor_exclusions');
  }
}
