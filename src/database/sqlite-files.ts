import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import { makePrivate, makePrivateFile, makePrivateFolder, makePrivateWhereOnly } from '../common/files';
import { migrations } from './migrations';
import { OpeningError } from './errors';
import { loadSqliteDriver, TABLE_NAMES } from './sqlite-driver';
import { UNFINISHED_COPY } from './copy/copy-progress';

/** Gosset's other files in the database folder. */
const COMPANIONS = ['session-secret', 'demo.json', 'cache'];
const SUFFIXES = ['', '-wal', '-shm', '-journal'];

/**
 * Creates the database file and its folder, accessible only to the current user, unless they exist. Devices are
 * rejected, because SQLite would write its other files next to them.
 * @throws OpeningError if the path is not a file
 */
export function makeDatabaseFile(file: string): void {
  makePrivateFolder(dirname(file));
  makePrivateFile(file);
  const found = statSync(file);
  if (!found.isFile()) {
    const kind = found.isDirectory() ? 'a folder' : 'a device';
    throw new OpeningError(`The database file ${file} is ${kind}. Set DATABASE_URL to a file.`);
  }
}

/**
 * Removes other users' permissions from the database's files and, if their folder contains nothing else, from the
 * folder. SQLite creates its other files with the permissions of the database file.
 */
export function makeDatabasePrivate(file: string): void {
  const folder = dirname(file);
  const own = SUFFIXES.map((suffix) => `${basename(file)}${suffix}`);
  [...own, ...COMPANIONS].forEach((name) => makePrivate(join(folder, name)));
  const copies = `${basename(file)}.before-`;
  makePrivateWhereOnly(
    folder,
    (name) => own.includes(name) || COMPANIONS.includes(name) || name.startsWith(copies),
  );
}

/** Checks a database file before changing it. @throws OpeningError if it belongs to another program */
export function requireOwnFile(file: string): void {
  const Driver = loadSqliteDriver();
  const connection = new Driver(file, { readonly: true });
  try {
    if (!isOwn(connection)) {
      throw new OpeningError(
        `The database file ${file} belongs to another program. Set DATABASE_URL to another file, such as sqlite:data/gosset.sqlite.`,
      );
    }
  } finally {
    connection.close();
  }
}

/** Whether a database is empty or was created by our migrations. Other programs may also have a `migrations` table. */
function isOwn(connection: BetterSqlite3.Database): boolean {
  const names = (sql: string): string[] =>
    connection
      .prepare<[], { name: string }>(sql)
      .all()
      .map(({ name }) => name);
  const tables = names(TABLE_NAMES);
  const others = tables.filter((name) => name !== 'migrations' && name !== UNFINISHED_COPY);
  if (others.length === 0) {
    return true;
  }
  const [first] = migrations;
  return (
    tables.includes('migrations') &&
    names("SELECT name FROM pragma_table_info('migrations')").includes('name') &&
    names('SELECT name FROM migrations').includes(new first().name)
  );
}
