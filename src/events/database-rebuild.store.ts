import { Injectable } from '@nestjs/common';
import { byText } from '../common/text/strings';
import { Database, Tx } from '../database/database';
import { placeholders } from '../database/row-store';
import { CountedChanges, NextVisitors, RebuildCounts } from './attribution-steps';
import { CellChanges } from './cell-changes';
import { exclusionsOf } from './exclusions/exclusion.store';
import { participationsOf } from './links/linked-ids';
import { canonicalIdsAfter, linkedIdsOf } from './links/linked-ids.store';
import { EventGates } from './event-gates.store';
import type { ResultState } from './result-states.store';
import {
  areTooMany,
  EVENT_COLUMNS,
  EventRow,
  fittingPart,
  groupByVisitor,
  visitorsAfter,
} from './stored-events.store';
import { rulesOf, widened } from './visitor-changes';

const VISITORS = 500;

/** Counts events in the main database, in the rebuild transaction. */
@Injectable()
export class DatabaseRebuildCounts extends RebuildCounts {
  constructor(
    private readonly database: Database,
    private readonly gates: EventGates,
  ) {
    super();
  }

  async countVisitors(projectIds: readonly number[]): Promise<number> {
    if (projectIds.length === 0) {
      return 0;
    }
    const [row]: { count: string | number }[] = await this.database.read.query(
      `SELECT COUNT(*) AS count FROM (SELECT DISTINCT project_id, visitor_id FROM events
        WHERE project_id IN (${placeholders(projectIds.length)})) AS visitors`,
      [...projectIds],
    );
    return Number(row?.count);
  }

  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.database.transaction(async (tx) => {
      await this.gates.pass(tx);
      return work(tx);
    });
  }

  async next(tx: Tx, projectId: number, from: string, states: readonly ResultState[]): Promise<NextVisitors> {
    const visitorIds = await idsAfter(tx, projectId, from);
    const to = visitorIds.at(-1) ?? null;
    const counted = to === null ? new Map() : await count(tx, projectId, states, visitorIds);
    return { visitors: visitorIds.length, to, counted };
  }
}

/** The next ids with events, and the next canonical ids, some of which may have no events. */
async function idsAfter(tx: Tx, projectId: number, from: string): Promise<readonly string[]> {
  const visitors = await visitorsAfter(tx, projectId, from, VISITORS);
  const canonicalIds = await canonicalIdsAfter(tx, projectId, from, VISITORS);
  const ids = new Set([...visitors, ...canonicalIds]);
  const next = [...ids].sort(byText).slice(0, VISITORS);
  return fittingPart(next, (part) => areTooMany(tx, projectId, part));
}

async function count(
  tx: Tx,
  projectId: number,
  states: readonly ResultState[],
  visitorIds: readonly string[],
): Promise<Map<number, CountedChanges>> {
  const links = await linkedIdsOf(tx, projectId, visitorIds, 'attributed');
  const ids = links.and(visitorIds);
  const rows: EventRow[] = await tx.query(
    `SELECT ${EVENT_COLUMNS} FROM events
      WHERE project_id = ? AND visitor_id IN (${placeholders(ids.length)}) AND attributed = 1 ORDER BY visitor_id`,
    [projectId, ...ids],
  );
  const exclusions = await exclusionsOf(tx, projectId, ids);
  const rules = rulesOf(states, 'rebuild');
  const among = new Set(visitorIds);
  const visitors = links.visitors(groupByVisitor(rows));
  const participations = exclusions
    .counted(visitors.flatMap((visitor) => participationsOf(visitor, rules)))
    .filter(({ visitorId }) => among.has(visitorId));
  const counted = new Map<number, CountedChanges>();
  for (const { experimentId, rebuild } of states) {
    const own = participations.filter((participation) => participation.experimentId === experimentId);
    const sums = new CellChanges();
    own.flatMap(({ contributions }) => contributions).forEach((contribution) => sums.add(contribution));
    const span = own.reduce(widened, rebuild?.span ?? { first: null, last: null });
    counted.set(experimentId, { cells: sums.list(), span });
  }
  return counted;
}
