import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTable, nullable, primary, schemaOf } from './schema';

/** Creates the tables for publications by revision. */
export class Publications1780000500000 implements MigrationInterface {
  readonly name = 'Publications1780000500000';

  async up(runner: QueryRunner): Promise<void> {
    const { id, integer, micros, bytes, text } = schemaOf(runner);
    await createTable(runner, 'publications', {
      columns: {
        id,
        project_id: integer,
        revision: integer,
        reason: text(16),
        source_revision: nullable(integer),
        user_id: nullable(integer),
        token_id: nullable(integer),
        created_at: micros,
        snippet_version: text(32),
        digest: text(64),
        sha256: text(64),
        sha384: text(64),
        bytes: integer,
        bytes_gzip: integer,
        bytes_brotli: integer,
      },
      unique: { uq_publications_revision: ['project_id', 'revision'] },
      references: [{ name: 'fk_publications_project', column: 'project_id', table: 'projects' }],
    });
    await createTable(runner, 'publication_parts', {
      columns: {
        project_id: primary(integer),
        revision: primary(integer),
        part: primary(text(16)),
        position: primary(integer),
        bytes,
      },
      references: [{ name: 'fk_publication_parts_project', column: 'project_id', table: 'projects' }],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('publication_parts');
    await runner.dropTable('publications');
  }
}
