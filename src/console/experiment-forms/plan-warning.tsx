import { type Day, dayOf, type Micros, nowMicros, parseDay } from '../../common/time/clock';
import { earliestPlannedEnd } from '../../experiments/plan-fields';
import { formatLongDay } from '../../presentation/text/dates';
import { plural } from '../../presentation/text/words';
import type { ExperimentSubject } from '../experiment-subject';

type Subject = Pick<ExperimentSubject, 'project' | 'experiment'>;

const usesPlans = ({ project, experiment }: Subject): boolean =>
  project.statistics_method === 'planned' &&
  experiment.started_at === null &&
  experiment.status !== 'archive';

/** The day of the scheduled start; today if none is scheduled. */
function startDay({ experiment: { starts_at: start } }: Subject, now: Micros): Day {
  const today = dayOf(now);
  return start === null ? today : Math.max(today, parseDay(start.slice(0, 'YYYY-MM-DD'.length)) ?? today);
}

/** The last day that a plan needs for a verdict, as a sentence. */
function earliestEnd({ project }: Subject, start: Day, now: Micros): string {
  const end = earliestPlannedEnd(start, project.min_runtime_days);
  const day = start === dayOf(now) ? 'today' : `on ${formatLongDay(start)}`;
  return `If the experiment starts ${day}, the earliest possible last day is ${formatLongDay(end)}.`;
}

/** What limits the planned last day with the method `planned`; empty for other methods. */
export function plannedEndHint(subject: Subject): string {
  const now = nowMicros();
  return usesPlans(subject)
    ? `The minimum runtime is ${plural(subject.project.min_runtime_days, 'day')}. ${earliestEnd(subject, startDay(subject, now), now)} With an earlier last day, there is never a verdict.`
    : '';
}

/**
 * Warns about a plan that ends before its first look. The API accepts such a plan, and after the start it cannot change.
 * @param isStarting whether the experiment starts now, even if a later start is scheduled
 */
export function PlanWarning({ subject, isStarting = false }: { subject: Subject; isStarting?: boolean }) {
  const { planned_participants: participants, planned_end: text } = subject.experiment;
  const end = text === null ? null : parseDay(text);
  const now = nowMicros();
  const start = isStarting ? dayOf(now) : startDay(subject, now);
  if (
    !usesPlans(subject) ||
    participants === null ||
    end === null ||
    end >= earliestPlannedEnd(start, subject.project.min_runtime_days)
  ) {
    return null;
  }
  return (
    <p class="notice">
      The plan ends on {formatLongDay(end)}, before the minimum runtime of{' '}
      {plural(subject.project.min_runtime_days, 'day')}, so there will never be a verdict. After the start,
      the plan cannot change. {earliestEnd(subject, start, now)}
    </p>
  );
}
