import { existsSync, realpathSync, statSync } from 'node:fs';
import type { DatabaseTarget } from '../../config/config';
import { Database } from '../database';
import type { Entities } from '../data-source';
import { behindText } from '../migrating';
import { MIGRATION_LOCKS, type OnWait } from '../migration-lock';
import { migrations } from '../migrations';
import { openingError } from '../errors';
import { makeDatabaseFile } from '../sqlite-files';
import { UNFINISHED_COPY } from './copy-progress';
import type { CopiedTable } from './copied-tables';
import { CopyEnd, CopyRefusedError, migrationsOf, quoted } from './copy-end';
import { CopyProgress } from './copy-progress';
import { stateOf } from './database-state';
import { MysqlEnd } from './mysql-end';
import { SqliteEnd } from './sqlite-end';

/** Tables that track migrations. */
const OF_MIGRATIONS = ['migrations', 'migration_statements', MIGRATION_LOCKS];

async function open(target: DatabaseTarget): Promise<CopyEnd> {
  try {
    return target.engine === 'sqlite' ? new SqliteEnd(target.file) : await MysqlEnd.connect(target.url);
  } catch (error) {
    throw openingError(target, error);
  }
}

/** How messages refer to a database. */
interface Subject {
  /** Begins sentences. */
  name: string;
  /** What to do before `db:migrate`, as a sentence. */
  beforeMigration?: string;
}

const SOURCE: Subject = { name: 'The source', beforeMigration: 'Set DATABASE_URL to it.' };

/**
 * Opens the database to copy from. It is neither changed nor migrated.
 * @throws CopyRefusedError if it is in use, or its migrations differ from this release's
 */
export const openSource = (target: DatabaseTarget): Promise<CopyEnd> => openUnused(target, SOURCE);

/**
 * Opens a database that no other process uses. It is not migrated.
 * @throws CopyRefusedError if it is in use, or its migrations differ from this release's
 */
export async function openUnused(target: DatabaseTarget, subject: Subject): Promise<CopyEnd> {
  if (target.engine === 'sqlite' && !isFilled(target.file)) {
    throw new CopyRefusedError(`${subject.name} ${target.file} does not exist or is empty.`);
  }
  const end = await open(target);
  try {
    await end.requireAlone();
    await requireCurrent(end, subject);
    return end;
  } catch (error) {
    await end.close();
    throw openingError(target, error);
  }
}

const isFilled = (file: string): boolean => existsSync(file) && statSync(file).size > 0;

async function requireCurrent(end: CopyEnd, { name, beforeMigration }: Subject): Promise<void> {
  const applied = await migrationsOf(end);
  const own: string[] = migrations.map((migration) => new migration().name);
  const [missing, unknown] = [
    own.filter((each) => !applied.includes(each)),
    applied.filter((each) => !own.includes(each)),
  ];
  if (missing.length === own.length) {
    throw new CopyRefusedError(`${name} ${end.name} is not a Gosset database.`);
  }
  if (missing.length > 0) {
    throw new CopyRefusedError(behindText(name, missing, beforeMigration));
  }
  if (unknown.length > 0) {
    throw new CopyRefusedError(
      `${name} belongs to a newer release; this release does not have these migrations: ${unknown.join(', ')}.`,
    );
  }
  if ((await end.tables()).includes(UNFINISHED_COPY)) {
    throw new CopyRefusedError(
      `${name} ${end.name} is the target of an unfinished db:copy. Complete that copy first, or use another database.`,
    );
  }
}

/** The target database, and the dependencies of its migration. */
interface NewTarget {
  to: DatabaseTarget;
  entities: Entities;
  onWait: OnWait;
}

/**
 * Opens the database to copy to, and migrates it to the schema of this release. It is marked as an unfinished copy
 * first, because servers would accept a migrated database. A database with data is not changed. It is accepted only if
 * it is a complete copy of the source.
 * @throws CopyRefusedError if it is in use, has other data, or is the source
 */
export async function prepareTarget(
  { to, entities, onWait }: NewTarget,
  source: CopyEnd,
  tables: readonly CopiedTable[],
): Promise<{ target: CopyEnd; isComplete: boolean }> {
  if (to.engine === 'sqlite' && existsSync(to.file) && realpathSync(to.file) === realOf(source.name)) {
    throw new CopyRefusedError('The source and the target are the same database.');
  }
  const isComplete = await claim(to, source, tables);
  if (!isComplete) {
    await migrate({ to, entities, onWait });
  }
  const target = await open(to);
  try {
    await target.requireAlone();
    return { target, isComplete };
  } catch (error) {
    await target.close();
    throw error;
  }
}

const realOf = (file: string): string => (existsSync(file) ? realpathSync(file) : file);

/**
 * Marks the target as an unfinished copy. If it is not marked yet, it must be empty or a complete copy.
 * @returns whether it is a complete copy, which is not marked
 */
async function claim(to: DatabaseTarget, source: CopyEnd, tables: readonly CopiedTable[]): Promise<boolean> {
  const target = await openNew(to);
  try {
    if (target.name === source.name) {
      throw new CopyRefusedError('The source and the target are the same database.');
    }
    await target.requireAlone();
    const names = await target.tables();
    if (names.includes(UNFINISHED_COPY)) {
      return false;
    }
    const foreign = foreignTable(names, tables);
    const problem = foreign ?? (await filledTable(target, names, tables));
    if (problem === null) {
      await new CopyProgress(target).mark();
      return false;
    }
    // Other programs also have tables with names such as `migrations` and `users`.
    const isOwn = foreign === null && tables.every(({ name }) => names.includes(name));
    if (isOwn && (await isCopy(target, source, tables))) {
      return true;
    }
    throw new CopyRefusedError(`The target ${target.name} is not empty: ${problem}. Use an empty database.`);
  } finally {
    await target.close();
  }
}

/** Opens a database; on SQLite, the file need not exist. */
function openNew(to: DatabaseTarget): Promise<CopyEnd> {
  try {
    if (to.engine === 'sqlite') {
      makeDatabaseFile(to.file);
    }
  } catch (error) {
    throw openingError(to, error);
  }
  return open(to);
}

/** A table that releases do not create, as the end of a sentence; null if there is none. */
function foreignTable(names: readonly string[], tables: readonly CopiedTable[]): string | null {
  const known = [...tables.map(({ name }) => name), ...OF_MIGRATIONS];
  const foreign = names.find((name) => !known.includes(name));
  return foreign === undefined ? null : `it has the table ${foreign}`;
}

/** A table that has rows, as the end of a sentence; null if there is none. */
async function filledTable(
  target: CopyEnd,
  names: readonly string[],
  tables: readonly CopiedTable[],
): Promise<string | null> {
  for (const { name } of tables.filter((table) => names.includes(table.name))) {
    const rows = await target.all(`SELECT 1 FROM ${quoted(name)} LIMIT 1`);
    if (rows.length > 0) {
      return `its table ${name} has rows`;
    }
  }
  return null;
}

/** Whether the target seems to be a copy of the source that has not been used since. */
async function isCopy(target: CopyEnd, source: CopyEnd, tables: readonly CopiedTable[]): Promise<boolean> {
  const [applied, own] = [await migrationsOf(target), await migrationsOf(source)];
  return (
    applied.join() === own.join() &&
    (await stateOf(target, tables)).digest === (await stateOf(source, tables)).digest
  );
}

async function migrate({ to, entities, onWait }: NewTarget): Promise<void> {
  const database = await Database.open(to, entities, 'copy');
  try {
    await database.migrate(onWait);
  } catch (error) {
    throw openingError(to, error);
  } finally {
    await database.onApplicationShutdown();
  }
}
