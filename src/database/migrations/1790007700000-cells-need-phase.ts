import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isMysql } from './schema';

const CELLS = ['result_cells', 'entry_cells'];

/**
 * Processes of the first release may still run after an upgrade on MySQL. Without the default, their attribution fails
 * and leaves the events to this release, instead of adding to cells whose sums it does not know. They use the SQL mode
 * of the server: without strict mode, MySQL stores 0 instead of rejecting the row, so the cells also need a condition
 * that holds in every mode. On SQLite it fails because the key of the cells has changed.
 */
export class CellsNeedPhase1790007700000 implements MigrationInterface {
  readonly name = 'CellsNeedPhase1790007700000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of isMysql(runner) ? CELLS : []) {
      // In one statement: between two, such a process could store a row that the condition rejects.
      await runner.query(
        `ALTER TABLE ${table} ALTER COLUMN phase DROP DEFAULT, ADD CONSTRAINT ck_${table}_phase CHECK (phase > 0)`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of isMysql(runner) ? CELLS : []) {
      await runner.query(
        `ALTER TABLE ${table} ALTER COLUMN phase SET DEFAULT 1, DROP CONSTRAINT ck_${table}_phase`,
      );
    }
  }
}
