import { LATE_MICROS } from '../common/limits';
import { type Micros, wholeMillisecond } from '../common/time/clock';
import { MAX_ID } from '../common/validation/values';

/** A period in which an experiment was running. `endedAt` is null while the experiment is still running. */
export interface Run {
  startedAt: Micros;
  endedAt: Micros | null;
}

/**
 * The properties of an experiment that decide which events count. They are stored with the cells to which they were
 * applied.
 */
export interface CountingRules {
  /** In chronological order. */
  runs: readonly Run[];
  /** Events that arrive at or after this time do not count; null unless the experiment is archived. */
  finalAt: Micros | null;
  /** The start of each phase, in chronological order. Empty only if the experiment was never published. */
  phases: readonly Micros[];
  /** Value caps by goal, in 1/10,000 of the goal's unit. Goals without a cap are absent. */
  caps: ReadonlyMap<number, number>;
  /** Whether the cells have the sums for goals that count every conversion. Cells from earlier versions lack them. */
  hasSquares: boolean;
  /** Incremented when the same events have to be counted again, for example because a visitor was deleted. */
  recounts: number;
}

/** The time of an event and, if it arrived more than `LATE_MICROS` later, its arrival time. */
export interface Counted {
  occurred_at: Micros;
  arrived_at?: Micros | null;
}

/** The rules of the first release, which counted all events after the first exposure. */
export const WITHOUT_END: CountingRules = {
  runs: [{ startedAt: Number.MIN_SAFE_INTEGER, endedAt: null }],
  finalAt: null,
  phases: [],
  caps: new Map(),
  hasSquares: false,
  recounts: 0,
};

/** When a result becomes final. @param archivedAt null unless the experiment is archived */
export const finalAfter = (archivedAt: Micros | null): Micros | null =>
  archivedAt === null ? null : archivedAt + LATE_MICROS;

/** The arrival time of an event that arrived so late that a result may already be final; null for other events. */
export const lateArrival = (occurredAt: Micros, receivedAt: Micros): Micros | null =>
  receivedAt - occurredAt > LATE_MICROS ? receivedAt : null;

/**
 * The first moment of a run. Client clocks have millisecond precision, so a run includes the whole millisecond in which
 * it starts.
 */
export const startOf = ({ startedAt }: Run): Micros => wholeMillisecond(startedAt);

/** Whether the experiment was running at this time. */
export const isRunning = ({ runs }: Pick<CountingRules, 'runs'>, at: Micros): boolean =>
  runs.some((run) => at >= startOf(run) && (run.endedAt === null || at < run.endedAt));

/** Whether an event counts under the experiment's rules. */
export const counts = (rules: CountingRules, { occurred_at, arrived_at = null }: Counted): boolean =>
  isRunning(rules, occurred_at) &&
  (rules.finalAt === null || arrived_at === null || arrived_at < rules.finalAt);

/**
 * The number under which exposures with `UNKNOWN_PHASE` are stored and counted. No phase reaches it, so its shares are
 * unknown, and its participants are not part of the sample ratio test.
 */
export const UNKNOWN_PHASE_NUMBER = MAX_ID;

/** The reported phase if it exists or is `UNKNOWN_PHASE_NUMBER`, otherwise null. */
export const acceptedPhase = (
  { phases }: Pick<CountingRules, 'phases'>,
  said: number | null,
): number | null =>
  said !== null && said >= 1 && (said <= phases.length || said === UNKNOWN_PHASE_NUMBER) ? said : null;

/**
 * The phase number of an exposure, from 1.
 * @param said the phase that the client reported; null = use the phase at the time of the exposure
 */
export function phaseOf({ phases }: CountingRules, at: Micros, said: number | null): number {
  const accepted = acceptedPhase({ phases }, said);
  if (accepted !== null) {
    return accepted;
  }
  const later = phases.findIndex((began) => wholeMillisecond(began) > at);
  return Math.max(1, later === -1 ? phases.length : later);
}

/** Times of the participants' first and last attributed events, including events that do not count. */
export interface Seen {
  first: Micros | null;
  last: Micros | null;
}

/** The goals whose value caps differ. */
export const goalsWithOtherCaps = (a: CountingRules, b: CountingRules): number[] =>
  [...new Set([...a.caps.keys(), ...b.caps.keys()])].filter((id) => a.caps.get(id) !== b.caps.get(id));

/**
 * Whether both sets of rules add the same attributed events to the same sums. If not, the results must be rebuilt.
 * Value caps are not compared, because they do not decide which events count.
 * @param before the rules under which the events were attributed
 * @param now the current time; all attributed events arrived before it
 */
export function countSame(
  before: CountingRules,
  after: CountingRules,
  { first, last }: Seen,
  now: Micros,
): boolean {
  if (first === null || last === null) {
    return true;
  }
  if (before.hasSquares !== after.hasSquares || before.recounts !== after.recounts) {
    return false;
  }
  const isFinal = [before, after].some(({ finalAt }) => finalAt !== null && finalAt <= now);
  if (isFinal && before.finalAt !== after.finalAt) {
    return false;
  }
  return textOf(countedBetween(before, first, last)) === textOf(countedBetween(after, first, last));
}

/** The rules restricted to a time range, both ends inclusive. */
const countedBetween = (rules: CountingRules, first: Micros, last: Micros): unknown => [
  runsBetween(rules, first, last),
  phaseOf(rules, first, null),
  rules.phases.map(wholeMillisecond).filter((began) => began > first && began <= last),
];

/** The runs in a time range, both ends inclusive. Adjacent runs are merged. */
function runsBetween({ runs }: CountingRules, first: Micros, last: Micros): [Micros, Micros][] {
  const parts: [Micros, Micros][] = [];
  for (const run of runs) {
    const [from, until] = [Math.max(startOf(run), first), Math.min(run.endedAt ?? Infinity, last + 1)];
    const previous = parts.at(-1);
    if (from < until && previous !== undefined && previous[1] >= from) {
      previous[1] = Math.max(previous[1], until);
    } else if (from < until) {
      parts.push([from, until]);
    }
  }
  return parts;
}

const textOf = (value: unknown): string => JSON.stringify(value);

/** Serialises rules for storage. */
export const rulesText = ({ runs, finalAt, phases, caps, hasSquares, recounts }: CountingRules): string =>
  textOf({
    runs: runs.map(({ startedAt, endedAt }) => ({ startedAt, endedAt })),
    finalAt,
    phases,
    caps: [...caps],
    hasSquares,
    recounts,
  });

type StoredRules = Omit<CountingRules, 'caps'> & { caps: [goalId: number, cap: number][] };

/** Parses stored rules. Missing fields get the values of the first release, which stored no rules. */
export function parseRules(text: string | null): CountingRules {
  const stored = text === null ? {} : (JSON.parse(text) as Partial<StoredRules>);
  return { ...WITHOUT_END, ...stored, caps: new Map(stored.caps) };
}
