import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './schema';

const SUMS = ['conversions_squared', 'value_by_conversions'] as const;

/**
 * Adds goals that count every conversion, and the sums that their statistical tests need. Existing results do not have
 * these sums until a server has rebuilt them in the background.
 */
export class EveryConversion1790003000200 implements MigrationInterface {
  readonly name = 'EveryConversion1790003000200';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'goals', 'counting', 'counting');
    for (const sum of SUMS) {
      await addColumn(runner, 'result_cells', sum, 'exactSum');
      await addColumn(runner, 'entry_cells', sum, 'exactSum');
    }
    await runner.query('UPDATE experiment_results SET rules_version = rules_version + 1');
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const sum of SUMS) {
      await runner.query(`ALTER TABLE entry_cells DROP COLUMN ${sum}`);
      await runner.query(`ALTER TABLE result_cells DROP COLUMN ${sum}`);
    }
    await runner.query('ALTER TABLE goals DROP COLUMN counting');
  }
}
