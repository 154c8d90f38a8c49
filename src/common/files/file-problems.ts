const DENIED =
  'the current user may not write to its folder. Change its permissions, or set DATABASE_URL to another file.';
const NO_FOLDER = 'a part of its path is not a folder. Set DATABASE_URL to another file.';

const MISSING =
  'it is a symbolic link to a missing file, or its folder cannot be created. Create the folder, or set DATABASE_URL to another file.';

const PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: 'its disk is read-only. Set DATABASE_URL to a file on another disk.',
  ENOTDIR: NO_FOLDER,
  EEXIST: NO_FOLDER,
  ENOENT: MISSING,
  ELOOP: 'it is a symbolic link loop. Set DATABASE_URL to another file.',
  ENAMETOOLONG: 'a part of its path is too long. Set DATABASE_URL to another file.',
  ENOSPC: 'the disk is full. Free some disk space.',
  EDQUOT: 'the disk quota is exceeded. Free some disk space.',
  EIO: 'the disk cannot be read or written. Check the disk.',
};

/**
 * The code of an error of the operating system or of a driver; null without one. The error's class is not checked,
 * because it may belong to another context (`node:vm`).
 */
export const systemCode = (error: unknown): string | null =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null;

/**
 * Explains an operating system error of the database files and what to do, as the end of a sentence; null for other
 * errors.
 */
export function fileProblem(error: unknown): string | null {
  return PROBLEMS[systemCode(error) ?? ''] ?? null;
}
