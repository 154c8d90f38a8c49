import { roleAllows } from '../../platform/access/roles';
import type { Frame } from '../../account/pages/frame';
import { hasSchedule } from '../../experiments/schedule';
import { Moment } from '../../presentation/components/text';
import { SCHEDULE_FORM } from '../experiment-forms/schedule-form';
import type { ExperimentSubject } from '../experiment-subject';
import { FactsList, Setting } from './facts-list';

/** The experiment's schedule and the outcome of the last one, if it has any. */
export function ScheduleCard({ frame, subject }: { frame: Frame; subject: ExperimentSubject }) {
  const { starts_at: start, ends_at: end, schedule_error: error } = subject.experiment;
  if (!hasSchedule(subject.experiment)) {
    return null;
  }
  return (
    <section class="card stack" aria-labelledby="schedule">
      <h2 id="schedule">Schedule</h2>
      {error !== null && <p class="message tone-worse">{error}</p>}
      {(start !== null || end !== null) && (
        <FactsList>
          {start !== null && (
            <Setting title="Start">
              <Moment at={start} />
            </Setting>
          )}
          {end !== null && (
            <Setting title="End">
              <Moment at={end} />
            </Setting>
          )}
        </FactsList>
      )}
      {subject.experiment.status !== 'archive' &&
        roleAllows(subject.role, SCHEDULE_FORM.permission(subject)) && (
          <p class="action-links screen-only">
            <a href={`${frame.base}${SCHEDULE_FORM.path(subject)}`}>Change the schedule</a>
          </p>
        )}
    </section>
  );
}
