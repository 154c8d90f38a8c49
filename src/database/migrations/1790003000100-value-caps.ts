import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './schema';

/** Adds caps for a participant's total value, and the sums of values above the caps. Existing goals have no cap. */
export class ValueCaps1790003000100 implements MigrationInterface {
  readonly name = 'ValueCaps1790003000100';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'goals', 'value_cap', 'optionalBigint');
    await addColumn(runner, 'result_cells', 'value_excess', 'exactSum');
    await addColumn(runner, 'entry_cells', 'value_excess', 'exactSum');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE entry_cells DROP COLUMN value_excess');
    await runner.query('ALTER TABLE result_cells DROP COLUMN value_excess');
    await runner.query('ALTER TABLE goals DROP COLUMN value_cap');
  }
}
