import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTable, schemaOf } from './schema';

/** Creates the table for sessions. */
export class Sessions1780000700000 implements MigrationInterface {
  readonly name = 'Sessions1780000700000';

  async up(runner: QueryRunner): Promise<void> {
    const { id, integer, micros, key } = schemaOf(runner);
    await createTable(runner, 'sessions', {
      columns: {
        id,
        user_id: integer,
        secret_hash: key(64),
        created_at: micros,
        last_used_at: micros,
        expires_at: micros,
      },
      unique: { uq_sessions_secret_hash: ['secret_hash'] },
      indices: { ix_sessions_user: ['user_id'], ix_sessions_expires: ['expires_at'] },
      references: [{ name: 'fk_sessions_user', column: 'user_id', table: 'users' }],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('sessions');
  }
}
