import { UnauthorizedRoleError } from '../common/errors/api-errors';
import { dayOf, formatDay, formatMicros, Micros } from '../common/time/clock';
import type { Failures } from '../common/validation/failures';
import { labelOf } from '../common/validation/fields';
import type { Author } from '../platform/access/actor';
import { Role, roleAllows } from '../platform/access/roles';
import type { ExperimentStatus } from './experiment-status';
import type { Experiment } from './experiment.entity';

/** The times of a schedule. They can be compared as strings, because `formatMicros` formats all of them. */
export const SCHEDULED_MOMENTS = ['starts_at', 'ends_at'] as const;

export type ScheduledMoment = (typeof SCHEDULED_MOMENTS)[number];

/** The user who set a time, and the token if an API request set it. */
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
 * A schedule starts and archives experiments, so setting it needs the permission to do so.
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

/** Rejects new times that are not in the future, an end before the start, and the start of a running experiment. */
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

/** The users who set the scheduled times. The server checks their permission again when a time is due. */
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

export type PlanFields = Pick<Experiment, 'planned_participants' | 'planned_end'>;
type Planned = PlanFields & Pick<Experiment, 'started_at' | 'starts_at'>;

const FIXED = ['planned_participants', 'planned_end'] as const;

/** The empty plan of a new experiment. */
export const NO_PLAN: Planned = {
  planned_participants: null,
  planned_end: null,
  started_at: null,
  starts_at: null,
};

/**
 * Rejects changes to a plan after the first start. From then on, a plan can only be removed. Choosing the sample size
 * or the end after looking at results raises the false positive rate above the significance level.
 */
export function checkPlanChange(
  current: Planned,
  fields: Partial<PlanFields & Pick<Experiment, 'starts_at'>>,
  now: Micros,
  failures: Failures,
): void {
  if (current.started_at === null) {
    checkPlannedEnd(
      changed(current, fields, 'planned_end') ? (fields.planned_end ?? null) : null,
      now,
      failures,
    );
    checkScheduledStart(current, fields, failures);
    return;
  }
  const refused = FIXED.filter((field) => changed(current, fields, field) && fields[field] !== null);
  for (const field of refused) {
    failures.add(
      field,
      `The ${labelOf(field)} cannot change after the first start: send ${current[field] ?? 'null'}${current[field] === null ? '' : ', or null to remove the plan'}.`,
      'PLAN_FIXED',
    );
  }
}

/** Rejects an end before the scheduled start, because the start would be refused when it is due. */
function checkScheduledStart(
  current: Planned,
  fields: Partial<PlanFields & Pick<Experiment, 'starts_at'>>,
  failures: Failures,
): void {
  const { planned_end: end, starts_at: start } = { ...current, ...fields };
  if (end === null || start === null || end >= start.slice(0, end.length) || failures.has('planned_end')) {
    return;
  }
  if (changed(current, fields, 'planned_end')) {
    failures.add('planned_end', `The planned end ${end} is before the scheduled start, ${inSeconds(start)}.`);
  } else if (fields.starts_at !== undefined && fields.starts_at !== current.starts_at) {
    failures.add('starts_at', `The start is after the planned end, ${end}.`);
  }
}

/** Whether a change removes a plan that has begun. */
export const removesPlan = (current: Planned, fields: Partial<PlanFields>): boolean =>
  current.started_at !== null &&
  FIXED.some((field) => changed(current, fields, field) && fields[field] === null);

/** Rejects an end of the plan before the experiment's start, which is today at the earliest. */
export function checkPlannedEnd(end: string | null, now: Micros, failures: Failures): void {
  const today = formatDay(dayOf(now));
  if (end !== null && end < today) {
    failures.add(
      'planned_end',
      `The planned end ${end} is before the start: send ${today}, a later day, or null.`,
    );
  }
}

const changed = (current: PlanFields, fields: Partial<PlanFields>, field: (typeof FIXED)[number]): boolean =>
  fields[field] !== undefined && fields[field] !== current[field];
