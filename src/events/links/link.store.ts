import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { chunksOf, groupBy } from '../../common/lists/collections';
import { Config } from '../../config/config';
import { Database, Tx } from '../../database/database';
import { countingDuplicates } from '../../database/dialect';
import { countRows, placeholders } from '../../database/row-store';
import { deleteInSteps } from '../../database/stepwise-deletes';
import { DefinitionsChangedError } from '../definitions';
import { mayStoreEvents } from '../event-purges.store';
import { decideLinks, Link, LinkDecisions } from './link-decisions';
import type { LinkRequest } from './link-request';

/** Maximum number of links per project. */
const MAX_LINKS = 10_000_000;
/** Maximum number of rows or ids in a statement. */
const CHUNK = 1_000;

/** Counts the stored events for ids. A count above the limit per visitor need not be exact. */
export type CountEvents = (
  projectId: number,
  visitorIds: readonly string[],
) => Promise<ReadonlyMap<string, number>>;

/** The stored links of some ids. */
interface StoredLinks {
  canonicalIds: ReadonlyMap<string, string>;
  /** The ids that are linked to a canonical id. */
  linkedTo: ReadonlyMap<string, readonly string[]>;
}

const NO_COUNTS: ReadonlyMap<string, number> = new Map();

/** Stores which visitor ids belong to the same visitor. */
@Injectable()
export class LinkStore {
  /** Maximum number of events of a visitor under all its ids. */
  readonly maxEvents: number;

  constructor(
    private readonly database: Database,
    { eventsPerVisitor }: Config,
  ) {
    this.maxEvents = eventsPerVisitor;
  }

  /**
   * Decides which ids are linked. If any are linked, the project's links cannot change on any node before the
   * transaction ends, and the caller must then call `insert`.
   * @throws DefinitionsChangedError if the project was purged in the meantime
   */
  async decide(
    tx: Tx,
    projectId: number,
    requests: readonly LinkRequest[],
    countEvents: CountEvents,
  ): Promise<LinkDecisions> {
    const ids = idsIn(requests);
    const expected = decisionsFor(await storedLinks(tx, projectId, ids), requests);
    if (expected.added.length === 0) {
      return expected;
    }
    const room = MAX_LINKS - (await this.hold(tx, projectId));
    // A purge deletes the project, and then waits for the transactions that hold its links.
    if (!(await mayStoreEvents(tx, [projectId], [], []))) {
      throw new DefinitionsChangedError();
    }
    const links = await storedLinks(tx, projectId, ids);
    const visitors = this.visitorsToCount(links, requests);
    const counts =
      visitors.size === 0 ? NO_COUNTS : await countEvents(projectId, [...visitors.values()].flat());
    const events = [...visitors].map(([visitor, own]) => [visitor, sumOf(own, counts)] as const);
    return decisionsFor(links, requests, room, new Map(events), this.maxEvents);
  }

  /** The ids whose events `decide` counts. */
  async idsToCount(
    manager: EntityManager,
    projectId: number,
    requests: readonly LinkRequest[],
  ): Promise<string[]> {
    const links = await storedLinks(manager, projectId, idsIn(requests));
    return decisionsFor(links, requests).added.length === 0
      ? []
      : [...this.visitorsToCount(links, requests).values()].flat();
  }

  /** All ids of the visitors whom the requests may link, by canonical id; empty if there is no event limit. */
  private visitorsToCount(
    { canonicalIds, linkedTo }: StoredLinks,
    requests: readonly LinkRequest[],
  ): ReadonlyMap<string, readonly string[]> {
    if (this.maxEvents === Infinity) {
      return new Map();
    }
    const isLinked = (id: string): boolean => canonicalIds.has(id) || linkedTo.has(id);
    const open = requests.filter(({ from, to }) => !isLinked(from) || !isLinked(to));
    return new Map(
      idsIn(open).map((id) => {
        const visitor = canonicalIds.get(id) ?? id;
        return [visitor, [visitor, ...(linkedTo.get(visitor) ?? [])]];
      }),
    );
  }

  /** Adds links, which are not attributed yet. The marks of their ids must already be incremented. */
  async insert(tx: Tx, projectId: number, links: readonly Link[]): Promise<void> {
    for (const chunk of chunksOf(links, CHUNK)) {
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

  /**
   * Deletes the links in a purged project, in small batches so that other transactions are not blocked. First waits for
   * the transactions that are adding links.
   */
  async removeProject(projectId: number): Promise<void> {
    await this.database.transaction((tx) => this.hold(tx, projectId));
    const own = { where: 'project_id = ?', parameters: [projectId] };
    await deleteInSteps(this.database, {
      ...own,
      table: 'linked_visitors',
      key: ['project_id', 'visitor_id'],
    });
    await deleteInSteps(this.database, { ...own, table: 'link_counts', key: ['project_id'] });
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

  /** Locks the links in a project on all nodes. @returns the number of links */
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

const sumOf = (ids: readonly string[], counts: ReadonlyMap<string, number>): number =>
  ids.reduce((sum, id) => sum + (counts.get(id) ?? 0), 0);

const decisionsFor = (
  { canonicalIds, linkedTo }: StoredLinks,
  requests: readonly LinkRequest[],
  room = MAX_LINKS,
  events = NO_COUNTS,
  maxEvents = Infinity,
): LinkDecisions => {
  const sizes = new Map([...linkedTo].map(([canonicalId, ids]) => [canonicalId, ids.length]));
  return decideLinks({ canonicalIds, sizes, events }, requests, { links: room, events: maxEvents });
};

async function storedLinks(
  manager: EntityManager,
  projectId: number,
  ids: readonly string[],
): Promise<StoredLinks> {
  const read = async (
    column: 'visitor_id' | 'canonical_id',
    among: readonly string[],
  ): Promise<LinkedPair[]> => {
    const rows: LinkedPair[][] = [];
    for (const chunk of chunksOf(among, CHUNK)) {
      rows.push(
        await manager.query(
          `SELECT visitor_id, canonical_id FROM linked_visitors
            WHERE project_id = ? AND ${column} IN (${placeholders(chunk.length)})`,
          [projectId, ...chunk],
        ),
      );
    }
    return rows.flat();
  };
  const own = await read('visitor_id', ids);
  const canonicalIds = new Map(own.map(({ visitor_id, canonical_id }) => [visitor_id, canonical_id]));
  const linked = await read('canonical_id', [...new Set([...ids, ...canonicalIds.values()])]);
  const linkedTo = new Map(
    [...groupBy(linked, ({ canonical_id }) => canonical_id)].map(([canonicalId, links]) => [
      canonicalId,
      links.map(({ visitor_id }) => visitor_id),
    ]),
  );
  return { canonicalIds, linkedTo };
}

type LinkedPair = Pick<Link, 'visitor_id' | 'canonical_id'>;
