import type { DataSource } from 'typeorm';
import { OpeningError } from './errors';

/** The table that records the progress of `db:copy`. It exists only in unfinished copies. */
export const UNFINISHED_COPY = 'unfinished_copy';

/** @throws OpeningError if only part of another database has been copied to this one */
export async function refuseUnfinishedCopy(writer: DataSource): Promise<void> {
  const runner = writer.createQueryRunner();
  try {
    if (await runner.hasTable(UNFINISHED_COPY)) {
      throw new OpeningError(
        'This database is the target of an unfinished db:copy. Run db:copy again with the same --from and --to, or use another database.',
      );
    }
  } finally {
    await runner.release();
  }
}
