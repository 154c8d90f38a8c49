import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTable, nullable, resourceTable, schemaOf } from './schema';

/** Creates the tables for webhooks and their messages. */
export class Webhooks1790006400000 implements MigrationInterface {
  readonly name = 'Webhooks1790006400000';

  async up(runner: QueryRunner): Promise<void> {
    const schema = schemaOf(runner);
    const { id, integer, micros, flag, text, shortText, mediumText } = schema;
    const lockVersion = { ...micros, default: 0 };
    await createTable(
      runner,
      'webhooks',
      resourceTable('webhooks', schema, {
        url: text(2_048),
        events: shortText,
        format: text(16),
        is_active: flag,
        secret: text(64),
        previous_secret: nullable(text(64)),
        previous_secret_until: nullable(micros),
        lock_version: lockVersion,
      }),
    );
    await createTable(runner, 'webhook_deliveries', {
      columns: {
        id,
        webhook_id: integer,
        lane: integer,
        message_id: text(64),
        type: text(64),
        body: mediumText,
        status: text(16),
        tries: integer,
        next_try_at: micros,
        response_status: nullable(integer),
        error: nullable(text(255)),
        created_at: micros,
        delivered_at: nullable(micros),
        lock_version: lockVersion,
      },
      indices: {
        ix_webhook_deliveries_due: ['status', 'next_try_at'],
        ix_webhook_deliveries_lane: ['webhook_id', 'lane', 'status', 'id'],
        ix_webhook_deliveries_created_at: ['created_at'],
      },
      references: [{ name: 'fk_webhook_deliveries_webhook', column: 'webhook_id', table: 'webhooks' }],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('webhook_deliveries');
    await runner.dropTable('webhooks');
  }
}
