import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTable, primary, schemaOf } from './schema';

/** Creates the tables for links between visitor ids. Each step can be repeated after an interruption. */
export class LinkedVisitors1790004000000 implements MigrationInterface {
  readonly name = 'LinkedVisitors1790004000000';

  async up(runner: QueryRunner): Promise<void> {
    const { integer, micros, flag, key } = schemaOf(runner);
    if (!(await runner.hasTable('linked_visitors'))) {
      await createTable(runner, 'linked_visitors', {
        columns: {
          project_id: primary(integer),
          visitor_id: primary(key(65)),
          canonical_id: key(65),
          linked_at: micros,
          attributed: flag,
          lock_version: { type: 'bigint', default: 0 },
        },
        indices: { ix_linked_visitors_canonical: ['project_id', 'canonical_id'] },
        isClustered: true,
      });
    }
    if (!(await runner.hasTable('link_counts'))) {
      await createTable(runner, 'link_counts', {
        columns: {
          project_id: primary(integer),
          links: integer,
          lock_version: { type: 'bigint', default: 0 },
        },
      });
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('link_counts');
    await runner.dropTable('linked_visitors');
  }
}
