import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './schema';

/** Adds the time at which the session's user last entered the password after sign-in. */
export class SessionConfirmations1790005300200 implements MigrationInterface {
  readonly name = 'SessionConfirmations1790005300200';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'sessions', 'confirmed_at', 'optionalBigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sessions DROP COLUMN confirmed_at');
  }
}
