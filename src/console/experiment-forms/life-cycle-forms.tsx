import { parseDay } from '../../common/time/clock';
import { ExperimentStatus, STATUSES } from '../../experiments/experiment-status';
import type { ExperimentRecord } from '../../experiments/experiment.record';
import { hasSchedule } from '../../experiments/schedule';
import { Name } from '../../presentation/components/text';
import { formatLongDay } from '../../presentation/text/dates';
import { listed } from '../../common/text/strings';
import {
  apiPathOf,
  experimentCrumbs,
  type ExperimentSubject,
  pagePathOf,
  statusStateOf,
} from '../experiment-subject';
import type { ConsoleForm } from '../forms/console-form';
import { Move, moveTo } from '../moves';
import type { NoticeKey } from '../notices';
import { changesPath, experimentPagePath, projectPath } from '../pages/console-page';
import { TextInput } from '../pages/form-fields';
import { PlanWarning } from './plan-warning';
import { type Expected, WhatWillChange } from '../publications/changes';
import { SOON } from '../visible-changes';

/** The experiment and its new status. */
export interface StatusSubject extends ExperimentSubject {
  to: ExperimentStatus;
}

/** The status in the URL or the form; null for any other text. */
export const statusIn = (text: string | undefined): ExperimentStatus | null =>
  STATUSES.find((status) => status === text) ?? null;

const moveOf = (subject: StatusSubject): Move => moveTo(statusStateOf(subject), subject.to);

/** Whether the experiment or any of its variations has code that changes pages. */
const hasCode = ({ js, css, variations }: ExperimentRecord): boolean =>
  [js, css, ...variations.flatMap((variation) => [variation.js, variation.css])].some(
    (code) => code !== null && code !== '',
  );

/** Whether the experiment already has the status, for example because another user changed it first. */
export function isReached({ experiment, to }: StatusSubject): boolean {
  return experiment.status === to;
}

/** The message after the status change. Without an example page, the variations have no preview links. */
function noticeOf(subject: StatusSubject): NoticeKey {
  const { notice } = moveOf(subject);
  return notice === 'previewed' && subject.experiment.example_url === null ? 'previewedWithoutLinks' : notice;
}

/** Changes the status of an experiment, for example to start, pause or archive it. */
export const STATUS_FORM: ConsoleForm<StatusSubject> = {
  path: (subject) => `${pagePathOf(subject)}/status`,
  crumbs: experimentCrumbs,
  title: (subject) => `${moveOf(subject).title}?`,
  permission: (subject) => moveOf(subject).permission,
  // Stopping must not fail because another user has edited the definition or has already stopped the experiment.
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
      {subject.to === 'running' && <PlanWarning subject={subject} isStarting />}
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
  done: (subject) => ({ path: pagePathOf(subject), notice: noticeOf(subject) }),
};

/** The experiment whose page the user publishes from. */
export interface PublishSubject extends ExperimentSubject {
  /** The changes that publishing would make; set only on the form's own page. */
  expected?: Expected;
}

/** Publishes the current state of the project's running experiments. */
export const PUBLISH_FORM: ConsoleForm<PublishSubject> = {
  path: (subject) => `${pagePathOf(subject)}/publish`,
  crumbs: experimentCrumbs,
  title: () => 'Publish the changes?',
  permission: () => 'experiments:run',
  etag: ({ projectTag }) => projectTag,
  describes: ({ expected = {} }) =>
    'preview' in expected && expected.preview.has_changes ? expected.preview.changes : null,
  values: () => ({}),
  Body: ({ subject: { expected } }) => (
    <>
      <p>
        All running experiments in the project are published in their current state. New page views show the
        changes {SOON}.
      </p>
      {expected !== undefined && <WhatWillChange expected={expected} />}
    </>
  ),
  isRefused: ({ expected = {} }) => 'problems' in expected,
  button: () => 'Publish',
  call: (subject) => ({ method: 'PATCH', path: `${apiPathOf(subject)}/publish` }),
  done: (subject) => ({ path: pagePathOf(subject), notice: 'published' }),
};

/** Moves an experiment to the trash. */
export const DELETE_FORM: ConsoleForm<ExperimentSubject> = {
  path: (subject) => `${pagePathOf(subject)}/delete`,
  crumbs: experimentCrumbs,
  title: () => 'Delete the experiment?',
  permission: ({ experiment }) => (experiment.status === 'running' ? 'experiments:run' : 'definitions:write'),
  etag: ({ experimentTag }) => experimentTag,
  values: () => ({}),
  Body: ({ subject: { project, experiment }, base }) => (
    <>
      <p>
        <strong>
          <Name>{experiment.name}</Name>
        </strong>{' '}
        is moved to the trash with its results, and its links stop working. You can restore it within 30 days
        by reverting its deletion in the{' '}
        <a href={`${base}${changesPath(project.id, experiment.id)}`}>history</a>.
      </p>
      {experiment.status === 'running' && (
        <p>
          <strong>The experiment is running. New page views show the original {SOON}.</strong>
        </p>
      )}
    </>
  ),
  button: () => 'Delete',
  isDanger: true,
  call: (subject) => ({ method: 'DELETE', path: apiPathOf(subject) }),
  done: ({ project }) => ({ path: projectPath(project.id), notice: 'deleted' }),
};

/** The dates of the original that the clone does not copy. */
function Dates({ experiment }: { experiment: ExperimentRecord }) {
  const { planned_end: end } = experiment;
  const dates = [
    ...(end === null ? [] : [`the planned end (${formatLongDay(parseDay(end) ?? 0)})`]),
    ...(hasSchedule(experiment) ? ['the schedule'] : []),
  ];
  return dates.length === 0 ? null : (
    <p>Cloning does not copy {listed(dates, 'or')}. Set new dates if the clone needs them.</p>
  );
}

/** Copies an experiment. */
export const CLONE_FORM: ConsoleForm<ExperimentSubject> = {
  path: (subject) => `${pagePathOf(subject)}/clone`,
  crumbs: experimentCrumbs,
  title: () => 'Clone the experiment',
  permission: () => 'definitions:write',
  values: () => ({ name: '' }),
  Body: ({ subject: { experiment }, form }) => (
    <>
      <p>
        The clone is a draft with the same variations, targeting, goals and settings, but without the results.
      </p>
      <Dates experiment={experiment} />
      <TextInput
        form={form}
        name="name"
        label="Name"
        hint="If empty, the clone gets the same name followed by “(Copy)”."
      />
    </>
  ),
  button: () => 'Clone',
  call: (subject, { name = '' }) => ({
    method: 'POST',
    path: `${apiPathOf(subject)}/clone`,
    ...(name.trim() !== '' && { body: { name } }),
  }),
  done: ({ project }, { body }) => ({
    path: experimentPagePath(project.id, (body as { id: number }).id),
    notice: 'cloned',
  }),
};
