import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Distinguishes marks from before the migration from marks that processes of the first release set afterwards. It
 * changes only marks that are still waiting, so it can be repeated after an interruption.
 */
export class EarlierMarks1790008000000 implements MigrationInterface {
  readonly name = 'EarlierMarks1790008000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('UPDATE dirty_visitors SET marked_at = 1 WHERE marked_at = 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('UPDATE dirty_visitors SET marked_at = 0 WHERE marked_at = 1');
  }
}
