import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './schema';

/** Adds the hypothesis of an experiment, and the decision about the experiment. */
export class ExperimentDecisions1790005200000 implements MigrationInterface {
  readonly name = 'ExperimentDecisions1790005200000';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'experiments', 'hypothesis', 'optionalText');
    await addColumn(runner, 'experiments', 'decision', 'optionalText');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE experiments DROP COLUMN decision');
    await runner.query('ALTER TABLE experiments DROP COLUMN hypothesis');
  }
}
