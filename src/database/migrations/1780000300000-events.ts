import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTable, nullable, primary, schemaOf } from './schema';

const TABLES = [
  'result_cells',
  'experiment_results',
  'collected_goals',
  'event_purges',
  'dirty_visitors',
  'events',
];

/** Creates the tables for events and results. */
export class Events1780000300000 implements MigrationInterface {
  readonly name = 'Events1780000300000';

  async up(runner: QueryRunner): Promise<void> {
    const { id, integer, micros, flag, key, exactSum } = schemaOf(runner);
    const visitor = { project_id: primary(integer), visitor_id: primary(key(65)) };
    await createTable(runner, 'events', {
      columns: {
        ...visitor,
        event_id: primary(key(36)),
        occurred_at: micros,
        experiment_id: nullable(integer),
        variation_id: nullable(integer),
        goal_id: nullable(integer),
        value: nullable(micros),
        device: integer,
        attributed: flag,
      },
      isClustered: true,
    });
    await createTable(runner, 'dirty_visitors', { columns: visitor, isClustered: true });
    await createTable(runner, 'event_purges', {
      columns: { id, project_id: integer, experiment_id: nullable(integer) },
    });
    await createTable(runner, 'collected_goals', {
      columns: { goal_id: primary(integer) },
      references: [{ name: 'fk_collected_goals_goal', column: 'goal_id', table: 'goals' }],
    });
    await createTable(runner, 'experiment_results', {
      columns: {
        experiment_id: primary(integer),
        version: integer,
        generation: integer,
        first_event_at: nullable(micros),
        last_event_at: nullable(micros),
        rebuild_generation: nullable(integer),
        rebuilt_to: nullable(key(65)),
        rebuild_first_event_at: nullable(micros),
        rebuild_last_event_at: nullable(micros),
      },
      references: [
        { name: 'fk_experiment_results_experiment', column: 'experiment_id', table: 'experiments' },
      ],
    });
    await createTable(runner, 'result_cells', {
      columns: {
        experiment_id: primary(integer),
        generation: primary(integer),
        goal_id: primary(integer),
        variation_id: primary(integer),
        device: primary(integer),
        entry_day: primary(integer),
        event_day: primary(integer),
        participants: integer,
        converters: integer,
        conversions: integer,
        value: exactSum,
        value_squared: exactSum,
      },
      references: [
        {
          name: 'fk_result_cells_experiment_result',
          column: 'experiment_id',
          table: 'experiment_results',
          key: 'experiment_id',
        },
      ],
      isClustered: true,
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await runner.dropTable(table);
    }
  }
}
