import { LATE_MICROS } from '../../common/limits';
import { DAY_MICROS, type Micros, wholeMillisecond } from '../../common/time/clock';

/** The properties of an experiment that determine which events can be removed. */
export interface KeptFor {
  id: number;
  archivedAt: Micros | null;
  /** Start of the first run; null if the experiment never ran. */
  startedAt: Micros | null;
  /** Time of the earliest attributed exposure; null if there is none. */
  seenFrom: Micros | null;
  /** Time of the latest attributed event of an exposed visitor. */
  seenUntil: Micros | null;
  /** Whether the experiment's cells were counted under the current rules, or can no longer be rebuilt. */
  isCurrent: boolean;
}

/** The events that a step can remove. */
export interface RemovalLimit {
  /** Events that happened before this time can be removed. */
  before: Micros;
  /** The final experiments that lose events: their events before `until` can be removed. */
  losing: { id: number; until: Micros }[];
}

/**
 * The events of results that became final less than an hour ago are kept, because their last events may still be on the
 * way to the database.
 */
const MARGIN_MICROS = 3_600_000_000;

/**
 * Determines which events are no longer needed. Events are needed while they can change results. They cannot change a
 * final result, and events before an experiment's first start do not count in it.
 * @param attributedAt all events that arrived before this time are attributed
 */
export function removalLimit(
  experiments: readonly KeptFor[],
  days: number,
  attributedAt: Micros,
): RemovalLimit {
  const isSettled = ({ archivedAt, isCurrent }: KeptFor): boolean =>
    isCurrent && archivedAt !== null && archivedAt + LATE_MICROS + MARGIN_MICROS <= attributedAt;
  const needed = experiments
    .filter((each) => !isSettled(each))
    .flatMap(({ startedAt, seenFrom }) => [startedAt, seenFrom])
    .filter((moment) => moment !== null)
    // A run includes the whole millisecond in which it starts.
    .map(wholeMillisecond);
  const before = Math.min(attributedAt - days * DAY_MICROS, ...needed);
  return {
    before,
    losing: experiments
      .filter((each) => isSettled(each) && each.seenFrom !== null && each.seenFrom < before)
      .map(({ id, seenUntil }) => ({ id, until: Math.min(before, (seenUntil ?? before) + 1) })),
  };
}
