import type { MigrationInterface, QueryRunner } from 'typeorm';
import { foldName } from '../../common/text/names';
import { addColumn } from './schema';

interface NamedEntry {
  id: number;
  item_name: string;
}

/** Number of entries that are read at a time. */
const BATCH = 1_000;

/**
 * Adds the case-folded names of audit entries, because MySQL and JavaScript do not fold the case of every letter in the
 * same way. Entries of release 0.1.0 have no names, so there is nothing to fold in them.
 */
export class AuditSearch1790007900000 implements MigrationInterface {
  readonly name = 'AuditSearch1790007900000';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'audit_entries', 'item_search', 'folded');
    let entries = await namedEntries(runner, 0);
    while (entries.length > 0) {
      await storeFolded(runner, entries);
      entries = await namedEntries(runner, entries.at(-1)?.id ?? 0);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE audit_entries DROP COLUMN item_search');
  }
}

async function namedEntries(runner: QueryRunner, afterId: number): Promise<NamedEntry[]> {
  return (await runner.query(
    `SELECT id, item_name FROM audit_entries WHERE id > ? AND item_name IS NOT NULL ORDER BY id LIMIT ${BATCH}`,
    [afterId],
  )) as NamedEntry[];
}

async function storeFolded(runner: QueryRunner, entries: readonly NamedEntry[]): Promise<void> {
  const idsByName = new Map<string, number[]>();
  for (const { id, item_name: name } of entries) {
    idsByName.set(name, [...(idsByName.get(name) ?? []), id]);
  }
  for (const [name, ids] of idsByName) {
    const places = ids.map(() => '?').join(', ');
    await runner.query(`UPDATE audit_entries SET item_search = ? WHERE id IN (${places})`, [
      foldName(name),
      ...ids,
    ]);
  }
}
