import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTable, schemaOf } from './schema';

/** Creates the table for user accounts at OpenID Connect providers. */
export class Identities1790006700000 implements MigrationInterface {
  readonly name = 'Identities1790006700000';

  async up(runner: QueryRunner): Promise<void> {
    const { id, integer, micros, text } = schemaOf(runner);
    await createTable(runner, 'identities', {
      columns: { id, user_id: integer, issuer: text(255), subject: text(255), created_at: micros },
      unique: { uq_identities_subject: ['issuer', 'subject'], uq_identities_user: ['user_id', 'issuer'] },
      references: [{ name: 'fk_identities_user', column: 'user_id', table: 'users' }],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('identities');
  }
}
