import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database, Tx } from '../../database/database';
import { countingDuplicates } from '../../database/dialect';
import { countRows } from '../../database/row-locks';
import { placeholders } from '../../database/row-store';
import { decideLinks, KnownLinks, Link, LinkDecisions } from './link-decisions';
import type { LinkRequest } from './link-request';

/** Maximum number of links of a project. */
const MAX_LINKS = 10_000_000;
/** Maximum number of rows or ids in a statement. */
const CHUNK = 1_000;
/** Maximum number of links that a transaction of `removeProject` deletes. */
const PURGED_LINKS = 500;

/** Stores which visitor ids belong to one visitor. */
@Injectable()
export class LinkStore {
  constructor(private readonly database: Database) {}

  /**
   * Decides which ids are linked. If any are, links of the project cannot change before the transaction ends, on any
   * node: `insert` must follow.
   */
  async decide(tx: Tx, projectId: number, requests: readonly LinkRequest[]): Promise<LinkDecisions> {
    const ids = idsIn(requests);
    const expected = decideLinks(await knownLinks(tx, projectId, ids), requests, MAX_LINKS);
    if (expected.added.length === 0) {
      return expected;
    }
    const room = MAX_LINKS - (await this.hold(tx, projectId));
    return decideLinks(await knownLinks(tx, projectId, ids), requests, room);
  }

  /** Adds links that are not attributed yet. The marks of their ids must be incremented before. */
  async insert(tx: Tx, projectId: number, links: readonly Link[]): Promise<void> {
    for (const chunk of chunksOf(links)) {
      await tx.query(
        `INSERT INTO linked_visitors (project_id, visitor_id, canonical_id, linked_at, attributed, lock_version)
         VALUES ${chunk.map(() => '(?, ?, ?, ?, 0, 0)').join(', ')}`,
        chunk.flatMap(({ visitor_id, canonical_id, linked_at }) => [
          projectId,
          visitor_id,
          canonical_id,
          linked_at,
        ]),
      );
    }
    await tx.query('UPDATE link_counts SET links = links + ? WHERE project_id = ?', [
      links.length,
      projectId,
    ]);
  }

  /** Deletes the links of a project, in small batches so that other transactions are not blocked. */
  async removeProject(projectId: number): Promise<void> {
    for (;;) {
      const links: { visitor_id: string }[] = await this.database.read.query(
        `SELECT visitor_id FROM linked_visitors WHERE project_id = ? ORDER BY visitor_id LIMIT ${PURGED_LINKS}`,
        [projectId],
      );
      const to = links.at(-1)?.visitor_id;
      if (to === undefined) {
        break;
      }
      await this.database.transaction((tx) =>
        tx.query('DELETE FROM linked_visitors WHERE project_id = ? AND visitor_id <= ?', [projectId, to]),
      );
    }
    await this.database.transaction((tx) =>
      tx.query('DELETE FROM link_counts WHERE project_id = ?', [projectId]),
    );
  }

  /** Deletes the links of these ids. */
  async deleteOf(tx: Tx, projectId: number, visitorIds: readonly string[]): Promise<void> {
    const deleted = await countRows(
      tx,
      `DELETE FROM linked_visitors WHERE project_id = ? AND visitor_id IN (${placeholders(visitorIds.length)})`,
      [projectId, ...visitorIds],
    );
    if (deleted > 0) {
      await tx.query('UPDATE link_counts SET links = links - ? WHERE project_id = ?', [deleted, projectId]);
    }
  }

  /** Locks the links of a project on all nodes. @returns their number */
  private async hold(tx: Tx, projectId: number): Promise<number> {
    await tx.query(
      `INSERT INTO link_counts (project_id, links, lock_version) VALUES (?, 0, 0)
       ${countingDuplicates(this.database.engine, ['project_id'], 'lock_version')}`,
      [projectId],
    );
    const [{ links }]: { links: number }[] = await tx.query(
      'SELECT links FROM link_counts WHERE project_id = ?',
      [projectId],
    );
    return links;
  }
}

const idsIn = (requests: readonly LinkRequest[]): string[] => [
  ...new Set(requests.filter(({ refusal }) => refusal === null).flatMap(({ from, to }) => [from, to])),
];

async function knownLinks(
  manager: EntityManager,
  projectId: number,
  ids: readonly string[],
): Promise<KnownLinks> {
  const canonicalIds = new Map<string, string>();
  for (const chunk of chunksOf(ids)) {
    const rows: Link[] = await manager.query(
      `SELECT visitor_id, canonical_id FROM linked_visitors
        WHERE project_id = ? AND visitor_id IN (${placeholders(chunk.length)})`,
      [projectId, ...chunk],
    );
    rows.forEach(({ visitor_id, canonical_id }) => canonicalIds.set(visitor_id, canonical_id));
  }
  const sizes = new Map<string, number>();
  for (const chunk of chunksOf([...new Set([...ids, ...canonicalIds.values()])])) {
    const rows: { canonical_id: string; size: number | string }[] = await manager.query(
      `SELECT canonical_id, COUNT(*) AS size FROM linked_visitors
        WHERE project_id = ? AND canonical_id IN (${placeholders(chunk.length)}) GROUP BY canonical_id`,
      [projectId, ...chunk],
    );
    rows.forEach(({ canonical_id, size }) => sizes.set(canonical_id, Number(size)));
  }
  return { canonicalIds, sizes };
}

function chunksOf<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, index) =>
    items.slice(index * CHUNK, (index + 1) * CHUNK),
  );
}
