import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './schema';

/** Allows purges to wait for events that are on their way to ClickHouse. */
export class LateEvents1790007800000 implements MigrationInterface {
  readonly name = 'LateEvents1790007800000';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'event_purges', 'purged_at', 'optionalBigint');
    await addColumn(runner, 'event_purges', 'up_to_batch', 'optionalBigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE event_purges DROP COLUMN up_to_batch');
    await runner.query('ALTER TABLE event_purges DROP COLUMN purged_at');
  }
}
