import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTable, nullable, primary, Schema, schemaOf, TableDescription } from './schema';

const project = (table: string): TableDescription['references'] => [
  { name: `fk_${table}_project`, column: 'project_id', table: 'projects' },
];

/** The columns that every record with a name has. */
function named(schema: Schema): TableDescription['columns'] {
  return { id: schema.id, name: schema.text(255), name_key: schema.text(64), name_search: schema.text(765) };
}

function stamped(schema: Schema): TableDescription['columns'] {
  return { version: schema.integer, created_at: schema.micros, updated_at: schema.micros };
}

/** A standard resource of a project: found by name, its api_name unique where it has one. */
function item(table: string, schema: Schema, own: TableDescription['columns']): TableDescription {
  const hasApiName = 'api_name' in own;
  return {
    columns: { ...named(schema), project_id: schema.integer, ...own, ...stamped(schema) },
    unique: hasApiName ? { [`uq_${table}_api_name`]: ['project_id', 'api_name'] } : {},
    indices: { [`ix_${table}_name_key`]: ['project_id', 'name_key'] },
    references: project(table),
  };
}

/** Projects and what experiments are made of. */
export class Definitions1780000100000 implements MigrationInterface {
  readonly name = 'Definitions1780000100000';

  async up(runner: QueryRunner): Promise<void> {
    const schema = schemaOf(runner);
    const { integer, micros, flag, text, mediumText } = schema;
    await createTable(runner, 'projects', {
      columns: {
        ...named(schema),
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
        ...stamped(schema),
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
      references: project('project_versions'),
    });
    const description = nullable(mediumText);
    const tables: Record<string, TableDescription['columns']> = {
      environments: { api_name: text(64), is_default: flag, code: mediumText },
      audiences: { description, conditions: nullable(mediumText) },
      pages: { api_name: text(64), description, conditions: nullable(mediumText), activation: text(16) },
    };
    for (const [table, own] of Object.entries(tables)) {
      await createTable(runner, table, item(table, schema, own));
    }
    const goals = item('goals', schema, {
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
