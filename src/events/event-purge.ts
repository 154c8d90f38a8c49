import { Injectable } from '@nestjs/common';
import { Database, Tx } from '../database/database';
import { removeProjectMarks } from './dirty-visitors.store';
import { EventLog } from './event-log';
import { insertPurge, removePurge, scheduledPurges } from './event-purges.store';
import { LinkStore } from './links/link.store';

/**
 * Deletes events permanently, in small batches so that other transactions are not blocked. An interrupted purge
 * resumes.
 */
@Injectable()
export class EventPurge {
  constructor(
    private readonly database: Database,
    private readonly log: EventLog,
    private readonly links: LinkStore,
  ) {}

  /** Schedules the deletion of a project's events, or of the exposures of one of its experiments. */
  async schedule(tx: Tx, projectId: number, experimentId: number | null): Promise<void> {
    await insertPurge(tx, projectId, experimentId);
  }

  /** Runs all scheduled deletions. */
  async run(): Promise<void> {
    for (const { id, project_id, experiment_id } of await scheduledPurges(this.database.read)) {
      await this.log.purge(project_id, experiment_id);
      if (experiment_id === null) {
        await this.links.removeProject(project_id);
        await this.database.transaction((tx) => removeProjectMarks(tx, project_id));
      }
      await this.database.transaction((tx) => removePurge(tx, id));
    }
  }
}
