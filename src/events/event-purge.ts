import { Injectable } from '@nestjs/common';
import { Database, Tx } from '../database/database';

const VISITORS = 500;

interface Purge {
  id: number;
  project_id: number;
  experiment_id: number | null;
}

/**
 * Deletes events permanently, in small batches so that other transactions are not blocked. An interrupted purge
 * resumes.
 */
@Injectable()
export class EventPurge {
  constructor(private readonly database: Database) {}

  /** Schedules the deletion of a project's events, or of the exposures of one of its experiments. */
  async schedule(tx: Tx, projectId: number, experimentId: number | null): Promise<void> {
    await tx.query('INSERT INTO event_purges (project_id, experiment_id) VALUES (?, ?)', [
      projectId,
      experimentId,
    ]);
  }

  /** Runs all scheduled deletions. */
  async run(): Promise<void> {
    const purges: Purge[] = await this.database.read.query(
      'SELECT id, project_id, experiment_id FROM event_purges ORDER BY id',
    );
    for (const purge of purges) {
      await this.removeEvents(purge);
      if (purge.experiment_id === null) {
        await this.removeLinks(purge.project_id);
      }
      await this.database.transaction((tx) => tx.query('DELETE FROM event_purges WHERE id = ?', [purge.id]));
    }
  }

  /** Iterates over the visitors of the project in id order. */
  private async removeEvents(purge: Purge): Promise<void> {
    for (let from = ''; ;) {
      const visitors: { visitor_id: string }[] = await this.database.read.query(
        `SELECT DISTINCT visitor_id FROM events WHERE project_id = ? AND visitor_id > ?
          ORDER BY visitor_id LIMIT ${VISITORS}`,
        [purge.project_id, from],
      );
      const to = visitors.at(-1)?.visitor_id;
      if (to === undefined) {
        return;
      }
      await this.database.transaction((tx) => removeRange(tx, purge, from, to));
      from = to;
    }
  }

  /** Ids may be linked without any event. */
  private async removeLinks(projectId: number): Promise<void> {
    for (;;) {
      const links: { visitor_id: string }[] = await this.database.read.query(
        `SELECT visitor_id FROM linked_visitors WHERE project_id = ? ORDER BY visitor_id LIMIT ${VISITORS}`,
        [projectId],
      );
      const to = links.at(-1)?.visitor_id;
      if (to === undefined) {
        break;
      }
      await this.database.transaction((tx) => removeLinksTo(tx, projectId, to));
    }
    await this.database.transaction(async (tx) => {
      await tx.query('DELETE FROM link_counts WHERE project_id = ?', [projectId]);
      await tx.query('DELETE FROM dirty_visitors WHERE project_id = ?', [projectId]);
    });
  }
}

async function removeLinksTo(tx: Tx, projectId: number, to: string): Promise<void> {
  await tx.query('DELETE FROM linked_visitors WHERE project_id = ? AND visitor_id <= ?', [projectId, to]);
}

/** Conversions are kept when an experiment is deleted, because other experiments count them too. */
async function removeRange(tx: Tx, purge: Purge, from: string, to: string): Promise<void> {
  const range = 'WHERE project_id = ? AND visitor_id > ? AND visitor_id <= ?';
  const parameters = [purge.project_id, from, to];
  if (purge.experiment_id !== null) {
    await tx.query(`DELETE FROM events ${range} AND experiment_id = ?`, [...parameters, purge.experiment_id]);
    return;
  }
  await tx.query(`DELETE FROM dirty_visitors ${range}`, parameters);
  await tx.query(`DELETE FROM excluded_visitors ${range}`, parameters);
  await tx.query(`DELETE FROM events ${range}`, parameters);
}
