import { Injectable } from '@nestjs/common';
import type { Micros } from '../common/time/clock';
import { Database, Tx } from '../database/database';
import { ignoringDuplicates } from '../database/dialect';

/** A number of errors. */
export interface Counted {
  count: number;
  /** The time of the first one. */
  since: Micros;
}

/** The unreported errors in a project. */
export interface Untold extends Counted {
  toldAt: Micros;
}

@Injectable()
export class SnippetErrorCounts {
  constructor(private readonly database: Database) {}

  /**
   * Adds errors, and locks the project's row on all nodes until the transaction ends. Another process may already have
   * added later errors.
   */
  async add(tx: Tx, projectId: number, { count, since }: Counted): Promise<Untold> {
    const duplicates = ignoringDuplicates(this.database.engine, 'project_id');
    await tx.query(
      `INSERT INTO snippet_error_counts (project_id, untold, since, told_at) VALUES (?, 0, ?, 0) ${duplicates}`,
      [projectId, since],
    );
    await tx.query(
      `UPDATE snippet_error_counts SET since = CASE WHEN untold = 0 OR since > ? THEN ? ELSE since END,
              lock_version = lock_version + 1 WHERE project_id = ?`,
      [since, since, projectId],
    );
    await tx.query('UPDATE snippet_error_counts SET untold = untold + ? WHERE project_id = ?', [
      count,
      projectId,
    ]);
    const [row]: { untold: number; since: number | string; told_at: number | string }[] = await tx.query(
      'SELECT untold, since, told_at FROM snippet_error_counts WHERE project_id = ?',
      [projectId],
    );
    return { count: row?.untold ?? 0, since: Number(row?.since), toldAt: Number(row?.told_at) };
  }

  async noteTold(tx: Tx, projectId: number, now: Micros): Promise<void> {
    await tx.query('UPDATE snippet_error_counts SET untold = 0, told_at = ? WHERE project_id = ?', [
      now,
      projectId,
    ]);
  }

  /** Projects with unreported errors whose last report was not within the given times. */
  async waiting(toldBefore: Micros, toldAfter: Micros): Promise<number[]> {
    const rows: { project_id: number }[] = await this.database.read.query(
      `SELECT project_id FROM snippet_error_counts
        WHERE untold > 0 AND (told_at <= ? OR told_at >= ?) ORDER BY project_id LIMIT 100`,
      [toldBefore, toldAfter],
    );
    return rows.map(({ project_id }) => project_id);
  }
}
