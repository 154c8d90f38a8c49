import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
/** The permission bits of group and others. */
const OTHERS = 0o077;

/** Creates a folder and its parents with access for this user only. An existing folder is not changed. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
}

/** Creates an empty file that only this user can read, unless it exists. */
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
 * Removes other users' permissions from a file or folder of this user. Devices, and files that belong to another user, do
 * not exist or are on a file system without permissions, are not changed.
 */
export function makePrivate(path: string): void {
  try {
    const found = statSync(path);
    const isOwn = found.uid === process.getuid?.() && (found.isFile() || found.isDirectory());
    if (isOwn && (found.mode & OTHERS) !== 0) {
      chmodSync(path, found.mode & ~OTHERS);
    }
  } catch {
    // File permissions are a second line of defence. The server must start even if it cannot change them.
  }
}

/** Like `makePrivate`, for a folder that contains only entries with these names. */
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
