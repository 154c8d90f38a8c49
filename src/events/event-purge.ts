import { setImmediate as othersTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database, Tx } from '../database/database';
import { deleteInSteps } from '../database/stepwise-deletes';
import { CellStore } from './cells.store';
import { marksOf } from './dirty-visitors.store';
import { type Arrived, EventLog } from './event-log';
import type { PendingPurge } from './event.entities';
import {
  insertPurge,
  notePurged,
  purgedExperiments,
  removeExclusions,
  removePurge,
  removeRecord,
  rowsOfProject,
  scheduledPurges,
} from './event-purges.store';
import { restartImports } from './import/import.store';
import { LinkStore } from './links/link.store';

/**
 * Deletes projects and experiments with their results and events, in short transactions that do not block other
 * transactions. A record that is scheduled for deletion cannot be restored, although its row remains until its cells
 * are deleted. An interrupted purge is resumed by the next run.
 */
@Injectable()
export class EventPurge {
  constructor(
    private readonly database: Database,
    private readonly cells: CellStore,
    private readonly log: EventLog,
    private readonly links: LinkStore,
  ) {}

  /** Schedules the deletion of a project, or of one of its experiments. */
  async schedule(tx: Tx, projectId: number, experimentId: number | null): Promise<void> {
    await insertPurge(tx, projectId, experimentId);
  }

  /**
   * Runs all scheduled deletions. All records are deleted first, because events cannot be deleted while they are being
   * moved. Events that are being stored during this run are deleted by a later run.
   */
  async run(): Promise<void> {
    const arrived = await this.log.arrived();
    const purges = await scheduledPurges(this.database.read);
    const lastBatches = new Map<PendingPurge, number>();
    for (const purge of purges.filter(({ purged_at }) => purged_at === null)) {
      await this.removeDependents(purge);
      lastBatches.set(purge, await this.removeRecord(purge));
    }
    for (const purge of purges.filter((each) => !isWaiting(each, arrived))) {
      await this.removeData(purge);
      await this.finish(purge, lastBatches.get(purge) ?? 0);
    }
  }

  /** @returns the last batch that may contain events that belong to the record */
  private removeRecord(purge: PendingPurge): Promise<number> {
    return this.database.transaction(async (tx) => {
      await removeRecord(tx, purge);
      return this.log.lastBatch(tx);
    });
  }

  private async removeData(purge: PendingPurge): Promise<void> {
    const { project_id, experiment_id } = purge;
    await this.log.purge(project_id, experiment_id);
    await this.removeExclusions(purge);
    if (experiment_id === null) {
      await this.links.removeProject(project_id);
      await deleteInSteps(this.database, marksOf(project_id));
    }
  }

  private finish(
    { id, project_id, experiment_id, purged_at }: PendingPurge,
    lastBatch: number,
  ): Promise<void> {
    return this.database.transaction(async (tx) => {
      if (experiment_id !== null && purged_at === null) {
        await restartImports(tx, project_id);
      }
      await (lastBatch === 0 ? removePurge(tx, id) : notePurged(tx, id, lastBatch));
    });
  }

  /** Deletes numerous dependent rows in steps, because a cascade would delete all of them in one transaction. */
  private async removeDependents(purge: PendingPurge): Promise<void> {
    const experimentIds = await purgedExperiments(this.database.read, purge);
    await this.cells.removeUnused(experimentIds.map((experimentId) => ({ experimentId })));
    if (purge.experiment_id === null) {
      for (const rows of await rowsOfProject(this.database.read, purge.project_id)) {
        await deleteInSteps(this.database, rows);
      }
    }
  }

  /**
   * Deletes the exclusions of a record. Does not look at events, because the events from excluded visitors may already
   * have been removed or may be in a different database.
   */
  private async removeExclusions(purge: PendingPurge): Promise<void> {
    while (await this.database.transaction((tx) => removeExclusions(tx, purge))) {
      await othersTurn();
    }
  }
}

/** Whether the purge has deleted everything except events that may not have arrived yet. */
const isWaiting = ({ purged_at, up_to_batch }: PendingPurge, { batch, before }: Arrived): boolean =>
  purged_at !== null && !(purged_at <= before && (up_to_batch ?? 0) <= batch);
