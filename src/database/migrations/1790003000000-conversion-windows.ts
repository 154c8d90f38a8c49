import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './schema';

/**
 * Adds conversion windows, which limit how long after a participant's first exposure the participant's conversions
 * count.
 */
export class ConversionWindows1790003000000 implements MigrationInterface {
  readonly name = 'ConversionWindows1790003000000';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'goals', 'conversion_window_days', 'optionalInteger');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE goals DROP COLUMN conversion_window_days');
  }
}
