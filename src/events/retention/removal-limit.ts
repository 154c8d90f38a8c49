import { LATE_MICROS } from '../../common/limits';
import type { Micros } from '../../common/time/clock';
import { DAY_MICROS } from '../../common/time/days';

/** An experiment, as far as the removal of events depends on it. */
export interface KeptFor {
  id: number;
  archivedAt: Micros | null;
  /** Start of the first run; null if it never ran. */
  startedAt: Micros | null;
  /** The earliest attributed exposure; null without any. */
  seenFrom: Micros | null;
  /** The latest attributed event of an exposed visitor. */
  seenUntil: Micros | null;
  /** Were its cells counted by the current rules? */
  isCurrent: boolean;
}

/** What a step may remove. */
export interface RemovalLimit {
  /** Events that happened before this time may be removed. */
  before: Micros;
  /** The final experiments that lose events: events of each before `until` may be gone. */
  losing: { id: number; until: Micros }[];
}

/** Results that have been final for less than this are not touched: their last events may still be being stored. */
const MARGIN_MICROS = 3_600_000_000;
const MILLISECOND = 1_000;

/**
 * Events are needed while they may change results. Those of a final experiment do not, and those before the first start
 * of an experiment do not count in it.
 * @param attributedAt everything that arrived before was attributed
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
    // The millisecond of the start belongs to the run.
    .map((moment) => Math.floor(moment / MILLISECOND) * MILLISECOND);
  const before = Math.min(attributedAt - days * DAY_MICROS, ...needed);
  return {
    before,
    losing: experiments
      .filter((each) => isSettled(each) && each.seenFrom !== null && each.seenFrom < before)
      .map(({ id, seenUntil }) => ({ id, until: Math.min(before, (seenUntil ?? before) + 1) })),
  };
}
