import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTable, nullable, schemaOf } from './schema';

/** Creates the tables for users, teams, memberships, API tokens, and the audit log. */
export class People1780000000000 implements MigrationInterface {
  readonly name = 'People1780000000000';

  async up(runner: QueryRunner): Promise<void> {
    const { id, integer, micros, text, mediumText } = schemaOf(runner);
    const times = { created_at: micros, updated_at: micros };
    await createTable(runner, 'users', {
      columns: {
        id,
        email: text(255),
        name: text(255),
        password_hash: nullable(text(255)),
        rate_limit: nullable(integer),
        disabled_at: nullable(micros),
        teams_version: integer,
        ...times,
      },
      unique: { uq_users_email: ['email'] },
    });
    await createTable(runner, 'teams', {
      columns: { id, name: text(255), name_search: text(765), projects_version: integer, ...times },
    });
    await createTable(runner, 'memberships', {
      columns: { id, team_id: integer, user_id: integer, role: text(16), ...times },
      unique: { uq_memberships_user_team: ['user_id', 'team_id'] },
      indices: { ix_memberships_team: ['team_id'] },
      references: [
        { name: 'fk_memberships_team', column: 'team_id', table: 'teams' },
        { name: 'fk_memberships_user', column: 'user_id', table: 'users' },
      ],
    });
    await createTable(runner, 'api_tokens', {
      columns: {
        id,
        user_id: integer,
        name: text(255),
        token_hash: text(64),
        abilities: text(16),
        last_used_at: nullable(micros),
        created_at: micros,
      },
      unique: { uq_api_tokens_token_hash: ['token_hash'] },
      indices: { ix_api_tokens_user: ['user_id'] },
      references: [{ name: 'fk_api_tokens_user', column: 'user_id', table: 'users' }],
    });
    await createTable(runner, 'audit_entries', {
      columns: {
        id,
        at: micros,
        source: text(16),
        user_id: nullable(integer),
        token_id: nullable(integer),
        action: text(64),
        project_id: nullable(integer),
        item_type: text(32),
        item_id: integer,
        before: nullable(mediumText),
        after: nullable(mediumText),
      },
      indices: { ix_audit_entries_project: ['project_id', 'id'] },
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['audit_entries', 'api_tokens', 'memberships', 'teams', 'users']) {
      await runner.dropTable(table);
    }
  }
}
