import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isMysql } from './schema';

const CELLS = ['result_cells', 'entry_cells'];

/**
 * Processes of the first release may still run after an upgrade on MySQL. Without the default, their attribution fails
 * and leaves the events to this release, instead of adding to cells whose sums it does not know. On SQLite it fails
 * because the key of the cells has changed.
 */
export class CellsWithoutDefault1790007700000 implements MigrationInterface {
  readonly name = 'CellsWithoutDefault1790007700000';

  up(runner: QueryRunner): Promise<void> {
    return alterPhase(runner, 'DROP DEFAULT');
  }

  down(runner: QueryRunner): Promise<void> {
    return alterPhase(runner, 'SET DEFAULT 1');
  }
}

async function alterPhase(runner: QueryRunner, change: string): Promise<void> {
  for (const table of isMysql(runner) ? CELLS : []) {
    await runner.query(`ALTER TABLE ${table} ALTER COLUMN phase ${change}`);
  }
}
