import { sqliteFailure } from './errors';

/** Problems of the file and their solutions, by prefix of SQLite's code. */
const PROBLEMS: readonly [code: RegExp, problem: string][] = [
  [/^SQLITE_FULL/, 'the disk is full. Free some disk space.'],
  [/^SQLITE_IOERR/, 'the disk cannot be read or written. Check the disk, its free space and its quota.'],
  [
    /^SQLITE_(READONLY|PERM)/,
    'it cannot be written to. Let the user of the server write to it and to its folder.',
  ],
  [/^SQLITE_CANTOPEN/, 'it cannot be opened. Let the user of the server read and write it and its folder.'],
  [
    /^SQLITE_NOTADB/,
    'it is not a SQLite database. Restore it from a backup, or set DATABASE_URL to another file.',
  ],
  [/^SQLITE_CORRUPT/, 'it is damaged. Stop the server and restore the file from a backup.'],
  [/^SQLITE_ABORT_ROLLBACK/, 'SQLite has rolled back a transaction. The log has the cause.'],
];

const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/;

/**
 * The problem of the database file and its solution, as the end of a sentence, with SQLite's code; null for other
 * errors.
 */
export function sqliteProblem(error: unknown): string | null {
  const code = sqliteFailure(error);
  const problem = PROBLEMS.find(([pattern]) => code !== null && pattern.test(code))?.[1];
  return problem === undefined ? null : `${problem} (${code})`;
}

/** Whether the file is corrupt, so that retrying does not help. */
export function isDamaged(error: unknown): boolean {
  return DAMAGED.test(sqliteFailure(error) ?? '');
}
