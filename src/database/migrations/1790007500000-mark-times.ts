import { type MigrationInterface, type QueryRunner, TableIndex } from 'typeorm';
import { addColumn } from './schema';

const INDEX = 'ix_dirty_visitors_marked_at';

/**
 * Adds the time at which a visitor was marked, which shows how long the visitor's events have been waiting. Each step
 * can be repeated after an interruption.
 */
export class MarkTimes1790007500000 implements MigrationInterface {
  readonly name = 'MarkTimes1790007500000';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'dirty_visitors', 'marked_at', 'total');
    const table = await runner.getTable('dirty_visitors');
    if (table?.indices.every(({ name }) => name !== INDEX)) {
      const columnNames = ['project_id', 'marked_at'];
      await runner.createIndex('dirty_visitors', new TableIndex({ name: INDEX, columnNames }));
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex('dirty_visitors', INDEX);
    await runner.query('ALTER TABLE dirty_visitors DROP COLUMN marked_at');
  }
}
