import { groupBy } from '../../src/common/lists/collections';
import { attribute, Contribution } from '../../src/events/attribution';
import { CellChange, CellChanges } from '../../src/events/cell-changes';
import type { Tx } from '../../src/database/database';
import type { CountingRules } from '../../src/events/counting-rules';
import type { TestApi } from './api';
import { AnyEvent, AnyLink, visitorsByHand, withoutRepeats } from './brute-force';

/** Groups events by visitor. */
export function visitorsOf(events: readonly AnyEvent[]): AnyEvent[][] {
  return [...new Set(events.map(({ visitor_id }) => visitor_id))].map((visitor) =>
    events.filter(({ visitor_id }) => visitor_id === visitor),
  );
}

/** Computes the cells from events. */
export function cellsOf(
  events: readonly AnyEvent[],
  rules: ReadonlyMap<number, CountingRules>,
): Contribution[] {
  const sums = new CellChanges();
  for (const own of visitorsOf(withoutRepeats(events))) {
    attribute(own, rules)
      .flatMap(({ contributions }) => contributions)
      .forEach((contribution) => sums.add(contribution));
  }
  return sums.list();
}

/** Computes the cells from events and links. Links made after a result became final do not apply to that result. */
export function linkedCellsOf(
  events: readonly AnyEvent[],
  links: readonly AnyLink[],
  rules: ReadonlyMap<number, CountingRules>,
): CellChange[] {
  const sums = new CellChanges();
  const sorted = [...events].sort((a, b) => (a.visitor_id < b.visitor_id ? -1 : 1));
  for (const [experimentId, rule] of rules) {
    const visitorOf = visitorsByHand(links, rule.finalAt);
    for (const own of groupBy(sorted, ({ visitor_id }) => visitorOf(visitor_id)).values()) {
      attribute(own, new Map([[experimentId, rule]]))
        .flatMap(({ contributions }) => contributions)
        .forEach((contribution) => sums.add(contribution));
    }
  }
  return sums.list();
}

/** Formats a cell like `shownCells`. */
export const asText = (cell: CellChange): string =>
  `experiment_id=${cell.experiment_id} goal_id=${cell.goal_id} variation_id=${cell.variation_id} phase=${cell.phase} device=${cell.device} ` +
  `entry_day=${cell.entry_day} event_day=${cell.event_day} participants=${cell.participants} ` +
  `converters=${cell.converters} conversions=${cell.conversions} value=${cell.value} value_excess=${cell.value_excess} value_squared=${cell.value_squared} ` +
  `conversions_squared=${cell.conversions_squared} value_by_conversions=${cell.value_by_conversions}`;

const TABLES = [
  'result_cells',
  'entry_cells',
  'experiment_results',
  'collected_goals',
  'dirty_visitors',
  'linked_visitors',
  'link_counts',
  'events',
];

/** Deletes all events, links and results. */
export const clearResults = ({ database }: TestApi): Promise<void> =>
  database.transaction((tx) => emptyTables(tx));

/** Deletes all events, links and results within a transaction. @param others additional tables to empty */
export async function emptyTables(tx: Tx, others: readonly string[] = []): Promise<void> {
  for (const table of [...TABLES, ...others]) {
    await tx.query(`DELETE FROM ${table}`);
  }
}
