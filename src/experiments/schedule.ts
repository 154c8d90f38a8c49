import type { Author } from '../platform/access/actor';
import { Role, roleAllows } from '../platform/access/roles';
import { UnauthorizedRoleError } from '../common/errors/api-errors';
import { formatMicros, Micros } from '../common/time/clock';
import type { Failures } from '../common/validation/failures';
import type { ExperimentStatus } from './experiment-status';

/**
 * The times of a schedule. They can be compared as strings, because `formatMicros` formats all of them in the same way.
 */
export const SCHEDULED_MOMENTS = ['starts_at', 'ends_at'] as const;

export type ScheduledMoment = (typeof SCHEDULED_MOMENTS)[number];

/** The user who set a time, and the API token if the time was set with one. */
export interface ScheduleAuthor {
  user_id: number;
  token_id: number | null;
}

export type ScheduleAuthors = Partial<Record<ScheduledMoment, ScheduleAuthor>>;

/** The names of the times in messages. */
export const NOUNS: Readonly<Record<ScheduledMoment, string>> = { starts_at: 'start', ends_at: 'end' };

/** A time in messages: `2026-05-01T09:30:00Z`. */
export const inSeconds = (moment: string): string => `${moment.slice(0, 19)}Z`;

type Moments = Record<ScheduledMoment, string | null>;

/** The schedule of an experiment. */
export interface Schedule extends Moments {
  schedule_error: string | null;
  schedule_authors: ScheduleAuthors | null;
}

export const NO_SCHEDULE = {
  starts_at: null,
  ends_at: null,
  schedule_error: null,
  schedule_authors: null,
} as const satisfies Schedule;

/** Whether anything is scheduled, or a scheduled change has failed. */
export const hasSchedule = ({
  starts_at,
  ends_at,
  schedule_error,
}: Omit<Schedule, 'schedule_authors'>): boolean =>
  starts_at !== null || ends_at !== null || schedule_error !== null;

/** A start clears `starts_at`; archiving clears both times. */
export function scheduleAfterMove(to: ExperimentStatus): Partial<Schedule> {
  if (to === 'archive') {
    return NO_SCHEDULE;
  }
  return to === 'running' ? { starts_at: null, schedule_error: null } : {};
}

const isChanged = (current: Moments, sent: Readonly<Record<string, unknown>>, field: ScheduledMoment) =>
  sent[field] !== undefined && sent[field] !== current[field];

/**
 * A schedule starts and archives an experiment, so setting a schedule requires permission for both.
 * @param sent the values of the request, including invalid ones
 * @throws UnauthorizedRoleError
 */
export function requireScheduler(
  role: Role,
  current: Moments,
  sent: Readonly<Record<string, unknown>>,
): void {
  const isScheduling = SCHEDULED_MOMENTS.some((field) => isChanged(current, sent, field));
  if (isScheduling && !roleAllows(role, 'experiments:run')) {
    throw new UnauthorizedRoleError(role, 'experiments:run');
  }
}

/**
 * Rejects new times that are not in the future, an end before the start, and a scheduled start for a running
 * experiment.
 */
export function checkSchedule(
  current: Moments & { status: ExperimentStatus },
  fields: Partial<Moments>,
  now: Micros,
  failures: Failures,
): void {
  const changed = SCHEDULED_MOMENTS.filter((field) => isChanged(current, fields, field));
  const present = formatMicros(now);
  for (const field of changed) {
    const at = fields[field] ?? null;
    if (at !== null && at <= present) {
      failures.add(
        field,
        `The ${NOUNS[field]} must be in the future. The server time is ${inSeconds(present)}.`,
      );
    }
  }
  if (current.status === 'running' && changed.includes('starts_at')) {
    failures.add('starts_at', 'The start of a running experiment cannot be scheduled.');
  }
  const { starts_at: start, ends_at: end } = { ...current, ...fields };
  if (changed.length > 0 && start !== null && end !== null && end <= start) {
    failures.add('ends_at', `The end must be after the start, ${inSeconds(start)}.`);
  }
}

/** A new schedule clears the error of the previous one. */
export const errorAfterChange = (
  current: Moments & Pick<Schedule, 'schedule_error'>,
  fields: Partial<Moments>,
): Partial<Pick<Schedule, 'schedule_error'>> =>
  current.schedule_error !== null && SCHEDULED_MOMENTS.some((field) => isChanged(current, fields, field))
    ? { schedule_error: null }
    : {};

/** The users who set the scheduled times. The server checks their permissions again when a time is due. */
export function scheduleAuthors(
  current: Pick<Schedule, 'schedule_authors'>,
  changes: Partial<Moments>,
  author: Author,
): Partial<Pick<Schedule, 'schedule_authors'>> {
  const set = SCHEDULED_MOMENTS.filter((field) => typeof changes[field] === 'string');
  if (set.length === 0 || typeof author === 'string' || author.userId === null) {
    return {};
  }
  const by = { user_id: author.userId, token_id: author.tokenId };
  return {
    schedule_authors: { ...current.schedule_authors, ...Object.fromEntries(set.map((field) => [field, by])) },
  };
}
