import type { MigrationInterface, QueryRunner } from 'typeorm';
import { exactSum } from '../dialect';
import { createTable, isMysql, primary, schemaOf } from './schema';

const KEY = 'experiment_id, generation, goal_id, variation_id, device, entry_day';

/** Adds sums of cells over event days, including sums of existing cells. Each step can be repeated. */
export class EntryCells1790001200000 implements MigrationInterface {
  readonly name = 'EntryCells1790001200000';

  async up(runner: QueryRunner): Promise<void> {
    const { integer, exactSum: exact } = schemaOf(runner);
    if (!(await runner.hasTable('entry_cells'))) {
      await createTable(runner, 'entry_cells', {
        columns: {
          experiment_id: primary(integer),
          generation: primary(integer),
          goal_id: primary(integer),
          variation_id: primary(integer),
          device: primary(integer),
          entry_day: primary(integer),
          participants: integer,
          converters: integer,
          conversions: integer,
          value: exact,
          value_squared: exact,
        },
        references: [
          {
            name: 'fk_entry_cells_experiment_result',
            column: 'experiment_id',
            table: 'experiment_results',
            key: 'experiment_id',
          },
        ],
        isClustered: true,
      });
    }
    const engine = isMysql(runner) ? 'mysql' : 'sqlite';
    const results = (await runner.query(
      'SELECT experiment_id FROM experiment_results ORDER BY experiment_id',
    )) as { experiment_id: number }[];
    for (const { experiment_id } of results) {
      await runner.query('DELETE FROM entry_cells WHERE experiment_id = ?', [experiment_id]);
      await runner.query(
        `INSERT INTO entry_cells (${KEY}, participants, converters, conversions, value, value_squared)
         SELECT ${KEY}, SUM(participants), SUM(converters), SUM(conversions),
                ${exactSum(engine, 'value')}, ${exactSum(engine, 'value_squared')}
           FROM result_cells WHERE experiment_id = ? GROUP BY ${KEY}`,
        [experiment_id],
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('entry_cells');
  }
}
