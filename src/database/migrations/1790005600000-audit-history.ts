import { type MigrationInterface, type QueryRunner, TableIndex } from 'typeorm';
import { addColumn } from './schema';

const INDEX = 'ix_audit_entries_item';

/** Adds item names and request ids to audit entries, and an index for the history of one record. */
export class AuditHistory1790005600000 implements MigrationInterface {
  readonly name = 'AuditHistory1790005600000';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'audit_entries', 'item_name', 'line');
    await addColumn(runner, 'audit_entries', 'request_id', 'requestId');
    const columnNames = ['project_id', 'item_type', 'item_id', 'id'];
    await runner.createIndex('audit_entries', new TableIndex({ name: INDEX, columnNames }));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex('audit_entries', INDEX);
    await runner.query('ALTER TABLE audit_entries DROP COLUMN request_id');
    await runner.query('ALTER TABLE audit_entries DROP COLUMN item_name');
  }
}
