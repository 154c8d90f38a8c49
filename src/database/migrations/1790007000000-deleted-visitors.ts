import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn, createTable, primary, schemaOf } from './schema';

/**
 * Creates the table for deleted visitors, and adds a column for results that must be counted again although the
 * counting rules are the same.
 */
export class DeletedVisitors1790007000000 implements MigrationInterface {
  readonly name = 'DeletedVisitors1790007000000';

  async up(runner: QueryRunner): Promise<void> {
    const { integer, key, micros } = schemaOf(runner);
    await createTable(runner, 'deleted_visitors', {
      columns: { project_id: primary(integer), visitor_hash: primary(key(64)), expires_at: micros },
      indices: { ix_deleted_visitors_expiry: ['expires_at'] },
      references: [{ name: 'fk_deleted_visitors_project', column: 'project_id', table: 'projects' }],
      isClustered: true,
    });
    await addColumn(runner, 'experiment_results', 'recounts', 'count');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE experiment_results DROP COLUMN recounts');
    await runner.dropTable('deleted_visitors');
  }
}
