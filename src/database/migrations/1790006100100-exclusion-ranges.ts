import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn, createTable, isMysql, schemaOf } from './schema';

/** Adds the exclusion groups of experiments, and the experiments' bucket ranges. */
export class ExclusionRanges1790006100100 implements MigrationInterface {
  readonly name = 'ExclusionRanges1790006100100';

  async up(runner: QueryRunner): Promise<void> {
    const { id, integer } = schemaOf(runner);
    await addColumn(runner, 'experiments', 'exclusion_group_id', 'integer');
    await addColumn(runner, 'experiments', 'exclusion_share', 'wholePercent');
    await runner.query('CREATE INDEX ix_experiments_exclusion_group ON experiments (exclusion_group_id)');
    if (!(await runner.hasTable('exclusion_ranges'))) {
      await createTable(runner, 'exclusion_ranges', {
        columns: {
          id,
          exclusion_group_id: integer,
          experiment_id: integer,
          first_bucket: integer,
          end_bucket: integer,
        },
        unique: { uq_exclusion_ranges_first: ['exclusion_group_id', 'first_bucket'] },
        indices: { ix_exclusion_ranges_experiment: ['experiment_id'] },
        references: [
          { name: 'fk_exclusion_ranges_group', column: 'exclusion_group_id', table: 'exclusion_groups' },
          { name: 'fk_exclusion_ranges_experiment', column: 'experiment_id', table: 'experiments' },
        ],
      });
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('exclusion_ranges');
    await runner.query(
      `DROP INDEX ix_experiments_exclusion_group${isMysql(runner) ? ' ON experiments' : ''}`,
    );
    await runner.query('ALTER TABLE experiments DROP COLUMN exclusion_share');
    await runner.query('ALTER TABLE experiments DROP COLUMN exclusion_group_id');
  }
}
