import type { EntityManager } from 'typeorm';
import { chunksOf } from '../../common/lists/collections';
import { byText } from '../../common/text/strings';
import type { Micros } from '../../common/time/clock';
import { placeholders } from '../../database/row-store';
import type { ExclusionRow } from '../exclusions/excluded';
import type { LinkRow } from '../links/linked-ids';
import type { CountedBatches } from './event-batches.store';
import { integer, quoted, rowsOf } from './clickhouse';

/* The scope of a ClickHouse statement: its events, and visitor data from the main database. */

const CHUNK = 500;

export interface ProjectVisitor {
  project_id: number;
  visitor_id: string;
}

/**
 * Excludes the closed batches that are listed in ClickHouse. Only closed batches are added to the list, so additions
 * never change which events count.
 */
const FORGOTTEN = ' AND batch_id NOT IN (SELECT batch_id FROM closed_batches)';

/** The condition on `batch_id` for batches that count. @param more additional batches */
export function amongBatches({ low, closed, above }: CountedBatches, more: readonly number[] = []): string {
  const upToLow = `${FORGOTTEN}${closed.length === 0 ? '' : ` AND batch_id NOT IN (${closed.map(integer).join(',')})`}`;
  const others = [...above, ...more].sort((a, b) => a - b);
  const beyond = others.length === 0 ? '' : ` OR batch_id IN (${others.map(integer).join(',')})`;
  return `(batch_id <= ${low}${upToLow})${beyond}`;
}

/** Events to be removed. */
export interface RemovedEvents {
  projectId: number;
  /** Only events with this visitor id; null = events from all visitors. */
  visitorId: string | null;
  /** Only events that happened before this time; null = events from any time. */
  before: Micros | null;
  /** The last affected batch. Events in later batches are kept. */
  upTo: number;
}

/** The condition for events to be removed. */
export function removedBy(removals: readonly RemovedEvents[]): string {
  const old = removals
    .filter(({ visitorId }) => visitorId === null)
    .map(
      ({ projectId, before, upTo }) =>
        `project_id = ${projectId} AND batch_id <= ${upTo} AND occurred_at < ${integer(before ?? 0)}`,
    );
  const visitors = removals.filter(isOfVisitor);
  const conditions = visitors.length === 0 ? old : [...old, ofVisitors(visitors)];
  return conditions.length === 0 ? 'false' : conditions.map((each) => `(${each})`).join(' OR ');
}

type VisitorRemoval = RemovedEvents & { visitorId: string };

const isOfVisitor = (removal: RemovedEvents): removal is VisitorRemoval => removal.visitorId !== null;

/**
 * The condition for the events of these visitors up to their last affected batch. It looks the batch up, because a
 * condition for each batch would make statements slow while many visitors are being deleted.
 */
function ofVisitors(removals: readonly VisitorRemoval[]): string {
  const ascending = [...removals].sort((a, b) => a.upTo - b.upTo);
  // If a visitor has several removals, the latest one is kept.
  const last = new Map(ascending.map((each) => [`${each.projectId} ${each.visitorId}`, each]));
  const ids = [...last.values()].map(({ projectId, visitorId }) => `(${projectId},${quoted(visitorId)})`);
  const batches = [...last.values()].map(({ upTo }) => upTo);
  return `(project_id, visitor_id) IN (${ids.join(',')}) AND batch_id <= transform(
    concat(toString(project_id), ' ', visitor_id), [${[...last.keys()].map(quoted).join(',')}], [${batches.join(',')}], 0)`;
}

const VISITOR = 'project_id UInt32, visitor_id String';
const visitorRow = ({ project_id, visitor_id }: ProjectVisitor): string[] => [
  integer(project_id),
  quoted(visitor_id),
];

/** Statement for the visitors of these batches, in some projects or in all. Its rows are `ProjectVisitor`s. */
export function visitorsOfBatches(ids: readonly number[], projectIds?: readonly number[]): string {
  const among = projectIds === undefined ? '' : ` AND project_id IN (${projectIds.map(integer).join(',')})`;
  return ids.length === 0
    ? `SELECT project_id, visitor_id FROM null(${quoted(VISITOR)})`
    : `SELECT project_id, visitor_id FROM events WHERE batch_id IN (${ids.map(integer).join(',')})${among} GROUP BY project_id, visitor_id`;
}

/** The condition for the visitors of these batches and for the other given visitors. */
export const amongVisitors = (batches: readonly number[], others: readonly ProjectVisitor[]): string =>
  `(project_id, visitor_id) IN (${visitorsOfBatches(batches)}
     UNION ALL SELECT project_id, visitor_id FROM ${rowsOf(VISITOR, others.map(visitorRow))})`;

/**
 * An SQL condition that matches a project's visitors with ids after `from` and up to `to`, as well as the visitors in
 * `others`.
 */
export const amongRange = (
  projectId: number,
  from: string,
  to: string,
  others: readonly ProjectVisitor[],
): string =>
  `project_id = ${projectId} AND ((visitor_id > ${quoted(from)} AND visitor_id <= ${quoted(to)})
     OR (project_id, visitor_id) IN (SELECT project_id, visitor_id FROM ${rowsOf(VISITOR, others.map(visitorRow))}))`;

/** Statement for the next ids of a project. Its rows have a `visitor_id`. */
export const nextVisitors = (projectId: number, from: string, batches: string, limit: number): string =>
  `SELECT visitor_id FROM events WHERE project_id = ${projectId} AND visitor_id > ${quoted(from)} AND (${batches})
    GROUP BY visitor_id ORDER BY visitor_id LIMIT ${limit}`;

/** Statement for the approximate number of visitors in these projects. */
export const countVisitors = (projectIds: readonly number[]): string =>
  `SELECT uniq(project_id, visitor_id) AS visitors FROM events WHERE ${
    projectIds.length === 0 ? 'false' : `project_id IN (${projectIds.map(integer).join(',')})`
  }`;

/** The projects that have links or exclusions. Visitors of other projects need no lookup of links and exclusions. */
export async function projectsWithLinksOrExclusions(manager: EntityManager): Promise<number[]> {
  const rows: { id: number }[] = await manager.query(
    `SELECT p.id FROM projects p
      WHERE EXISTS (SELECT 1 FROM linked_visitors l WHERE l.project_id = p.id)
         OR EXISTS (SELECT 1 FROM excluded_visitors x WHERE x.project_id = p.id) ORDER BY p.id`,
  );
  return rows.map(({ id }) => id);
}

/** The attributed links of visitors who have an id after `from` and up to `to`. */
export async function linksBetween(
  manager: EntityManager,
  projectId: number,
  from: string,
  to: string,
): Promise<LinkRow[]> {
  const rows: LinkRow[] = await manager.query(
    `SELECT visitor_id, canonical_id, linked_at, attributed FROM linked_visitors
      WHERE project_id = ? AND attributed = 1 AND canonical_id IN (
        SELECT canonical_id FROM linked_visitors WHERE project_id = ? AND attributed = 1
           AND ((visitor_id > ? AND visitor_id <= ?) OR (canonical_id > ? AND canonical_id <= ?)))`,
    [projectId, projectId, from, to, from, to],
  );
  return rows.sort(byVisitor);
}

/** The exclusions of these ids. */
export async function exclusionsOfIds(
  manager: EntityManager,
  projectId: number,
  visitorIds: readonly string[],
): Promise<ExclusionRow[]> {
  const rows: ExclusionRow[] = [];
  for (const chunk of chunksOf(visitorIds, CHUNK)) {
    const found: ExclusionRow[] = await manager.query(
      `SELECT visitor_id, experiment_id, wanted, applied FROM excluded_visitors
        WHERE project_id = ? AND visitor_id IN (${placeholders(chunk.length)}) ORDER BY visitor_id, experiment_id`,
      [projectId, ...chunk],
    );
    rows.push(...found);
  }
  return rows;
}

/** The exclusions of ids after `from` and up to `to`. */
export const exclusionsBetween = (
  manager: EntityManager,
  projectId: number,
  from: string,
  to: string,
): Promise<ExclusionRow[]> =>
  manager.query(
    `SELECT visitor_id, experiment_id, wanted, applied FROM excluded_visitors
      WHERE project_id = ? AND visitor_id > ? AND visitor_id <= ? ORDER BY visitor_id, experiment_id`,
    [projectId, from, to],
  );

const byVisitor = (a: LinkRow, b: LinkRow): number => byText(a.visitor_id, b.visitor_id);
