import { Day, DAY_MICROS, dayOf, type Micros, parseDay } from '../common/time/clock';
import type { Run } from '../events/counting-rules';
import type { ExperimentFacts } from './experiment-facts';
import type { ResultFilter } from './experiment-results';

/**
 * Days with the status `running` until `asOf`, excluding pauses. With a filter, only days in the filter's range count,
 * because the filter's participants are like a separate experiment.
 */
export function daysRunning(
  runs: readonly Run[],
  { start, end }: Pick<ResultFilter, 'start' | 'end'>,
  asOf: Micros,
): number {
  const from = start === null ? -Infinity : start * DAY_MICROS;
  const until = end === null ? Infinity : (end + 1) * DAY_MICROS;
  const within = runs.map(({ startedAt, endedAt }) =>
    Math.max(0, Math.min(endedAt ?? asOf, until) - Math.max(startedAt, from)),
  );
  return within.reduce((sum, micros) => sum + micros, 0) / DAY_MICROS;
}

/** Whether no more participants can match the filter. */
export const isClosed = ({ end }: Pick<ResultFilter, 'end'>, asOf: Micros): boolean =>
  end !== null && end < dayOf(asOf);

/** Days until the end of a plan's last day, at least 0; null without a planned end. */
export function daysToPlannedEnd(plan: ExperimentFacts['plan'], asOf: Micros): number | null {
  const end = plan?.end == null ? null : parseDay(plan.end);
  return end === null ? null : Math.max(0, end + 1 - asOf / DAY_MICROS);
}

type Moments = Pick<ExperimentFacts, 'runs' | 'firstEventAt' | 'lastEventAt'>;

const days = (...moments: (Micros | null)[]): Day[] =>
  moments.flatMap((moment) => (moment === null ? [] : [dayOf(moment)]));

/**
 * The days with a row in a series, in ascending order. These are the filter's days from the start of the experiment
 * until today or, if the experiment has stopped, until the later of its last run and its last event. An explicit end
 * date can extend them to today.
 */
export function shownDays(
  { runs, firstEventAt, lastEventAt }: Moments,
  filter: ResultFilter,
  asOf: Micros,
): Day[] {
  const begin = Math.min(...days(...runs.map(({ startedAt }) => startedAt), firstEventAt));
  const finish = Math.max(...days(lastEventAt, ...runs.map(({ endedAt }) => endedAt ?? asOf)));
  const first = Math.max(begin, filter.start ?? begin);
  const last = filter.end === null ? finish : Math.min(filter.end, Math.max(finish, dayOf(asOf)));
  return Number.isFinite(begin) && first <= last
    ? Array.from({ length: last - first + 1 }, (_, index) => first + index)
    : [];
}
