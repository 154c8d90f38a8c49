import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './schema';

const COLUMNS = ['goal_comparisons', 'guardrail_comparisons'];

/** Adds the numbers of comparisons at the first start to plans. They stay unknown for plans that are already fixed. */
export class PlannedComparisons1790008200000 implements MigrationInterface {
  readonly name = 'PlannedComparisons1790008200000';

  async up(runner: QueryRunner): Promise<void> {
    for (const column of COLUMNS) {
      await addColumn(runner, 'experiment_plans', column, 'integer');
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const column of COLUMNS) {
      await runner.query(`ALTER TABLE experiment_plans DROP COLUMN ${column}`);
    }
  }
}
