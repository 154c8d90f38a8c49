import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  createTable,
  namedColumns,
  nullable,
  primary,
  resourceTable,
  schemaOf,
  stampedColumns,
  TableDescription,
} from './schema';

/** Creates the tables for projects, audiences, pages, goals and environments. */
export class Definitions1780000100000 implements MigrationInterface {
  readonly name = 'Definitions1780000100000';

  async up(runner: QueryRunner): Promise<void> {
    const schema = schemaOf(runner);
    const { integer, micros, flag, text, mediumText } = schema;
    await createTable(runner, 'projects', {
      columns: {
        ...namedColumns(schema),
        team_id: integer,
        storage: text(16),
        snippet_revision: integer,
        client_key: text(32),
        description: nullable(mediumText),
        significance: integer,
        min_conversions: integer,
        min_runtime_days: integer,
        statistics_method: text(16),
        statistics_correction: text(32),
        ...stampedColumns(schema),
        deleted_at: nullable(micros),
      },
      unique: { uq_projects_client_key: ['client_key'] },
      indices: { ix_projects_team: ['team_id'], ix_projects_deleted_at: ['deleted_at'] },
      references: [{ name: 'fk_projects_team', column: 'team_id', table: 'teams' }],
    });
    await createTable(runner, 'project_versions', {
      columns: {
        project_id: primary(integer),
        version: integer,
        experiments: integer,
        audiences: integer,
        pages: integer,
        goals: integer,
        environments: integer,
      },
      references: [{ name: 'fk_project_versions_project', column: 'project_id', table: 'projects' }],
    });
    const description = nullable(mediumText);
    const tables: Record<string, TableDescription['columns']> = {
      environments: { api_name: text(64), is_default: flag, code: mediumText },
      audiences: { description, conditions: nullable(mediumText) },
      pages: { api_name: text(64), description, conditions: nullable(mediumText), activation: text(16) },
    };
    for (const [table, own] of Object.entries(tables)) {
      await createTable(runner, table, resourceTable(table, schema, own));
    }
    const goals = resourceTable('goals', schema, {
      api_name: text(64),
      description,
      type: text(16),
      selector: nullable(mediumText),
      page_id: nullable(integer),
      value_type: text(16),
      direction: text(16),
    });
    goals.indices = { ...goals.indices, ix_goals_page: ['page_id'] };
    goals.references = [
      ...(goals.references ?? []),
      { name: 'fk_goals_page', column: 'page_id', table: 'pages' },
    ];
    await createTable(runner, 'goals', goals);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['goals', 'pages', 'audiences', 'environments', 'project_versions', 'projects']) {
      await runner.dropTable(table);
    }
  }
}
