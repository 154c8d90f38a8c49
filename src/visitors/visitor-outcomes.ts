import { dayOf, type Micros } from '../common/time/clock';
import { byTime } from '../events/attribution';
import {
  type CountingRules,
  counts,
  isRunning,
  phaseOf,
  UNKNOWN_PHASE_NUMBER,
} from '../events/counting-rules';
import { eventsOf, linkedBefore, type VisitorEvents, type WholeVisitor } from '../events/links/linked-ids';

/** Reasons why an event does not change an experiment's figures. */
export const REASONS = {
  waiting: 'It has not been attributed yet.',
  excluded: 'The visitor is excluded from the results.',
  not_running: 'The experiment was not running when the event happened.',
  arrived_late: 'It arrived after the result was final.',
  same_variation: 'An exposure to the variation in which the visitor is counted.',
  crossover: 'An exposure to another variation. It counts only as a crossover.',
  no_counted_exposure: 'No exposure of the visitor counts, so the visitor is not a participant.',
  before_exposure: 'It happened before the first exposure.',
  after_window: 'It happened after the conversion window of the goal.',
  goal_not_attached: 'The goal is not attached to the experiment.',
  same_event: 'The same message was sent under another id of the visitor.',
  events_removed:
    'Old events were removed, so it is unknown whether it counts. The result no longer changes.',
} as const;

export type Reason = keyof typeof REASONS;

type Event = VisitorEvents['events'][number];

/** Whether something counts that does not count for this reason; null if it is unknown. */
export const isCounted = (reason: Reason | null): boolean | null =>
  reason === 'events_removed' ? null : reason === null;

/** How one experiment's results treat an event. */
export interface EventOutcome {
  event: Event;
  experimentId: number;
  /** Null if the event counts. */
  reason: Reason | null;
}

/**
 * How one experiment's results treat a visitor. A visitor has several outcomes if the result became final before the
 * visitor's ids were linked.
 */
export interface VisitorOutcome {
  experimentId: number;
  /** The visitor's ids, including linked ids without events. */
  ids: readonly string[];
  /**
   * The exposure that determines the variation: the first one that counts, or the first one if none counts; null if it
   * may have been removed.
   */
  exposure: Event | null;
  phase: number | null;
  /** Null if the events that determine it may have been removed. */
  hasCrossed: boolean | null;
  /** Why the visitor is not a participant; null for participants. */
  reason: Reason | null;
  events: EventOutcome[];
}

/** The rules for a visitor's events. */
export interface Rules {
  counting: CountingRules;
  /** Whether old events were removed, which may include events of the visitor. */
  hasLostEvents: boolean;
  isExcluded: (ids: readonly string[], experimentId: number) => boolean;
  /** The attached goals, with their conversion windows in days. */
  windows: ReadonlyMap<number, number | null>;
}

/**
 * The outcomes for a visitor in each experiment to which the visitor was exposed, according to the rules in
 * `attribute`.
 */
export function outcomesOf(visitor: WholeVisitor, rules: ReadonlyMap<number, Rules>): VisitorOutcome[] {
  return [...rules].flatMap(([experimentId, rule]) =>
    linkedBefore(visitor, rule.counting.finalAt).flatMap((part) => outcomeOf(part, experimentId, rule)),
  );
}

function outcomeOf(visitor: WholeVisitor, experimentId: number, rules: Rules): VisitorOutcome[] {
  const ordered = [...eventsOf(visitor)].sort(byTime);
  const exposures = ordered.filter(({ experiment_id }) => experiment_id === experimentId);
  const [earliest] = exposures;
  if (earliest === undefined) {
    return [];
  }
  const ids = visitor.ids.map(({ visitorId }) => visitorId);
  const conversions = ordered.filter(({ goal_id }) => goal_id !== null);
  if (rules.hasLostEvents) {
    return [unknownOutcome(experimentId, ids, [...exposures, ...conversions])];
  }
  const general = rules.isExcluded(ids, experimentId) ? 'excluded' : null;
  const first = exposures.find((event) => refusal(event, rules.counting) === null);
  const refused = (event: Event): Reason | null => refusal(event, rules.counting) ?? general;
  const repeats = repeatsIn(conversions, first, rules.counting);
  const events = [
    ...exposures.map((event) => ({ event, reason: refused(event) ?? exposureReason(event, first) })),
    ...conversions.map((event) => ({
      event,
      reason: refused(event) ?? conversionReason(event, first, rules, repeats),
    })),
  ];
  return [
    {
      experimentId,
      ids,
      exposure: first ?? earliest,
      phase: first === undefined ? null : knownPhase(rules.counting, first),
      hasCrossed: exposures.some((event) => crosses(event, first, rules.counting)),
      reason: first === undefined ? refused(earliest) : general,
      events: events.map((each) => ({ ...each, experimentId })),
    },
  ];
}

/** The outcome if the result may include events that were removed since. */
const unknownOutcome = (
  experimentId: number,
  ids: readonly string[],
  events: readonly Event[],
): VisitorOutcome => ({
  experimentId,
  ids,
  exposure: null,
  phase: null,
  hasCrossed: null,
  reason: 'events_removed',
  events: events.map((event) => ({ event, experimentId, reason: 'events_removed' })),
});

/** The phase of a first exposure; null if it is unknown. */
function knownPhase(rules: CountingRules, { occurred_at, phase }: Event): number | null {
  const number = phaseOf(rules, occurred_at, phase ?? null);
  return number === UNKNOWN_PHASE_NUMBER ? null : number;
}

/** Why an event does not count, regardless of other events; null if there is no such reason. */
function refusal(event: Event, rules: CountingRules): Reason | null {
  if (!event.isAttributed) {
    return 'waiting';
  }
  if (!isRunning(rules, event.occurred_at)) {
    return 'not_running';
  }
  return counts(rules, event) ? null : 'arrived_late';
}

/** Whether the event is a crossover, even if the visitor is excluded. */
const crosses = (event: Event, first: Event | undefined, rules: CountingRules): boolean =>
  refusal(event, rules) === null && exposureReason(event, first) === 'crossover';

function exposureReason(event: Event, first: Event | undefined): Reason | null {
  if (event === first || first === undefined) {
    return null;
  }
  return event.variation_id === first.variation_id ? 'same_variation' : 'crossover';
}

/** The conversions that have already been counted under a different id of the same visitor. */
function repeatsIn(
  conversions: readonly Event[],
  first: Event | undefined,
  rules: CountingRules,
): ReadonlySet<Event> {
  const known = new Set<string>();
  return new Set(
    conversions.filter((event) => {
      if (first === undefined || event.occurred_at < first.occurred_at || refusal(event, rules) !== null) {
        return false;
      }
      const isRepeat = known.has(event.event_id);
      known.add(event.event_id);
      return isRepeat;
    }),
  );
}

function conversionReason(
  event: Event,
  first: Event | undefined,
  { windows }: Rules,
  repeats: ReadonlySet<Event>,
): Reason | null {
  if (first === undefined) {
    return 'no_counted_exposure';
  }
  if (event.occurred_at < first.occurred_at) {
    return 'before_exposure';
  }
  if (repeats.has(event)) {
    return 'same_event';
  }
  const window = windows.get(event.goal_id ?? 0);
  if (window === undefined) {
    return 'goal_not_attached';
  }
  return window !== null && daysBetween(first.occurred_at, event.occurred_at) > window
    ? 'after_window'
    : null;
}

const daysBetween = (from: Micros, to: Micros): number => dayOf(to) - dayOf(from);
