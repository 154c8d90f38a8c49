import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database';
import { DeletedVisitorStore } from '../deletions/deleted-visitors.store';
import { missingIds } from '../event-purges.store';
import { ClickHouse } from './clickhouse';
import { ClickHouseTable } from './clickhouse-table';
import { EventBatches } from './event-batches.store';
import { EventRemovals } from './event-removals.store';
import { owners, purgeAll, unfinishedDeletion } from './reading.store';
import { RemovalHistory } from './removal-history';
import { nextVisitors } from './scopes.store';

const VISITORS = 5_000;

/** The projects that have not been searched, and the last visitor that has been searched in the first one. */
interface Search {
  projectIds: number[];
  after: string;
}

/**
 * Removes the events of deleted visitors and purged records again if ClickHouse was restored from an older backup. The
 * visitors are found by the hashes that reject their messages, so there are no other events of these visitors. The
 * results do not include the visitors any more, so they do not change.
 */
@Injectable()
export class RepeatedRemovals {
  private search: Search | null = null;
  private isComplete = false;

  constructor(
    private readonly database: Database,
    private readonly clickhouse: ClickHouse,
    private readonly table: ClickHouseTable,
    private readonly batches: EventBatches,
    private readonly removals: EventRemovals,
    private readonly deleted: DeletedVisitorStore,
    private readonly history: RemovalHistory,
  ) {}

  /**
   * Searches the next visitors. Every process searches all visitors before it completes other removals, so that
   * ClickHouse looks complete only when it is.
   *
   * @returns whether there may be more visitors to search; `later` while ClickHouse carries out a deletion, because
   *   deletions that time out continue there, and must not be sent again
   */
  async step(): Promise<boolean | 'later'> {
    if (this.isComplete) {
      return false;
    }
    const finished = await this.removals.finishedRounds(this.database.read);
    if (!(finished > 0)) {
      return false;
    }
    await this.table.ready();
    if (this.search === null && (await this.history.hasEnded(finished))) {
      this.isComplete = true;
      return false;
    }
    this.search ??= { projectIds: await this.deleted.projects(this.database.read), after: '' };
    const [projectId] = this.search.projectIds;
    if (projectId !== undefined) {
      this.search = await this.removeNext(projectId, this.search);
      return true;
    }
    const [unfinished] = await this.clickhouse.rows(unfinishedDeletion());
    if (unfinished !== undefined) {
      return 'later';
    }
    await this.removePurged();
    await this.history.end({ number: finished });
    this.isComplete = true;
    return false;
  }

  /** A record without a row was purged. Records in the trash still have rows. */
  private async removePurged(): Promise<void> {
    // Records are created before their events, so the events are read first.
    const found = await this.clickhouse.rows<{ project_id: number; experiment_id: number }>(owners());
    const idsIn = (column: 'project_id' | 'experiment_id'): number[] => [
      ...new Set(found.map((each) => each[column]).filter((id) => id > 0)),
    ];
    const projectIds = await missingIds(this.database.read, 'projects', idsIn('project_id'));
    const experimentIds = await missingIds(this.database.read, 'experiments', idsIn('experiment_id'));
    if (projectIds.length + experimentIds.length > 0) {
      await this.clickhouse.command(purgeAll(projectIds, experimentIds));
    }
  }

  private async removeNext(projectId: number, { projectIds, after }: Search): Promise<Search> {
    const { read } = this.database;
    const remaining = await this.removals.remaining(read);
    const rows = await this.clickhouse.rows<{ visitor_id: string }>(
      nextVisitors(projectId, after, remaining, VISITORS),
    );
    const visitors = rows.map(({ visitor_id }) => ({ project_id: projectId, visitor_id }));
    const ids = (await this.deleted.among(read, visitors)).map(({ visitor_id }) => visitor_id);
    if (ids.length > 0) {
      await this.database.transaction(async (tx) =>
        this.removals.addVisitors(tx, projectId, ids, await this.batches.holdOpening(tx)),
      );
    }
    const last = rows.at(-1);
    return last === undefined
      ? { projectIds: projectIds.slice(1), after: '' }
      : { projectIds, after: last.visitor_id };
  }
}
