import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn, addLockVersion, createTable, nullable, primary, schemaOf } from './schema';

/**
 * Adds versions of memberships for ETags, and a table for invitations. Each step can be repeated after an interruption.
 */
export class Members1790005300000 implements MigrationInterface {
  readonly name = 'Members1790005300000';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'teams', 'members_version', 'version');
    await addLockVersion(runner, 'teams');
    await addColumn(runner, 'memberships', 'version', 'version');
    if (!(await runner.hasTable('invitations'))) {
      const { integer, micros, text } = schemaOf(runner);
      await createTable(runner, 'invitations', {
        columns: {
          user_id: primary(integer),
          secret_hash: nullable(text(64)),
          expires_at: micros,
          created_at: micros,
        },
        unique: { uq_invitations_secret_hash: ['secret_hash'] },
        references: [{ name: 'fk_invitations_user', column: 'user_id', table: 'users' }],
      });
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('invitations');
    await runner.query('ALTER TABLE memberships DROP COLUMN version');
    await runner.query('ALTER TABLE teams DROP COLUMN lock_version');
    await runner.query('ALTER TABLE teams DROP COLUMN members_version');
  }
}
