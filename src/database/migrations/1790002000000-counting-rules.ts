import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isMysql } from './schema';

const COLUMNS = [
  ['rules_version', 'count'],
  ['attribution_version', 'count'],
  ['rules', 'text'],
  ['seen_from', 'bigint'],
  ['seen_until', 'bigint'],
  ['rebuild_version', 'int'],
  ['rebuild_rules', 'text'],
  ['revised_at', 'bigint'],
] as const;

const TYPES = {
  count: { sqlite: 'integer NOT NULL DEFAULT 0', mysql: 'int NOT NULL DEFAULT 0' },
  int: { sqlite: 'integer', mysql: 'int NULL' },
  bigint: { sqlite: 'bigint', mysql: 'bigint NULL' },
  text: { sqlite: 'text', mysql: 'mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL' },
};

/**
 * Adds the version of the rules under which results were counted. Results of the first release include conversions
 * after an experiment's end. These results are shown until a server has rebuilt them in the background.
 */
export class CountingRules1790002000000 implements MigrationInterface {
  readonly name = 'CountingRules1790002000000';

  async up(runner: QueryRunner): Promise<void> {
    const engine = isMysql(runner) ? 'mysql' : 'sqlite';
    const add = async (table: string, column: string, type: keyof typeof TYPES): Promise<void> => {
      if (!(await runner.hasColumn(table, column))) {
        await runner.query(`ALTER TABLE ${table} ADD COLUMN ${column} ${TYPES[type][engine]}`);
      }
    };
    await add('events', 'arrived_at', 'bigint');
    for (const [column, type] of COLUMNS) {
      await add('experiment_results', column, type);
    }
    await runner.query(
      `UPDATE experiment_results
          SET rules_version = attribution_version + 1, seen_from = first_event_at, seen_until = last_event_at
        WHERE rules IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE events DROP COLUMN arrived_at');
    for (const [column] of COLUMNS) {
      await runner.query(`ALTER TABLE experiment_results DROP COLUMN ${column}`);
    }
  }
}
