import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTable, nullable, primary, schemaOf } from './schema';

/** Creates the tables for moving events from this database to ClickHouse. */
export class EventMoves1790007400000 implements MigrationInterface {
  readonly name = 'EventMoves1790007400000';

  async up(runner: QueryRunner): Promise<void> {
    const { integer, micros, flag, key } = schemaOf(runner);
    const counter = { type: 'bigint', default: 0 };
    await createTable(runner, 'event_gates', {
      columns: { slot: primary(integer), is_closed: flag, lock_version: counter },
    });
    await createTable(runner, 'event_moves', {
      columns: {
        id: primary(integer),
        project_id: integer,
        visitor_id: key(65),
        event_id: key(36),
        events: counter,
        waiting_batches: integer,
        started_at: micros,
        finished_at: nullable(micros),
        lock_version: counter,
      },
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('event_moves');
    await runner.dropTable('event_gates');
  }
}
