import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database';
import { eventsIn, linkIn, type Outcome, rejecting, type Resolution } from '../message-outcome';
import { DeletedVisitorStore } from './deleted-visitors.store';

/** The visitor ids that these messages would store, in their stored form. */
const idsStoredBy = ({ events, links }: Pick<Resolution, 'events' | 'links'>): string[] => [
  ...new Set([
    ...events.map(({ visitor_id }) => visitor_id),
    ...links.filter(({ refusal }) => refusal === null).flatMap(({ from, to }) => [from, to]),
  ]),
];

/** Returns the resolution with the messages of deleted visitors rejected. */
function withoutDeleted(resolution: Resolution, deleted: ReadonlySet<string>): Resolution {
  const isDeleted = (outcome: Outcome): boolean => {
    const link = linkIn(outcome);
    const ids = link === null ? [] : [link.from, link.to];
    return [...eventsIn(outcome).map(({ visitor_id }) => visitor_id), ...ids].some((id) => deleted.has(id));
  };
  return deleted.size === 0 ? resolution : rejecting(resolution, isDeleted, 'visitor_deleted');
}

/** Rejects the messages of deleted visitors before they are stored. */
@Injectable()
export class DeletionCheck {
  constructor(
    private readonly database: Database,
    private readonly deleted: DeletedVisitorStore,
  ) {}

  /** @param resolutions each with its project; the results are in the same order */
  async apply(resolutions: readonly { projectId: number; resolution: Resolution }[]): Promise<Resolution[]> {
    const visitors = resolutions.flatMap(({ projectId, resolution }) =>
      idsStoredBy(resolution).map((visitor_id) => ({ project_id: projectId, visitor_id })),
    );
    const deleted = await this.deleted.among(this.database.read, visitors);
    return resolutions.map(({ projectId, resolution }) => {
      const own = deleted.filter(({ project_id }) => project_id === projectId);
      return withoutDeleted(resolution, new Set(own.map(({ visitor_id }) => visitor_id)));
    });
  }
}
