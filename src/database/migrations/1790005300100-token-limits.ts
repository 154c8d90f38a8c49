import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './schema';

/** Allows tokens to expire and to be limited to projects. Existing tokens do not expire and are not limited. */
export class TokenLimits1790005300100 implements MigrationInterface {
  readonly name = 'TokenLimits1790005300100';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'api_tokens', 'expires_at', 'optionalBigint');
    await addColumn(runner, 'api_tokens', 'project_ids', 'optionalText');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_tokens DROP COLUMN project_ids');
    await runner.query('ALTER TABLE api_tokens DROP COLUMN expires_at');
  }
}
