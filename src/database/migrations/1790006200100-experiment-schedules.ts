import { type MigrationInterface, type QueryRunner, TableIndex } from 'typeorm';
import { addColumn } from './schema';

const MOMENTS = ['starts_at', 'ends_at'] as const;
const TEXTS = ['schedule_error', 'schedule_authors'] as const;

/** Adds scheduled starts and ends of experiments, indexed for the worker that looks for due starts and ends. */
export class ExperimentSchedules1790006200100 implements MigrationInterface {
  readonly name = 'ExperimentSchedules1790006200100';

  async up(runner: QueryRunner): Promise<void> {
    for (const column of MOMENTS) {
      await addColumn(runner, 'experiments', column, 'optionalBigint');
    }
    for (const column of TEXTS) {
      await addColumn(runner, 'experiments', column, 'optionalText');
    }
    for (const column of MOMENTS) {
      const index = new TableIndex({ name: `ix_experiments_${column}`, columnNames: [column] });
      await runner.createIndex('experiments', index);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const column of MOMENTS) {
      await runner.dropIndex('experiments', `ix_experiments_${column}`);
    }
    for (const column of [...TEXTS, ...MOMENTS]) {
      await runner.query(`ALTER TABLE experiments DROP COLUMN ${column}`);
    }
  }
}
