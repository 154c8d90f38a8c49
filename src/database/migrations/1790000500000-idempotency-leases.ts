import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds a lease to idempotency keys. */
export class IdempotencyLeases1790000500000 implements MigrationInterface {
  readonly name = 'IdempotencyLeases1790000500000';

  async up(runner: QueryRunner): Promise<void> {
    // MySQL commits each statement separately, so the column may already exist after an interruption.
    if (!(await runner.hasColumn('idempotency_keys', 'lease_until'))) {
      await runner.query('ALTER TABLE idempotency_keys ADD COLUMN lease_until bigint NULL');
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency_keys DROP COLUMN lease_until');
  }
}
