import type { Participation } from './attribution';
import type { VisitorsChange } from './attribution-steps';
import { CellChanges } from './cell-changes';
import type { CountingRules, Seen } from './counting-rules';
import type { Exclusions } from './exclusions/excluded';
import { attributedPart, eventsOf, participationsOf } from './links/linked-ids';
import type { VisitorParticipation, WholeVisitor } from './links/linked-ids';
import type { ResultState, Span } from './result-states.store';

/**
 * The visitors' participations before and after a change. A change attributes events, links and exclusions, or removes
 * visitors.
 */
export interface VisitorChanges {
  before: VisitorParticipation[];
  after: VisitorParticipation[];
}

/** The counting rules for the current cells or for the rebuild, by experiment. */
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
  visitors: readonly WholeVisitor[],
  exclusions: Exclusions,
  rules: ReadonlyMap<number, CountingRules>,
): VisitorChanges {
  const attributed = visitors.flatMap(attributedPart);
  return {
    before: exclusions.counted(attributed.flatMap((visitor) => participationsOf(visitor, rules))),
    after: exclusions.wanted(visitors.flatMap((visitor) => participationsOf(visitor, rules))),
  };
}

/** The changes that result from removing visitors. */
export const removalOf = (
  visitors: readonly WholeVisitor[],
  exclusions: Exclusions,
  rules: ReadonlyMap<number, CountingRules>,
): VisitorChanges => ({
  before: exclusions.counted(
    visitors.flatMap(attributedPart).flatMap((visitor) => participationsOf(visitor, rules)),
  ),
  after: [],
});

/**
 * Time spans by experiment: from the visitors' first exposure to their last event, including events that do not count.
 */
export function seenIn(visitors: readonly WholeVisitor[]): Map<number, Seen> {
  const seen = new Map<number, Seen>();
  for (const events of visitors.map(eventsOf)) {
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

/** The span that covers both spans. */
export const joined = (a: Seen, b: Seen): Seen => ({
  first: chosen(Math.min, a.first, b.first),
  last: chosen(Math.max, a.last, b.last),
});

const chosen = (choose: typeof Math.min, a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : choose(a, b);

/** Whether an end of this span is an event of some visitors that no longer counts. */
export const isShorter = (span: Span, before: Span, after: Span): boolean =>
  (before.first !== null &&
    before.first <= (span.first ?? Infinity) &&
    before.first < (after.first ?? Infinity)) ||
  (before.last !== null && before.last >= (span.last ?? 0) && before.last > (after.last ?? 0));

/**
 * The changes to an experiment's cells, and the time span of its counted events. Changes can only extend this span.
 * @param isIncluded whether the cells include the visitor with this id
 */
export function sumUp(
  experimentId: number,
  span: Span,
  { before, after }: VisitorChanges,
  isIncluded: (visitorId: string) => boolean = () => true,
): VisitorsChange {
  const sums = new CellChanges();
  const isOwn = (each: VisitorParticipation): boolean =>
    each.experimentId === experimentId && isIncluded(each.visitorId);
  const [lost, gained] = [before.filter(isOwn), after.filter(isOwn)];
  gained.forEach(({ contributions }) => contributions.forEach((contribution) => sums.add(contribution)));
  lost.forEach(({ contributions }) => contributions.forEach((contribution) => sums.subtract(contribution)));
  const covered = gained.reduce(widened, NEVER);
  return {
    cells: sums.list(),
    span: joined(span, covered),
    isShorter: isShorter(span, lost.reduce(widened, NEVER), covered),
  };
}

/** Extends a span to cover a visitor's events. */
export const widened = (span: Span, { firstEventAt, lastEventAt }: Participation): Span =>
  joined(span, { first: firstEventAt, last: lastEventAt });
