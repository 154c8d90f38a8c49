import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn, createTable, nullable, schemaOf } from './schema';

const COLUMNS = ['minimum_effect', 'planned_participants', 'planned_end'];

/** Adds experiment plans, and a table for the plans that are fixed when experiments start. */
export class ExperimentPlans1790003100000 implements MigrationInterface {
  readonly name = 'ExperimentPlans1790003100000';

  async up(runner: QueryRunner): Promise<void> {
    const { integer } = schemaOf(runner);
    for (const column of COLUMNS) {
      await addColumn(runner, 'experiments', column, 'integer');
    }
    if (!(await runner.hasTable('experiment_plans'))) {
      await createTable(runner, 'experiment_plans', {
        columns: {
          experiment_id: { ...integer, isPrimary: true },
          participants: integer,
          end_day: nullable(integer),
          removed_day: nullable(integer),
          min_conversions: integer,
          min_runtime_days: integer,
        },
        references: [
          { name: 'fk_experiment_plans_experiment', column: 'experiment_id', table: 'experiments' },
        ],
      });
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('experiment_plans');
    for (const column of COLUMNS) {
      await runner.query(`ALTER TABLE experiments DROP COLUMN ${column}`);
    }
  }
}
