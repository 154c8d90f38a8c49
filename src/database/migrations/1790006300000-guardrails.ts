import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './schema';

/** Adds guardrails: goals that must not get worse, and the action that is taken when they do. */
export class Guardrails1790006300000 implements MigrationInterface {
  readonly name = 'Guardrails1790006300000';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'experiment_goals', 'is_guardrail', 'flag');
    await addColumn(runner, 'experiments', 'guardrail_action', 'guardrailAction');
    await addColumn(runner, 'experiments', 'guardrail_trips', 'optionalText');
    await addColumn(runner, 'experiments', 'paused_reason', 'optionalText');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM experiment_goals WHERE is_guardrail = 1');
    await runner.query('ALTER TABLE experiment_goals DROP COLUMN is_guardrail');
    for (const column of ['guardrail_action', 'guardrail_trips', 'paused_reason']) {
      await runner.query(`ALTER TABLE experiments DROP COLUMN ${column}`);
    }
  }
}
