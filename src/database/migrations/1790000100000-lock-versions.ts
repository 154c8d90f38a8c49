import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addLockVersion } from './schema';

const TABLES = ['dirty_visitors', 'experiment_results', 'project_versions', 'users'];

/** Adds `lock_version` to tables with rows that transactions rely on but do not otherwise change. */
export class LockVersions1790000100000 implements MigrationInterface {
  readonly name = 'LockVersions1790000100000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await addLockVersion(runner, table);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await runner.query(`ALTER TABLE ${table} DROP COLUMN lock_version`);
    }
  }
}
