import { attribute, Contribution } from '../../src/events/attribution';
import { CellChanges } from '../../src/events/cell-changes';
import type { CountingRules } from '../../src/events/counting-rules';
import { AnyEvent, withoutRepeats } from './brute-force';

/** The events of each visitor. */
export function visitorsOf(events: readonly AnyEvent[]): AnyEvent[][] {
  return [...new Set(events.map(({ visitor_id }) => visitor_id))].map((visitor) =>
    events.filter(({ visitor_id }) => visitor_id === visitor),
  );
}

/** The cells that events come to. */
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
