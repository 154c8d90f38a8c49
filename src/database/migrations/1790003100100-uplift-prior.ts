import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './schema';

/** Adds the prior of the uplift, in hundredths of a percent. Null means a flat prior, as before. */
export class UpliftPrior1790003100100 implements MigrationInterface {
  readonly name = 'UpliftPrior1790003100100';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'projects', 'uplift_prior', 'integer');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE projects DROP COLUMN uplift_prior');
  }
}
