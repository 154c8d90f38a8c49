import { Logger } from '@nestjs/common';
import type { TimedMark } from './dirty-visitors.store';

/** Minimum interval in milliseconds between two warnings. */
const WARN_EVERY_MS = 3_600_000;

/**
 * Warns about processes of release 0.1.0 that run after the migration. Attribution by these processes fails if it
 * changes cells. Otherwise, it marks events as attributed, even events that count only in this release, such as
 * conversions of linked visitors, and only a rebuild counts them. The database does not prevent this, because MySQL
 * would have to copy the table of all events to add a constraint to it.
 */
export class EarlierProcesses {
  private readonly logger = new Logger('Attribution');
  private warnedAt = -Infinity;

  /** Looks for marks from these processes. They delete some of their marks themselves, so it does not find all. */
  look(marks: readonly TimedMark[]): void {
    const now = performance.now();
    if (marks.some(({ marked_at }) => Number(marked_at) === 0) && now - this.warnedAt > WARN_EVERY_MS) {
      this.warnedAt = now;
      this.logger.warn(
        'A process of release 0.1.0 has stored events after the migration, so results may lack conversions. Stop all processes of that release, then run results:rebuild.',
      );
    }
  }
}
