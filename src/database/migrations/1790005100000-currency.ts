import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './schema';

/** Adds the currency of a project's revenue. By default, the currency is unknown, as before. */
export class Currency1790005100000 implements MigrationInterface {
  readonly name = 'Currency1790005100000';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'projects', 'currency', 'currencyCode');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE projects DROP COLUMN currency');
  }
}
