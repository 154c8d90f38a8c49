import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTable, primary, schemaOf } from './schema';

/**
 * Creates the tables for the results that webhooks have reported, and for the number of snippet errors that webhooks
 * have not reported yet.
 */
export class WebhookReports1790006400100 implements MigrationInterface {
  readonly name = 'WebhookReports1790006400100';

  async up(runner: QueryRunner): Promise<void> {
    const { integer, micros, mediumText } = schemaOf(runner);
    const lockVersion = { ...micros, default: 0 };
    await createTable(runner, 'told_results', {
      columns: {
        experiment_id: primary(integer),
        told: mediumText,
        checked_version: integer,
        checked_at: micros,
        lock_version: lockVersion,
      },
      references: [{ name: 'fk_told_results_experiment', column: 'experiment_id', table: 'experiments' }],
    });
    await createTable(runner, 'snippet_error_counts', {
      columns: {
        project_id: primary(integer),
        untold: integer,
        since: micros,
        told_at: micros,
        lock_version: lockVersion,
      },
      references: [{ name: 'fk_snippet_error_counts_project', column: 'project_id', table: 'projects' }],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('snippet_error_counts');
    await runner.dropTable('told_results');
  }
}
