import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTable, nullable, primary, schemaOf } from './schema';

const ATTACHMENTS = ['audience', 'page', 'goal', 'environment'];

/** Creates the tables for experiments, variations, attachments and runs. */
export class Experiments1780000200000 implements MigrationInterface {
  readonly name = 'Experiments1780000200000';

  async up(runner: QueryRunner): Promise<void> {
    const { id, integer, micros, flag, text, shortText, mediumText } = schemaOf(runner);
    const named = { id, name: text(255), name_key: text(64), name_search: text(765), api_name: text(64) };
    const stamped = { version: integer, created_at: micros, updated_at: micros };
    const experiment = { column: 'experiment_id', table: 'experiments' };
    await createTable(runner, 'experiments', {
      columns: {
        ...named,
        project_id: integer,
        status: text(16),
        description: nullable(mediumText),
        example_url: nullable(text(2048)),
        traffic_allocation: integer,
        audiences_match_type: text(8),
        tags: shortText,
        js: nullable(mediumText),
        reset_js: nullable(mediumText),
        css: nullable(mediumText),
        share_token: text(64),
        started_at: nullable(micros),
        paused_at: nullable(micros),
        archived_at: nullable(micros),
        ...stamped,
        deleted_at: nullable(micros),
        trash_slot: integer,
      },
      unique: {
        uq_experiments_api_name: ['project_id', 'api_name', 'trash_slot'],
        uq_experiments_share_token: ['share_token'],
      },
      indices: {
        ix_experiments_name_key: ['project_id', 'name_key'],
        ix_experiments_deleted_at: ['deleted_at'],
      },
      references: [{ name: 'fk_experiments_project', column: 'project_id', table: 'projects' }],
    });
    await createTable(runner, 'variations', {
      columns: {
        ...named,
        experiment_id: integer,
        description: nullable(mediumText),
        is_original: flag,
        traffic_allocation: nullable(integer),
        js: nullable(mediumText),
        css: nullable(mediumText),
        ...stamped,
      },
      unique: { uq_variations_api_name: ['experiment_id', 'api_name'] },
      references: [{ name: 'fk_variations_experiment', ...experiment }],
    });
    await createTable(runner, 'experiment_runs', {
      columns: { id, experiment_id: integer, started_at: micros, ended_at: nullable(micros) },
      indices: { ix_experiment_runs_experiment: ['experiment_id'] },
      references: [{ name: 'fk_experiment_runs_experiment', ...experiment }],
    });
    for (const kind of ATTACHMENTS) {
      const table = `experiment_${kind}s`;
      await createTable(runner, table, {
        columns: { experiment_id: primary(integer), [`${kind}_id`]: primary(integer), position: integer },
        indices: { [`ix_${table}_${kind}`]: [`${kind}_id`] },
        references: [
          { name: `fk_${table}_experiment`, ...experiment },
          { name: `fk_${table}_${kind}`, column: `${kind}_id`, table: `${kind}s` },
        ],
      });
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    const attachments = ATTACHMENTS.map((kind) => `experiment_${kind}s`);
    for (const table of [...attachments, 'experiment_runs', 'variations', 'experiments']) {
      await runner.dropTable(table);
    }
  }
}
