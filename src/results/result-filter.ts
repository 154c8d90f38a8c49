import { listValue, RawQuery, singleValue } from '../common/lists/list-query';
import { Day, DAY_MICROS, dayOf, type Micros, parseDay } from '../common/time/clock';
import { Failures } from '../common/validation/failures';
import type { Run } from '../events/counting-rules';
import { DEVICE_TYPES, DeviceType } from '../events/device-types';
import type { SingleLook } from '../statistics/input';
import type { AttachedGoal, ExperimentFacts } from './experiment-facts';
import { COHORTS, Cohorts, ResultFilter } from './experiment-results';

/** The part of a goal's cells that counts for a filter. */
export interface CountedGoal {
  id: number;
  /** The conversion window in days after the day of entry; null if there is no limit. */
  windowDays: number | null;
  /** The last day of entry that counts; null if all days count. */
  lastEntry: Day | null;
}

/**
 * A participant's conversion window has ended if its last UTC day lies within the filter's range and is over at `asOf`.
 * Mature cohorts are the participants whose window has ended or, if there is no window, all participants.
 */
export function countedGoal(
  { id, conversion_window_days }: Pick<AttachedGoal, 'id' | 'conversion_window_days'>,
  { end, cohorts }: Pick<ResultFilter, 'end' | 'cohorts'>,
  asOf: Micros,
): CountedGoal {
  const lastDay = Math.min(end ?? Infinity, dayOf(asOf) - 1);
  const isLimited = cohorts === 'mature' && conversion_window_days !== null;
  return {
    id,
    windowDays: conversion_window_days,
    lastEntry: isLimited ? lastDay - conversion_window_days : null,
  };
}

/** Whether any goal has a conversion window. Otherwise, the cohort filter has no effect. */
export const hasWindows = (goals: readonly Pick<AttachedGoal, 'conversion_window_days'>[]): boolean =>
  goals.some(({ conversion_window_days }) => conversion_window_days !== null);

/** Whether participants who entered on this day count. */
export const countsEntry = ({ lastEntry }: CountedGoal, day: Day | null): boolean =>
  lastEntry === null || (day !== null && day <= lastEntry);

/** The filter for all participants and all their conversions. */
export const EVERYBODY: ResultFilter = { start: null, end: null, devices: null, cohorts: null };

/**
 * Like `readResultFilter`, for queries without any further parameters.
 * @throws ValidationError that lists each invalid parameter
 */
export function parseResultFilter(query: RawQuery): ResultFilter {
  const failures = new Failures();
  const filter = readResultFilter(query, failures);
  failures.throwIfAny();
  return filter;
}

/** Reads `startDate`, `endDate`, `deviceTypes` and `cohorts`. */
export function readResultFilter(query: RawQuery, failures: Failures): ResultFilter {
  const start = readDay(query, 'startDate', failures);
  const end = readDay(query, 'endDate', failures);
  if (start !== null && end !== null && end < start) {
    failures.add('endDate', 'The endDate may not be before the startDate.');
  }
  return { start, end, devices: readDevices(query, failures), cohorts: readCohorts(query, failures) };
}

function readDay(query: RawQuery, name: string, failures: Failures): Day | null {
  const text = singleValue(query, name, failures);
  const day = text === null ? null : parseDay(text);
  if (text !== null && day === null) {
    failures.add(name, `The ${name} must be a valid date in the format YYYY-MM-DD.`);
  }
  return day;
}

function readDevices(query: RawQuery, failures: Failures): DeviceType[] | null {
  const asked = listValue(query, 'deviceTypes');
  if (asked === null) {
    return null;
  }
  const devices = DEVICE_TYPES.filter((device) => asked.includes(device));
  const known: readonly string[] = DEVICE_TYPES;
  if (asked.length === 0 || asked.some((device) => !known.includes(device))) {
    failures.add('deviceTypes', `The deviceTypes must be one or more of: ${DEVICE_TYPES.join(', ')}.`);
  }
  return devices.length === DEVICE_TYPES.length ? null : devices;
}

/** Whether the filter selects everyone. */
export const isEverybody = (filter: ResultFilter): boolean =>
  (Object.keys(EVERYBODY) as (keyof ResultFilter)[]).every((key) => filter[key] === EVERYBODY[key]);

/** Whether the filter has no effect on the results. Without a conversion window, everyone is in a mature cohort. */
export const isWithoutEffect = (filter: ResultFilter, hasAnyWindow: boolean): boolean =>
  isEverybody(hasAnyWindow ? filter : { ...filter, cohorts: null });

function readCohorts(query: RawQuery, failures: Failures): Cohorts | null {
  const asked = singleValue(query, 'cohorts', failures);
  const cohorts = COHORTS.find((name) => name === asked) ?? null;
  if (asked !== null && cohorts === null) {
    failures.add('cohorts', `The cohorts must be one of: ${COHORTS.join(', ')}.`);
  }
  return cohorts;
}

/** The row key of a series: a date, a day since entry, or a week of entry. */
export const SERIES_KEYS = ['date', 'age', 'week'] as const;
export type SeriesKey = (typeof SERIES_KEYS)[number];

/**
 * Reads `by` and the filter.
 * @throws ValidationError that lists each invalid parameter
 */
export function parseSeriesQuery(query: RawQuery): { by: SeriesKey; filter: ResultFilter } {
  const failures = new Failures();
  const filter = readResultFilter(query, failures);
  const text = singleValue(query, 'by', failures) ?? 'date';
  const by = SERIES_KEYS.find((key) => key === text);
  if (by === undefined) {
    failures.add('by', `The by must be one of: ${SERIES_KEYS.join(', ')}.`);
  }
  failures.throwIfAny();
  return { by: by ?? 'date', filter };
}

/**
 * Days with the status `running` until `asOf`, excluding pauses. If there is a filter, only days in the filter's range
 * count, because the selected participants are treated like a separate experiment.
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

/** Whether no further participants can match the filter. */
export const isClosed = ({ end }: Pick<ResultFilter, 'end'>, asOf: Micros): boolean =>
  end !== null && end < dayOf(asOf);

/**
 * Days until the end of a plan's last day, at least 0; null if there is no planned end. Unless the experiment is running,
 * they are counted from the start of the UTC day, because the ETag of the results then changes only once a day.
 */
export function daysToPlannedEnd(
  {
    plan,
    experiment,
  }: Pick<ExperimentFacts, 'plan'> & { experiment: Pick<ExperimentFacts['experiment'], 'status'> },
  asOf: Micros,
): number | null {
  const end = plan?.end == null ? null : parseDay(plan.end);
  const today = experiment.status === 'running' ? asOf / DAY_MICROS : dayOf(asOf);
  return end === null ? null : Math.max(0, end + 1 - today);
}

/**
 * The end of the current plan for methods that allow a single look; null without a plan. An experiment that is archived
 * before the last day has no end of the plan.
 */
export function singleLookOf(
  { experiment }: Pick<ExperimentFacts, 'experiment'>,
  { participants, running, asOf }: { participants: number; running: number; asOf: Micros },
): SingleLook | null {
  const { planned_participants: planned, planned_end: end, status, archived_at: archivedAt } = experiment;
  const last = end === null ? null : parseDay(end);
  if (planned === null && last === null) {
    return null;
  }
  const stopped = Math.min(asOf, archivedAt ?? asOf);
  const today = status === 'running' ? asOf / DAY_MICROS : dayOf(stopped);
  const daysToEnd = last === null ? null : Math.max(0, last + 1 - today);
  const left = Math.min(daysToEnd ?? Infinity, daysToSize(planned ?? Infinity, participants, running));
  return {
    isEnded: last !== null && last < dayOf(stopped),
    daysLeft: left === Infinity ? null : left,
    daysToEnd,
  };
}

/** Days until there are this many participants at the pace so far. */
function daysToSize(size: number, participants: number, running: number): number {
  if (participants >= size) {
    return 0;
  }
  return participants > 0 && running > 0 ? running * (size / participants - 1) : Infinity;
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
