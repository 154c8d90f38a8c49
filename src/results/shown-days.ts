import type { Micros } from '../common/time/clock';
import { Day, DAY_MICROS, dayOf } from '../common/time/days';
import type { ExperimentFacts, RunSummary } from './experiment-facts';
import type { ResultFilter } from './experiment-results';

/** Days in the status running until the moment, pauses excluded. */
export function daysRunning({ endedMicros, runningSince }: RunSummary, asOf: Micros): number {
  const current = runningSince === null ? 0 : Math.max(0, asOf - runningSince);
  return (endedMicros + current) / DAY_MICROS;
}

type Moments = Pick<ExperimentFacts, 'runs' | 'firstEventAt' | 'lastEventAt'>;

const days = (...moments: (Micros | null)[]): Day[] =>
  moments.flatMap((moment) => (moment === null ? [] : [dayOf(moment)]));

/**
 * The days that a series has a row of, ascending: those of the filter from when the experiment began, until today
 * while it runs, and afterwards until it last ran or something last happened. Explicit ends may go on until today.
 */
export function shownDays(
  { runs, firstEventAt, lastEventAt }: Moments,
  filter: ResultFilter,
  asOf: Micros,
): Day[] {
  const begin = Math.min(...days(runs.firstStartedAt, firstEventAt));
  const finish = Math.max(...days(lastEventAt, runs.runningSince === null ? runs.lastEndedAt : asOf));
  const first = Math.max(begin, filter.start ?? begin);
  const last = filter.end === null ? finish : Math.min(filter.end, Math.max(finish, dayOf(asOf)));
  return Number.isFinite(begin) && first <= last
    ? Array.from({ length: last - first + 1 }, (_, index) => first + index)
    : [];
}
