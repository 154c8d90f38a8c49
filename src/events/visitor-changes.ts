import { attribute, Participation, VisitorEvent } from './attribution';
import { CellChange, CellChanges } from './cell-changes';
import type { CountingRules, Seen } from './counting-rules';
import type { Exclusions } from './exclusions/excluded';
import type { ResultState, Span } from './result-states.store';

export interface VisitorEvents {
  visitorId: string;
  events: (VisitorEvent & { isAttributed: boolean })[];
}

/** The contribution of a visitor to results before and after attribution of its stored events. */
export interface VisitorChange {
  visitorId: string;
  before: Participation[];
  after: Participation[];
}

/** The rules of the current cells, or of those being rebuilt. */
export const rulesOf = (
  states: readonly ResultState[],
  cells: 'shown' | 'rebuild',
): Map<number, CountingRules> =>
  new Map(
    states.flatMap((state) => {
      const rules = state[cells]?.rules;
      return rules === undefined ? [] : [[state.experimentId, rules] as const];
    }),
  );

export function changesOf(
  visitors: readonly VisitorEvents[],
  exclusions: Exclusions,
  rules: ReadonlyMap<number, CountingRules>,
): VisitorChange[] {
  return visitors.map(({ visitorId, events }) => ({
    visitorId,
    before: exclusions.counted(
      visitorId,
      attribute(
        events.filter(({ isAttributed }) => isAttributed),
        rules,
      ),
    ),
    after: exclusions.wanted(visitorId, attribute(events, rules)),
  }));
}

/** By experiment, from the first exposure of visitors to their last event, whether or not it counts. */
export function seenIn(visitors: readonly VisitorEvents[]): Map<number, Seen> {
  const seen = new Map<number, Seen>();
  for (const { events } of visitors) {
    const last = events.reduce((latest, { occurred_at }) => Math.max(latest, occurred_at), 0);
    for (const { experiment_id, occurred_at: first } of events) {
      if (experiment_id !== null) {
        seen.set(experiment_id, joined(seen.get(experiment_id) ?? NEVER, { first, last }));
      }
    }
  }
  return seen;
}

const NEVER: Seen = { first: null, last: null };

/** A span that covers both. */
export const joined = (a: Seen, b: Seen): Seen => ({
  first: chosen(Math.min, a.first, b.first),
  last: chosen(Math.max, a.last, b.last),
});

const chosen = (choose: typeof Math.min, a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : choose(a, b);

/** The changes of an experiment's cells, and the resulting time span of its events. */
export function sumUp(
  experimentId: number,
  span: Span,
  changes: readonly VisitorChange[],
): { cells: CellChange[]; span: Span } {
  const sums = new CellChanges();
  let total = span;
  for (const { before, after } of changes) {
    for (const participation of after.filter((each) => each.experimentId === experimentId)) {
      participation.contributions.forEach((contribution) => sums.add(contribution));
      total = widened(total, participation);
    }
    for (const participation of before.filter((each) => each.experimentId === experimentId)) {
      participation.contributions.forEach((contribution) => sums.subtract(contribution));
    }
  }
  return { cells: sums.list(), span: total };
}

/** Extends a span to cover the events of a visitor. */
export const widened = (span: Span, { firstEventAt, lastEventAt }: Participation): Span =>
  joined(span, { first: firstEventAt, last: lastEventAt });
