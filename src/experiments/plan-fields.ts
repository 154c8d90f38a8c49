import { type Day, dayOf, formatDay, type Micros } from '../common/time/clock';
import type { Failures } from '../common/validation/failures';
import { labelOf } from '../common/validation/fields';
import type { Experiment } from './experiment.entity';
import { inSeconds } from './schedule';

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
 * Rejects changes to a plan after the first start. From then on, a plan can only be removed as a whole. Choosing the
 * sample size or the end after looking at results raises the false positive rate above the significance level, and so
 * does dropping one of the two, because the other then sets a later end.
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
  const planned = { ...current, ...fields };
  const isRemoved = FIXED.every((field) => planned[field] === null);
  for (const field of FIXED.filter((each) => !isRemoved && changed(current, fields, each))) {
    failures.add(
      field,
      `The ${labelOf(field)} cannot change after the first start: send ${acceptedValues(current, field)}.`,
      'PLAN_FIXED',
    );
  }
}

function acceptedValues(current: PlanFields, field: (typeof FIXED)[number]): string {
  if (current[field] === null) {
    return 'null';
  }
  const isWhole = FIXED.every((each) => current[each] !== null);
  return `${current[field]}, or ${isWhole ? `null for both ${FIXED.join(' and ')}` : 'null'} to remove the plan`;
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

/** Whether a change removes a plan that is already in effect. */
export const removesPlan = (current: Planned, fields: Partial<PlanFields>): boolean =>
  current.started_at !== null &&
  FIXED.some((field) => changed(current, fields, field) && fields[field] === null);

/**
 * Rejects a planned end before the experiment's start. An experiment that has not started can start today at the
 * earliest.
 */
export function checkPlannedEnd(end: string | null, now: Micros, failures: Failures): void {
  const today = formatDay(dayOf(now));
  if (end !== null && end < today) {
    failures.add(
      'planned_end',
      `The planned end ${end} is before the start: send ${today}, a later day, or null.`,
    );
  }
}

/**
 * The earliest last day with which the method `planned` can have a look. Looks need the minimum runtime in whole UTC
 * days, and the day of the start is not a whole day unless the experiment starts at midnight.
 */
export const earliestPlannedEnd = (start: Day, minRuntimeDays: number): Day => start + minRuntimeDays;

const changed = (current: PlanFields, fields: Partial<PlanFields>, field: (typeof FIXED)[number]): boolean =>
  fields[field] !== undefined && fields[field] !== current[field];
