import { closeSync, fsyncSync, openSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import { makePrivateFile } from '../common/files';
import { VERSION } from '../config/version';
import { hasCode, OpeningError } from './errors';
import { isOfEarlierRelease } from './migrations';
import { retryTransient } from './retry';
import { loadSqliteDriver, lockFile } from './sqlite-driver';

/** How long to wait for other processes that start at the same time. */
const TIMEOUT_MS = 2_000;
const MEGABYTE = 1024 * 1024;

/** The path of the copy that this release makes before it changes a database file. */
export const copyPath = (file: string): string => `${file}.before-${VERSION}`;

const freeBytesOf = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

/**
 * Copies a database from an earlier release before it is migrated, because a downgrade needs the copy. A copy left by a
 * failed attempt is replaced.
 * @param freeBytes returns the free bytes on the disk of a folder
 * @returns the path of the copy; null if the database is new or already migrated
 * @throws OpeningError if another process has the file open, or the disk does not have enough space
 */
export async function copyBeforeUpgrade(file: string, freeBytes = freeBytesOf): Promise<string | null> {
  try {
    return await retryTransient(async () => copyAlone(file, freeBytes), TIMEOUT_MS);
  } catch (error) {
    throw hasCode(error, 'SQLITE_BUSY') ? new OpeningError(inUse(file)) : error;
  }
}

const inUse = (file: string): string =>
  `The database file ${file} belongs to an earlier release, and another process has it open. Stop all servers, workers and other programs that use it, then start again: an earlier release must not count events while this release recounts them.`;

function copyAlone(file: string, freeBytes: typeof freeBytesOf): string | null {
  const Driver = loadSqliteDriver();
  const connection = new Driver(file, { timeout: 0 });
  try {
    if (!isOfEarlierRelease(appliedMigrations(connection))) {
      return null;
    }
    lockFile(connection);
    requireRoom(file, freeBytes(dirname(file)));
    vacuumInto(connection, copyPath(file));
    return copyPath(file);
  } finally {
    connection.close();
  }
}

function appliedMigrations(connection: BetterSqlite3.Database): string[] {
  const isThere = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'migrations'").get();
  return isThere === undefined
    ? []
    : connection
        .prepare<[], { name: string }>('SELECT * FROM migrations')
        .all()
        .map(({ name }) => name);
}

function requireRoom(file: string, free: number): void {
  const needed = statSync(file).size;
  if (free < needed) {
    const [has, needs] = [Math.floor(free / MEGABYTE), Math.ceil(needed / MEGABYTE)];
    throw new OpeningError(
      `The database file ${file} belongs to an earlier release and is copied to ${copyPath(file)} before it is migrated. The disk has ${has} MB free, but the copy needs ${needs} MB. Free some disk space, then start again.`,
    );
  }
}

/** The copy gets its final name once it is complete and on disk. */
function vacuumInto(connection: BetterSqlite3.Database, copy: string): void {
  const part = `${copy}.part`;
  rmSync(part, { force: true });
  try {
    makePrivateFile(part);
    connection.prepare('VACUUM INTO ?').run(part);
    const opened = openSync(part, 'r+');
    fsyncSync(opened);
    closeSync(opened);
    renameSync(part, copy);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}
