import type { FormFields } from '../../common/http/json-body';
import { SCHEDULED_MOMENTS, type ScheduledMoment } from '../../experiments/schedule';
import { apiPathOf, experimentCrumbs, type ExperimentSubject, pagePathOf } from '../experiment-subject';
import type { ConsoleForm } from '../forms/console-form';
import { textOrNull } from '../../presentation/text/form-text';
import { MomentInput } from '../pages/form-fields';

const UTC = 'In UTC, not in your time zone.';

/** Schedules the start and the end of an experiment. */
export const SCHEDULE_FORM: ConsoleForm<ExperimentSubject> = {
  path: (subject) => `${pagePathOf(subject)}/schedule`,
  crumbs: experimentCrumbs,
  title: () => 'Schedule',
  permission: () => 'experiments:run',
  etag: ({ experimentTag }) => experimentTag,
  values: ({ experiment: { starts_at, ends_at } }) => ({
    starts_at: inputValueOf(starts_at),
    ends_at: inputValueOf(ends_at),
  }),
  Body: ({ subject, form }) => (
    <>
      <p>
        At these times, the server starts and archives the experiment, if it is ready and you still have
        permission. Visitors get the experiment as it is defined when it starts.
      </p>
      {hasStart(subject) && (
        <MomentInput
          form={form}
          name="starts_at"
          label="Start (UTC)"
          hint={`${UTC} If empty, you start the experiment manually.`}
        />
      )}
      <MomentInput
        form={form}
        name="ends_at"
        label="End (UTC)"
        hint={`${UTC} The experiment is archived at this time, even if it never started. If empty, no end is scheduled.`}
      />
    </>
  ),
  button: () => 'Save',
  call: (subject, fields) => ({
    method: 'PATCH',
    path: apiPathOf(subject),
    body: Object.fromEntries(
      SCHEDULED_MOMENTS.filter((moment) => moment === 'ends_at' || hasStart(subject)).map((moment) => [
        moment,
        momentIn(subject, fields, moment),
      ]),
    ),
  }),
  done: (subject) => ({ path: pagePathOf(subject), notice: 'saved' }),
};

/** A running experiment has already started, so its start cannot be scheduled. */
const hasStart = ({ experiment }: ExperimentSubject): boolean => experiment.status !== 'running';

/** The format of `datetime-local` inputs: minutes, and seconds unless they are 0. */
const inputValueOf = (at: string | null): string => (at ?? '').replace(/(:00)?\.\d+Z$/, '');

/**
 * The time in the API's format. An unchanged time keeps its fraction of a second, which the input does not show.
 */
function momentIn(
  { experiment }: ExperimentSubject,
  fields: FormFields,
  moment: ScheduledMoment,
): string | null {
  const [current, text] = [experiment[moment], (fields[moment] ?? '').trim()];
  if (text === inputValueOf(current)) {
    return current;
  }
  return textOrNull(text.replace(INPUT, recordedMoment));
}

const INPUT = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:\.(\d{1,6}))?$/;

/**
 * The time in the format of records. Once the time is stored, the form sends it in this format, so a repeated
 * submission makes the same call.
 */
const recordedMoment = (_: string, day: string, minute: string, second = ':00', fraction = ''): string =>
  `${day}T${minute}${second}.${fraction.padEnd(6, '0')}Z`;
