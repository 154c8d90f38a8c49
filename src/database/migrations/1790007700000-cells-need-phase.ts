import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isMysql } from './schema';

const CELLS = ['result_cells', 'entry_cells'];

/**
 * Removes the default phase of cells on MySQL, where processes of the first release may still run after an upgrade.
 * Without the default, attribution by these processes fails if it changes cells, and leaves the events to this release.
 * Otherwise, it would change cells with sums that the first release does not know. These processes use the server's SQL
 * mode. Without strict mode, MySQL stores 0 instead of rejecting the row, so the cells also need a constraint that
 * applies in every mode. On SQLite, attribution fails because the cell key has changed. `EarlierProcesses` describes
 * attribution that changes no cells.
 */
export class CellsNeedPhase1790007700000 implements MigrationInterface {
  readonly name = 'CellsNeedPhase1790007700000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of isMysql(runner) ? CELLS : []) {
      // A single statement, because a process of the first release could store an invalid row between two statements.
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
