import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTable, nullable, resourceTable, schemaOf } from './schema';

/** Creates the table for groups of experiments that exclude each other. */
export class ExclusionGroups1790006100000 implements MigrationInterface {
  readonly name = 'ExclusionGroups1790006100000';

  async up(runner: QueryRunner): Promise<void> {
    const schema = schemaOf(runner);
    if (!(await runner.hasTable('exclusion_groups'))) {
      const own = { api_name: schema.text(64), description: nullable(schema.mediumText) };
      await createTable(runner, 'exclusion_groups', resourceTable('exclusion_groups', schema, own));
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('exclusion_groups');
  }
}
