import { type Micros, nowMicros, SECOND_MICROS } from '../common/time/clock';
import type { DatabaseTarget } from '../config/config';
import { CopiedTable, copiedTables } from './copy/copied-tables';
import { CopyEnd, quoted } from './copy/copy-end';
import { openUnused } from './copy/open-ends';
import type { Entities } from './data-source';

/** More numbers than a server assigns between two backups, and few enough for 2,000 restores with 32-bit columns. */
const MIN_SKIPPED = 1_000_000;

/**
 * More numbers than a server usually assigns in a minute. They are skipped for each minute since the backup, so if the
 * same backup is restored twice, the numbers that were assigned between the two restores are not assigned again.
 */
const PER_MINUTE = 100;
const MINUTE_MICROS = 60 * SECOND_MICROS;

export interface SkipReport {
  skipped: number;
  /** The id that the next row gets, by table. */
  next_ids: Record<string, number>;
  /** Names of the raised version columns, by table. */
  versions: Record<string, string[]>;
  /** Number of projects whose next revision skips numbers. */
  projects: number;
}

/**
 * Skips ids, versions and revision numbers in a restored database. Browsers, SDKs and API clients know the numbers that
 * were assigned after the backup, and would apply them to new records.
 * @throws CopyRefusedError if the database is in use or is not up to date
 */
export async function skipNumbers(target: DatabaseTarget, entities: Entities): Promise<SkipReport> {
  const tables = await copiedTables(entities);
  const database = await openUnused(target, { name: 'The database' });
  try {
    const skipped = numbersToSkip(await lastChange(database), nowMicros());
    // MySQL commits each counter by itself. A repetition after an interruption skips more, which does no harm.
    return await database.transaction(async () => ({
      skipped,
      next_ids: await skipIds(database, tables, skipped),
      versions: await skipVersions(database, tables, skipped),
      projects: await skipRevisions(database, skipped),
    }));
  } finally {
    await database.close();
  }
}

/** How many numbers are skipped. @param backup when the backup was made; null if unknown */
export function numbersToSkip(backup: Micros | null, now: Micros): number {
  const minutes = Math.max(now - (backup ?? now), 0) / MINUTE_MICROS;
  return MIN_SKIPPED + Math.ceil(minutes * PER_MINUTE);
}

/** The time of the last change in the database, which is not later than the backup; null if nothing has changed. */
async function lastChange(database: CopyEnd): Promise<Micros | null> {
  const [[at]] = await database.all('SELECT MAX(at) FROM audit_entries');
  return at === null ? null : Number(at);
}

async function skipIds(
  database: CopyEnd,
  tables: readonly CopiedTable[],
  skipped: number,
): Promise<Record<string, number>> {
  const ids: Record<string, number> = {};
  for (const { name } of tables.filter(({ hasCounter }) => hasCounter)) {
    const next = (await database.nextId(name)) + BigInt(skipped);
    await database.setNextId(name, next);
    ids[name] = Number(next);
  }
  return ids;
}

async function skipVersions(
  database: CopyEnd,
  tables: readonly CopiedTable[],
  skipped: number,
): Promise<Record<string, string[]>> {
  await addCollectionVersions(database, tables);
  const versions: Record<string, string[]> = {};
  for (const table of tables) {
    const columns = versionsOf(table);
    if (columns.length > 0) {
      const raised = columns.map((column) => `${column} = ${column} + ${skipped}`);
      await database.run(`UPDATE ${quoted(table.name)} SET ${raised.join(', ')}`);
      versions[table.name] = columns;
    }
  }
  return versions;
}

/** Versions that are never shown, and the one in the signatures of preview links, which remain valid. */
const KEPT = ['lock_version', 'preview_version'];

/** Columns that refer to another table's version are raised with it. */
const versionsOf = ({ columns }: CopiedTable): string[] =>
  columns
    .filter(({ name, kind }) => kind === 'integer' && /(?:^|_)version$/.test(name) && !KEPT.includes(name))
    .map(({ name }) => name);

/** @returns the number of projects */
async function skipRevisions(database: CopyEnd, skipped: number): Promise<number> {
  const own = '(SELECT p.snippet_revision FROM projects p WHERE p.id = project_versions.project_id)';
  await database.run(`UPDATE project_versions SET min_revision = ${own} + 1 WHERE min_revision <= ${own}`);
  return database.run(`UPDATE project_versions SET min_revision = min_revision + ${skipped}`);
}

/** A missing row stands for the version 1, and the first change adds it with 2. The collections are the lists by name. */
async function addCollectionVersions(database: CopyEnd, tables: readonly CopiedTable[]): Promise<void> {
  const isCollection = ({ columns }: CopiedTable): boolean =>
    ['project_id', 'name_key', 'version'].every((column) => columns.some(({ name }) => name === column));
  for (const { name } of tables.filter(isCollection)) {
    await database.run(
      `INSERT INTO collection_versions (project_id, collection, version)
       SELECT p.id, ?, 1 FROM projects p
        WHERE NOT EXISTS (SELECT 1 FROM collection_versions c WHERE c.project_id = p.id AND c.collection = ?)`,
      [name, name],
    );
  }
}
