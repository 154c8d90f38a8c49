import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTable, primary, schemaOf } from './schema';

/**
 * Creates the tables for batches of events that are stored in ClickHouse. Each step can be repeated after an
 * interruption.
 */
export class EventBatches1790007200000 implements MigrationInterface {
  readonly name = 'EventBatches1790007200000';

  async up(runner: QueryRunner): Promise<void> {
    const { integer, micros, key } = schemaOf(runner);
    const counter = { type: 'bigint' };
    if (!(await runner.hasTable('event_batches'))) {
      await createTable(runner, 'event_batches', {
        columns: { id: primary(counter), state: integer, events: integer, opened_at: micros },
        indices: { ix_event_batches_state: ['state', 'id'] },
      });
    }
    if (!(await runner.hasTable('event_log_marks'))) {
      await createTable(runner, 'event_log_marks', {
        columns: {
          name: primary(key(32)),
          position: counter,
          lock_version: { type: 'bigint', default: 0 },
        },
      });
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('event_log_marks');
    await runner.dropTable('event_batches');
  }
}
