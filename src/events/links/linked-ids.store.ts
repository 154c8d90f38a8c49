import type { EntityManager } from 'typeorm';
import { chunksOf } from '../../common/lists/collections';
import { byText } from '../../common/text/strings';
import type { Tx } from '../../database/database';
import { placeholders } from '../../database/row-store';
import { LinkedIds, LinkRow } from './linked-ids';

const CHUNK = 500;
const COLUMNS = 'visitor_id, canonical_id, linked_at, attributed';

/**
 * Finds all ids of the visitors who have one of these ids, and locks their links. Other transactions that attribute one
 * of these visitors wait or, on a different node of a cluster, fail. A link that is added in the meantime has its own
 * marks, so it is attributed later.
 */
export async function lockLinkedIds(
  tx: Tx,
  projectId: number,
  visitorIds: readonly string[],
): Promise<LinkedIds> {
  const canonicalIds = await canonicalIdsOf(tx, projectId, visitorIds);
  if (canonicalIds.length === 0) {
    return LinkedIds.NONE;
  }
  const among = `WHERE project_id = ? AND canonical_id IN (${placeholders(canonicalIds.length)})`;
  const parameters = [projectId, ...canonicalIds];
  await tx.query(`UPDATE linked_visitors SET lock_version = lock_version + 1 ${among}`, parameters);
  return new LinkedIds(await rowsAmong(tx, among, parameters));
}

/**
 * Finds all ids of the visitors who have one of these ids. @param links `attributed` = only links that the results
 * include
 */
export async function linkedIdsOf(
  manager: EntityManager,
  projectId: number,
  visitorIds: readonly string[],
  links: 'all' | 'attributed',
): Promise<LinkedIds> {
  return new LinkedIds(
    await linksAmong(manager, projectId, visitorIds, links === 'all' ? '' : 'AND attributed = 1'),
  );
}

/** All links of the visitors who have one of these ids, for any number of ids. Sorted by id. */
export async function linksOf(
  manager: EntityManager,
  projectId: number,
  visitorIds: readonly string[],
): Promise<LinkRow[]> {
  const rows = new Map<string, LinkRow>();
  for (const chunk of chunksOf(visitorIds, CHUNK)) {
    const found = await linksAmong(manager, projectId, chunk, '');
    found.forEach((row) => rows.set(row.visitor_id, row));
  }
  return [...rows.values()].sort((a, b) => byText(a.visitor_id, b.visitor_id));
}

/** Records that the results include these links. */
export async function noteLinksAttributed(
  tx: Tx,
  projectId: number,
  links: readonly LinkRow[],
): Promise<void> {
  for (const chunk of chunksOf(links, CHUNK)) {
    await tx.query(
      `UPDATE linked_visitors SET attributed = 1
        WHERE project_id = ? AND visitor_id IN (${placeholders(chunk.length)})`,
      [projectId, ...chunk.map(({ visitor_id }) => visitor_id)],
    );
  }
}

/** Returns the next canonical ids, sorted, starting after a given id. Some of them may have no events. */
export async function canonicalIdsAfter(
  manager: EntityManager,
  projectId: number,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows: { canonical_id: string }[] = await manager.query(
    `SELECT DISTINCT canonical_id FROM linked_visitors WHERE project_id = ? AND canonical_id > ?
      ORDER BY canonical_id LIMIT ${limit}`,
    [projectId, after],
  );
  return rows.map(({ canonical_id }) => canonical_id);
}

/** The canonical ids of linked visitors who have one of these ids, sorted. */
async function canonicalIdsOf(
  manager: EntityManager,
  projectId: number,
  visitorIds: readonly string[],
): Promise<string[]> {
  if (visitorIds.length === 0) {
    return [];
  }
  const among = placeholders(visitorIds.length);
  const rows: { canonical_id: string }[] = await manager.query(
    `SELECT canonical_id FROM linked_visitors WHERE project_id = ? AND visitor_id IN (${among})
      UNION SELECT canonical_id FROM linked_visitors WHERE project_id = ? AND canonical_id IN (${among})`,
    [projectId, ...visitorIds, projectId, ...visitorIds],
  );
  return rows.map(({ canonical_id }) => canonical_id).sort();
}

/** @param condition an SQL condition that begins with AND, or nothing */
async function linksAmong(
  manager: EntityManager,
  projectId: number,
  visitorIds: readonly string[],
  condition: string,
): Promise<LinkRow[]> {
  const canonicalIds = await canonicalIdsOf(manager, projectId, visitorIds);
  const among = `WHERE project_id = ? ${condition} AND canonical_id IN (${placeholders(canonicalIds.length)})`;
  return canonicalIds.length === 0 ? [] : rowsAmong(manager, among, [projectId, ...canonicalIds]);
}

const rowsAmong = (manager: EntityManager, among: string, parameters: unknown[]): Promise<LinkRow[]> =>
  manager.query(`SELECT ${COLUMNS} FROM linked_visitors ${among} ORDER BY visitor_id`, parameters);
