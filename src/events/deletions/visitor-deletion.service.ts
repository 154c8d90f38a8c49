import { Injectable } from '@nestjs/common';
import { NotFoundError } from '../../common/errors/api-errors';
import { Database, Tx } from '../../database/database';
import { ConflictError } from '../../database/errors';
import { ProjectWrite, ProjectWriter, WriteScope } from '../../projects/project-writer';
import { EventReader, EventRemoval, type FindEvents } from '../event-log';
import { EventStore } from '../event.store';
import type { Exclusions } from '../exclusions/excluded';
import { exclusionsOf, ExclusionStore } from '../exclusions/exclusion.store';
import { LinkStore } from '../links/link.store';
import type { LinkedIds } from '../links/linked-ids';
import { linkedIdsOf, lockLinkedIds } from '../links/linked-ids.store';
import { RecentMessages } from '../recent/recent-messages';
import { ResultUpdates } from '../result-changes';
import { type EventRow, groupByVisitor } from '../stored-events.store';
import { DeletedVisitorStore } from './deleted-visitors.store';

/** Summary of a visitor's deletion. */
export interface Deletion {
  /** All ids of the visitor, in their stored form. */
  ids: readonly string[];
  events: number;
}

interface Found {
  ids: string[];
  links: LinkedIds;
}

/**
 * Deletes a visitor's events, links, exclusions and contributions to results, in one transaction. For 30 days, late
 * messages with one of the visitor's ids are rejected.
 */
@Injectable()
export class VisitorDeletionService {
  constructor(
    private readonly database: Database,
    private readonly writer: ProjectWriter,
    private readonly marks: EventStore,
    private readonly events: EventReader,
    private readonly removal: EventRemoval,
    private readonly links: LinkStore,
    private readonly exclusions: ExclusionStore,
    private readonly results: ResultUpdates,
    private readonly deleted: DeletedVisitorStore,
    private readonly recent: RecentMessages,
  ) {}

  /**
   * @param visitorId one of the visitor's ids, in its stored form
   * @throws NotFoundError if nothing is stored about the visitor
   */
  delete(scope: WriteScope, visitorId: string): Promise<Deletion> {
    return this.events.reading((find) =>
      this.writer.change(scope, null, async (write) => {
        const deletion = await this.remove(write, visitorId, find);
        write.noted({
          action: 'delete-visitor',
          itemType: 'visitor',
          itemId: scope.projectId,
          before: { ids: deletion.ids.length, events: deletion.events },
          after: null,
        });
        return deletion;
      }),
    );
  }

  /** Summarises what would be deleted. @throws NotFoundError if nothing is stored about the visitor */
  async preview(projectId: number, visitorId: string): Promise<Deletion> {
    const { read } = this.database;
    const links = await linkedIdsOf(read, projectId, [visitorId], 'all');
    const ids = links.and([visitorId]);
    const events = await this.events.reading((find) => find(read, projectId, ids));
    const exclusions = await exclusionsOf(read, projectId, ids);
    requireAny(events, links, exclusions);
    return { ids, events: events.length };
  }

  /** Removes the visitor from the list of recent messages. Call it after the commit. */
  forget(projectId: number, { ids }: Deletion): Promise<void> {
    return this.recent.forget(projectId, new Set(ids));
  }

  private async remove(
    { tx, now, projectId }: ProjectWrite,
    visitorId: string,
    find: FindEvents,
  ): Promise<Deletion> {
    await this.removal.hold(tx);
    const { ids, links } = await this.hold(tx, projectId, visitorId);
    const events = await find(tx, projectId, ids);
    const exclusions = await exclusionsOf(tx, projectId, ids);
    requireAny(events, links, exclusions);
    await this.results.remove(tx, links.visitors(groupByVisitor(events)), exclusions);
    await this.removal.removeVisitors(tx, projectId, ids);
    await this.links.deleteOf(tx, projectId, ids);
    await this.exclusions.deleteOf(tx, projectId, ids);
    await this.marks.removeMarks(tx, projectId, ids);
    await this.deleted.add(tx, projectId, ids, now);
    return { ids, events: events.length };
  }

  /**
   * Finds and marks all ids of a visitor. Until the transaction ends, no other transaction can collect events for these
   * ids, link the ids, or attribute their events.
   * @throws ConflictError if another id was linked at the same time
   */
  private async hold(tx: Tx, projectId: number, visitorId: string): Promise<Found> {
    const ids = (await linkedIdsOf(tx, projectId, [visitorId], 'all')).and([visitorId]).sort();
    await this.marks.markVisitors(
      tx,
      ids.map((visitor_id) => ({ project_id: projectId, visitor_id })),
    );
    const links = await lockLinkedIds(tx, projectId, ids);
    if (links.and(ids).length > ids.length) {
      throw new ConflictError();
    }
    return { ids, links };
  }
}

/** @throws NotFoundError if nothing is stored */
function requireAny(events: readonly EventRow[], links: LinkedIds, exclusions: Exclusions): void {
  if (events.length === 0 && links.isEmpty && exclusions.isEmpty) {
    throw new NotFoundError();
  }
}
