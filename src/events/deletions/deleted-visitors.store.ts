import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { chunksOf, groupBy } from '../../common/lists/collections';
import { DAY_MICROS, Micros, nowMicros } from '../../common/time/clock';
import { Database, type Tx } from '../../database/database';
import { placeholders } from '../../database/row-store';
import { expiredRows, type UnwantedRows } from '../../database/stepwise-deletes';
import type { VisitorKey } from '../event.store';
import { eventsIn, linkIn, type Outcome, rejecting, type Resolution } from '../message-outcome';

/** Number of days for which messages from a deleted visitor are rejected. */
export const REJECTED_DAYS = 30;

const CHUNK = 500;

/** Remembers the ids of deleted visitors for 30 days, as hashes. */
@Injectable()
export class DeletedVisitorStore {
  /** For ids that had been deleted before, the 30 days start again. */
  async add(tx: Tx, projectId: number, visitorIds: readonly string[], deletedAt: Micros): Promise<void> {
    for (const hashes of hashesOf(projectId, visitorIds)) {
      await tx.query(
        `DELETE FROM deleted_visitors WHERE project_id = ? AND visitor_hash IN (${placeholders(hashes.length)})`,
        [projectId, ...hashes],
      );
      await tx.query(
        `INSERT INTO deleted_visitors (project_id, visitor_hash, expires_at)
         VALUES ${hashes.map(() => '(?, ?, ?)').join(', ')}`,
        hashes.flatMap((hash) => [projectId, hash, deletedAt + REJECTED_DAYS * DAY_MICROS]),
      );
    }
  }

  /**
   * Returns the visitors who were deleted. Runs only one small statement if none of their projects has deleted
   * visitors.
   */
  async among<V extends VisitorKey>(manager: EntityManager, visitors: readonly V[]): Promise<V[]> {
    const projects = groupBy(visitors, ({ project_id }) => project_id);
    const deleted: V[] = [];
    for (const projectId of await withDeleted(manager, [...projects.keys()])) {
      const own = projects.get(projectId) ?? [];
      const ids = [...new Set(own.map(({ visitor_id }) => visitor_id))];
      const known = await deletedHashes(manager, projectId, ids);
      deleted.push(...own.filter(({ visitor_id }) => known.has(hashOf(projectId, visitor_id))));
    }
    return deleted;
  }

  /** The projects from which visitors were deleted in the last 30 days. */
  async projects(manager: EntityManager): Promise<number[]> {
    const rows: { project_id: number }[] = await manager.query(
      'SELECT DISTINCT project_id FROM deleted_visitors WHERE expires_at > ? ORDER BY project_id',
      [nowMicros()],
    );
    return rows.map(({ project_id }) => project_id);
  }

  /** The ids that have expired. */
  expired(): UnwantedRows {
    return expiredRows('deleted_visitors', 'expires_at', nowMicros());
  }
}

async function withDeleted(manager: EntityManager, projectIds: readonly number[]): Promise<number[]> {
  if (projectIds.length === 0) {
    return [];
  }
  const rows: { id: number }[] = await manager.query(
    `SELECT p.id FROM projects p WHERE p.id IN (${placeholders(projectIds.length)})
        AND EXISTS (SELECT 1 FROM deleted_visitors d WHERE d.project_id = p.id)`,
    [...projectIds],
  );
  return rows.map(({ id }) => id);
}

async function deletedHashes(
  manager: EntityManager,
  projectId: number,
  visitorIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for (const hashes of hashesOf(projectId, visitorIds)) {
    const rows: { visitor_hash: string }[] = await manager.query(
      `SELECT visitor_hash FROM deleted_visitors
        WHERE project_id = ? AND expires_at > ? AND visitor_hash IN (${placeholders(hashes.length)})`,
      [projectId, nowMicros(), ...hashes],
    );
    rows.forEach(({ visitor_hash }) => known.add(visitor_hash));
  }
  return known;
}

/** The hash includes the project, so that the same visitor id has a different hash in each project. */
const hashOf = (projectId: number, visitorId: string): string =>
  createHash('sha256').update(`${projectId}\n${visitorId}`).digest('hex');

/** Hashes in groups, sorted so that all transactions lock them in the same order. */
function hashesOf(projectId: number, visitorIds: readonly string[]): string[][] {
  const hashes = visitorIds.map((id) => hashOf(projectId, id)).sort();
  return chunksOf(hashes, CHUNK);
}

/** The visitor ids that these messages would store, in their stored form. */
const idsStoredBy = ({ events, links }: Pick<Resolution, 'events' | 'links'>): string[] => [
  ...new Set([
    ...events.map(({ visitor_id }) => visitor_id),
    ...links.filter(({ refusal }) => refusal === null).flatMap(({ from, to }) => [from, to]),
  ]),
];

/** Returns the resolution with the messages from deleted visitors rejected. */
function withoutDeleted(resolution: Resolution, deleted: ReadonlySet<string>): Resolution {
  const isDeleted = (outcome: Outcome): boolean => {
    const link = linkIn(outcome);
    const ids = link === null ? [] : [link.from, link.to];
    return [...eventsIn(outcome).map(({ visitor_id }) => visitor_id), ...ids].some((id) => deleted.has(id));
  };
  return deleted.size === 0 ? resolution : rejecting(resolution, isDeleted, 'visitor_deleted');
}

/** Rejects the messages from deleted visitors before they are stored. */
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
