import type { ExperimentRecord } from '../../experiments/experiment.record';
import { ExperimentStatus, STATUSES } from '../../experiments/experiment-status';
import { Name } from '../../presentation/components/text';
import { apiPathOf, experimentCrumbs, type ExperimentSubject, pagePathOf } from '../experiment-subject';
import type { ConsoleForm } from '../forms/console-form';
import { Move, moveTo } from '../moves';

/** The experiment, and its new status. */
export interface StatusSubject extends ExperimentSubject {
  to: ExperimentStatus;
}

/** The status in the address or the form; null for others. */
export const statusIn = (text: string | undefined): ExperimentStatus | null =>
  STATUSES.find((status) => status === text) ?? null;

const moveOf = ({ experiment, to }: StatusSubject): Move =>
  moveTo({ status: experiment.status, started: experiment.started_at !== null }, to);

/** Whether the pages of any variation can differ. */
const hasCode = ({ js, css, variations }: ExperimentRecord): boolean =>
  [js, css, ...variations.flatMap((variation) => [variation.js, variation.css])].some(
    (code) => code !== null && code !== '',
  );

/** Whether the experiment already has the status, for example because another user was faster. */
export function isReached({ experiment, to }: StatusSubject): boolean {
  return experiment.status === to;
}

/** Starts, pauses, archives an experiment, and so on. */
export const STATUS_FORM: ConsoleForm<StatusSubject> = {
  path: (subject) => `${pagePathOf(subject)}/status`,
  crumbs: experimentCrumbs,
  title: (subject) => `${moveOf(subject).title}?`,
  permission: (subject) => moveOf(subject).permission,
  // A stop must not fail because another user has edited the definition or also stopped the experiment.
  etag: (subject) => (moveOf(subject).stops || isReached(subject) ? null : subject.experimentTag),
  isReached,
  values: ({ to }) => ({ status: to }),
  Body: ({ subject }) => (
    <>
      <input type="hidden" name="status" value={subject.to} />
      <p>
        <strong>
          <Name>{subject.experiment.name}</Name>
        </strong>
      </p>
      <p>{moveOf(subject).text}</p>
      {subject.to === 'running' && !hasCode(subject.experiment) && (
        <p class="muted">
          No variation has code, so all visitors to the website see the same page. Back ends that request
          decisions need no code. Add code with the API.
        </p>
      )}
    </>
  ),
  button: (subject) => moveOf(subject).title,
  call: (subject, { status }) => ({
    method: 'PATCH',
    path: `${apiPathOf(subject)}/status`,
    body: { status },
  }),
  done: (subject) => ({ path: pagePathOf(subject), notice: moveOf(subject).notice }),
};
