import { randomBytes } from 'node:crypto';
import { FileHandle, link, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { writeOut } from '../../common/files';

/** The export is impossible or incomplete. The message is meant for the user. */
export class ExportRefusedError extends Error {}

/** The destination of an export. */
export interface ExportTarget {
  /** The end of the message about an interrupted export: what was written. */
  readonly interruption: string;
  write(bytes: Uint8Array): Promise<void>;
  /** Completes the file. */
  finish(): Promise<void>;
  /** Removes what this export has written. A file that was meant to replace an existing one stays. */
  discard(): Promise<void>;
}

/** Visitor ids are personal data, so only the current user can read the file. */
const PRIVATE = 0o600;

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist.',
  ENOTDIR: 'part of its path is not a folder.',
  EACCES: 'the current user may not write to its folder.',
  EPERM: 'the current user may not write to its folder.',
  EROFS: 'its disk is read-only.',
  ENOSPC: 'the disk is full.',
  EDQUOT: 'the disk quota is exceeded.',
};

const existing = (path: string): ExportRefusedError =>
  new ExportRefusedError(`${path} exists. Choose another name, or add --overwrite.`);

function refusal(path: string, error: unknown): ExportRefusedError {
  const { code = '', message = String(error) } = Object(error) as { code?: string; message?: string };
  if (code === 'EEXIST') {
    return existing(path);
  }
  return new ExportRefusedError(`${path} cannot be written: ${PROBLEMS[code] ?? message}`, { cause: error });
}

/**
 * A file that gets its final name once it is complete. Until then, it has a temporary name in the same folder, so other
 * programs do not read an incomplete file. One exception: on a file system without hard links, and without `--overwrite`,
 * an empty file has the final name for a moment before the complete one replaces it.
 */
export class ExportFile implements ExportTarget {
  readonly interruption = 'Nothing was written.';
  /** Whether this export created the file that now has the final name. */
  private isOwn = false;

  private constructor(
    private readonly path: string,
    private readonly overwrite: boolean,
    private readonly temporary: string,
    private readonly handle: FileHandle,
  ) {}

  /** @throws ExportRefusedError if the file exists and must not be overwritten, or cannot be created */
  static async create(path: string, overwrite: boolean): Promise<ExportFile> {
    await refuseExisting(path, overwrite);
    const name = `.${basename(path)}.${randomBytes(6).toString('hex')}.part`;
    const temporary = join(dirname(path), name);
    try {
      return new ExportFile(path, overwrite, temporary, await open(temporary, 'wx', PRIVATE));
    } catch (error) {
      throw refusal(path, error);
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      await this.handle.writeFile(bytes);
    } catch (error) {
      throw refusal(this.path, error);
    }
  }

  async finish(): Promise<void> {
    await refuseExisting(this.path, this.overwrite);
    try {
      await this.handle.sync();
      await this.handle.close();
      if (!this.overwrite) {
        await this.takeName();
        this.isOwn = true;
      }
      await rename(this.temporary, this.path);
      // Renaming does nothing if both names are links to the same file.
      await rm(this.temporary, { force: true });
    } catch (error) {
      throw refusal(this.path, error);
    }
  }

  /** Takes the final name, which only one of several exports can do. @throws with the code EEXIST if it is taken */
  private async takeName(): Promise<void> {
    try {
      await link(this.temporary, this.path);
    } catch {
      // On a file system without hard links, an empty file takes the name first.
      await (await open(this.path, 'wx', PRIVATE)).close();
    }
  }

  async discard(): Promise<void> {
    await this.handle.close().catch(() => undefined);
    await rm(this.temporary, { force: true });
    if (this.isOwn) {
      await rm(this.path, { force: true });
    }
  }
}

async function refuseExisting(path: string, overwrite: boolean): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found !== null && !found.isFile()) {
    throw new ExportRefusedError(`${path} cannot be written: it is not a file.`);
  }
  if (found !== null && !overwrite) {
    throw existing(path);
  }
}

/** Standard output, which may be a pipe that is slower than the database. */
export class StandardOutput implements ExportTarget {
  readonly interruption = 'The events on standard output are incomplete.';

  async write(bytes: Uint8Array): Promise<void> {
    const error = await writeOut(bytes);
    if (error !== null) {
      throw new ExportRefusedError(`Standard output was closed before the end: ${error.message}`);
    }
  }

  finish(): Promise<void> {
    return Promise.resolve();
  }

  discard(): Promise<void> {
    return Promise.resolve();
  }
}
