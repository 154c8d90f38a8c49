import { Injectable } from '@nestjs/common';
import { groupBy } from '../../common/lists/collections';
import { byText } from '../../common/text/strings';
import { Database, Tx } from '../../database/database';
import { NextVisitors, RebuildCounts } from '../attribution-steps';
import { canonicalIdsAfter } from '../links/linked-ids.store';
import type { ResultState } from '../result-states.store';
import { CellRow, cellsQuery } from './attribution-query.store';
import { changesBetween } from './cells';
import { ClickHouse } from './clickhouse';
import { ClickHouseTable } from './clickhouse-table';
import { EventBatches } from './event-batches.store';
import { EventRemovals } from './event-removals.store';
import { answering, Ask } from './questions';
import { exclusionsIn, linksIn } from './scoped-visitors';
import * as scopes from './scopes.store';

const VISITORS = 20_000;

/** Counts events in ClickHouse, in steps of many visitors. */
@Injectable()
export class ClickHouseRebuildCounts extends RebuildCounts {
  private readonly asks = new WeakMap<Tx, Ask>();

  constructor(
    private readonly database: Database,
    private readonly clickhouse: ClickHouse,
    private readonly table: ClickHouseTable,
    private readonly batches: EventBatches,
    private readonly removals: EventRemovals,
  ) {
    super();
  }

  async countVisitors(projectIds: readonly number[]): Promise<number> {
    await this.table.ready();
    const [row] = await this.clickhouse.rows<{ visitors: number }>(scopes.countVisitors(projectIds));
    return row?.visitors ?? 0;
  }

  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    await this.table.ready();
    return answering(this.clickhouse, (ask) =>
      this.database.transaction((tx) => {
        this.asks.set(tx, ask);
        return work(tx);
      }),
    );
  }

  /**
   * The rebuild locks the results, so attribution cannot change them or their events before the rebuild's transaction
   * ends.
   */
  async next(tx: Tx, projectId: number, from: string, states: readonly ResultState[]): Promise<NextVisitors> {
    const ask = this.asks.get(tx);
    if (ask === undefined) {
      throw new Error('A rebuild counts in its own transaction.');
    }
    const among = await this.removals.among(tx);
    const batches = among(await this.batches.counted(tx));
    const [rows = []] = ask<{ visitor_id: string }>(scopes.nextVisitors(projectId, from, batches, VISITORS));
    const canonicalIds = await canonicalIdsAfter(tx, projectId, from, VISITORS);
    const ids = new Set([...rows.map(({ visitor_id }) => visitor_id), ...canonicalIds]);
    const visitorIds = [...ids].sort(byText).slice(0, VISITORS);
    const to = visitorIds.at(-1);
    if (to === undefined) {
      return { visitors: 0, to: null, counted: new Map() };
    }
    const statement = await statementFor(tx, { projectId, from, to, batches }, states);
    const [cells = []] = ask<CellRow>(statement);
    const byExperiment = groupBy(cells, ({ experiment_id }) => experiment_id);
    const counted = states.map(({ experimentId, rebuild }) => {
      const span = rebuild?.span ?? { first: null, last: null };
      return [experimentId, changesBetween(span, [], byExperiment.get(experimentId) ?? [])] as const;
    });
    return { visitors: visitorIds.length, to, counted: new Map(counted) };
  }
}

interface Range {
  projectId: number;
  from: string;
  to: string;
  batches: string;
}

async function statementFor(
  tx: Tx,
  { projectId, from, to, batches }: Range,
  states: readonly ResultState[],
): Promise<string> {
  const links = await scopes.linksBetween(tx, projectId, from, to);
  const linked = [...new Set(links.flatMap(({ visitor_id, canonical_id }) => [visitor_id, canonical_id]))];
  const outside = linked.filter((id) => id <= from || id > to).sort(byText);
  const exclusions = [
    ...(await scopes.exclusionsBetween(tx, projectId, from, to)),
    ...(await scopes.exclusionsOfIds(tx, projectId, outside)),
  ];
  const others = outside.map((visitor_id) => ({ project_id: projectId, visitor_id }));
  return cellsQuery({
    visitors: scopes.amongRange(projectId, from, to, others),
    batches,
    links: linksIn({ projectId, links }, () => true),
    exclusions: exclusionsIn({ projectId, exclusions }, ({ applied }) => Boolean(applied)),
    rules: states.flatMap(({ experimentId, rebuild }) =>
      rebuild === null ? [] : [{ experimentId, projectId, rules: rebuild.rules, after: from, until: to }],
    ),
  });
}
