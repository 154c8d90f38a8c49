import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isMysql } from './schema';

const CELLS = ['result_cells', 'entry_cells'];

/**
 * Processes of the first release use the SQL mode of the server. Without strict mode, MySQL stores 0 for a column
 * without a default instead of rejecting the row, so the cells need a condition that holds in every mode.
 */
export class CellsNeedPhase1790007700100 implements MigrationInterface {
  readonly name = 'CellsNeedPhase1790007700100';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of isMysql(runner) ? CELLS : []) {
      await runner.query(`ALTER TABLE ${table} ADD CONSTRAINT ck_${table}_phase CHECK (phase > 0)`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of isMysql(runner) ? CELLS : []) {
      await runner.query(`ALTER TABLE ${table} DROP CONSTRAINT ck_${table}_phase`);
    }
  }
}
