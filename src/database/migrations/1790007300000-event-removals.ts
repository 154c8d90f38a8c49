import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTable, nullable, schemaOf } from './schema';

/** Creates the table for events to be deleted from ClickHouse. */
export class EventRemovals1790007300000 implements MigrationInterface {
  readonly name = 'EventRemovals1790007300000';

  async up(runner: QueryRunner): Promise<void> {
    const { id, integer, key, micros } = schemaOf(runner);
    await createTable(runner, 'event_removals', {
      columns: {
        id,
        project_id: integer,
        visitor_id: nullable(key(65)),
        happened_before: nullable(micros),
        up_to_batch: { type: 'bigint' },
        requested_at: micros,
      },
      references: [{ name: 'fk_event_removals_project', column: 'project_id', table: 'projects' }],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('event_removals');
  }
}
