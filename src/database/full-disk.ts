import { hasCode } from './errors';

const CODES = ['ER_RECORD_FILE_FULL', 'ER_DISK_FULL', 'ER_ERROR_ON_WRITE', 'ER_TEMP_FILE_WRITE_FAILURE'];
/**
 * A small write may succeed on a full disk, so only the work itself shows whether there is room again. After this time
 * without another failure, the process may get requests again.
 */
const REMEMBERED_MS = 10_000;

/** Remembers whether transactions on MySQL have failed recently because the server's disk is full. */
export class FullDisk {
  private failedAt = -Infinity;

  /** Runs a transaction, and remembers its failure. */
  async watch<T>(transaction: () => Promise<T>): Promise<T> {
    try {
      return await transaction();
    } catch (error) {
      if (CODES.some((code) => hasCode(error, code))) {
        this.failedAt = performance.now();
      }
      throw error;
    }
  }

  /** The problem as the end of a sentence; null if there is none. */
  get problem(): string | null {
    const isRecent = performance.now() - this.failedAt < REMEMBERED_MS;
    return isRecent ? "the database server's disk is full. Free some disk space." : null;
  }
}
