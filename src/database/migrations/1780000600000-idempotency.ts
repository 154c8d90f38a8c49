import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTable, nullable, primary, schemaOf } from './schema';

/** Creates the tables for idempotency keys and stored responses. */
export class Idempotency1780000600000 implements MigrationInterface {
  readonly name = 'Idempotency1780000600000';

  async up(runner: QueryRunner): Promise<void> {
    const { id, integer, micros, mediumText, key, bytes } = schemaOf(runner);
    await createTable(runner, 'idempotency_keys', {
      columns: {
        id,
        user_id: integer,
        key_hash: key(64),
        fingerprint: key(64),
        claimed_at: micros,
        status: nullable(integer),
        headers: nullable(mediumText),
      },
      unique: { uq_idempotency_keys_key: ['user_id', 'key_hash'] },
      indices: { ix_idempotency_keys_claimed: ['claimed_at'] },
    });
    await createTable(runner, 'idempotency_bodies', {
      columns: { key_id: primary(integer), part: primary(integer), bytes },
      references: [{ name: 'fk_idempotency_bodies_key', column: 'key_id', table: 'idempotency_keys' }],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('idempotency_bodies');
    await runner.dropTable('idempotency_keys');
  }
}
