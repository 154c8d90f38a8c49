import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';

const DENIED =
  'the current user may not write to its folder. Change its permissions, or set DATABASE_URL to another file.';
const NO_FOLDER = 'part of its path is not a folder. Set DATABASE_URL to another file.';

const MISSING =
  'it is a symbolic link to a missing file, or its folder cannot be created. Create the folder, or set DATABASE_URL to another file.';

const PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: 'its disk is read-only. Set DATABASE_URL to a file on another disk.',
  ENOTDIR: NO_FOLDER,
  EEXIST: NO_FOLDER,
  ENOENT: MISSING,
  ELOOP: 'it is part of a symbolic link loop. Set DATABASE_URL to another file.',
  ENAMETOOLONG: 'part of its path is too long. Set DATABASE_URL to another file.',
  ENOSPC: 'the disk is full. Free some disk space.',
  EDQUOT: 'the disk quota is exceeded. Free some disk space.',
  EIO: 'the disk cannot be read or written. Check the disk.',
};

/**
 * The code of an operating system or driver error; null if it has none. The error's class is not checked, because it
 * may belong to a different context (`node:vm`).
 */
export const systemCode = (error: unknown): string | null =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null;

/**
 * Explains an operating system error that concerns the database files and what to do about it. The text is the end of a
 * sentence; null for other errors.
 */
export function fileProblem(error: unknown): string | null {
  return PROBLEMS[systemCode(error) ?? ''] ?? null;
}

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
/** The permission bits of the group and of others. */
const OTHERS = 0o077;

/** Creates a folder and its parents with access for the current user only. An existing folder is not changed. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
}

/** Creates an empty file that only the current user can read, unless it already exists. */
export function makePrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', PRIVATE_FILE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw error;
    }
  }
}

/**
 * Removes other users' permissions from a file or folder of the current user. Leaves other paths unchanged: devices,
 * missing files, other users' files, and files on a file system without permissions.
 */
export function makePrivate(path: string): void {
  try {
    const found = statSync(path);
    const isOwn = found.uid === process.getuid?.() && (found.isFile() || found.isDirectory());
    if (isOwn && (found.mode & OTHERS) !== 0) {
      chmodSync(path, found.mode & ~OTHERS);
    }
  } catch {
    // File permissions are only a second line of defence, so the server must start even if it cannot set them.
  }
}

/**
 * Like `makePrivate`, but only for a folder that is not empty and whose entries all have names that `isOwn` accepts.
 */
export function makePrivateWhereOnly(folder: string, isOwn: (name: string) => boolean): void {
  const names = entriesOf(folder);
  if (names.length > 0 && names.every(isOwn)) {
    makePrivate(folder);
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const ignore = (): void => undefined;

/**
 * Writes to standard output and waits until the write is complete, because standard output may be a slow pipe.
 * @returns the write error; null if there was none
 */
export function writeOut(data: string | Uint8Array): Promise<NodeJS.ErrnoException | null> {
  const { stdout } = process;
  // Without a listener, a write error would end the process. The callback of the write reports the same error.
  if (!stdout.listeners('error').includes(ignore)) {
    stdout.on('error', ignore);
  }
  return new Promise((done) => {
    stdout.write(data, (error) => done(error ?? null));
  });
}
