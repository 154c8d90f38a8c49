import { whoMay } from '../../account/pages/error-page';
import type { Frame } from '../../account/pages/frame';
import { readinessFailures } from '../../experiments/readiness';
import { hasSchedule } from '../../experiments/schedule';
import { roleAllows } from '../../platform/access/roles';
import type { ApiCall } from '../curl';
import { DECISION_FORM } from '../experiment-forms/decision-form';
import { EDIT_FORM } from '../experiment-forms/edit-form';
import { CLONE_FORM, DELETE_FORM, PUBLISH_FORM, STATUS_FORM } from '../experiment-forms/life-cycle-forms';
import { SCHEDULE_FORM } from '../experiment-forms/schedule-form';
import { STEP_FORM } from '../experiment-forms/step-form';
import { type ExperimentSubject, statusStateOf } from '../experiment-subject';
import type { ExperimentView } from '../experiment-view';
import { callOf, ConsoleForm, FormSubject } from '../forms/console-form';
import { newForm } from '../forms/form-state';
import { Move, movesOf } from '../moves';
import type { NextStep } from '../next-steps';
import { isWithoutEffect } from '../../results/result-filter';
import type { Advice } from '../step-advice';
import { ActionForm } from './action-form';
import { liveEventsPath, projectPath } from './console-page';
import { ShowAsCurl } from './show-as-curl';

interface StepActionProps {
  /** Unique on the page. */
  id: string;
  frame: Frame;
  subject: ExperimentSubject;
  step: NextStep;
}

/** The button of a next step, for users with the permission for it. */
function StepAction({ id, frame, subject, step }: StepActionProps) {
  const state = statusStateOf(subject);
  const move = movesOf(state, true).find(({ to }) => to === step.key);
  if (move !== undefined) {
    return <MoveAction id={id} frame={frame} subject={subject} move={move} />;
  }
  if (step.page !== undefined) {
    return <LinkAction id={id} frame={frame} path={step.page} text="Change the share" call={step.call} />;
  }
  const page = step.key === 'publish' ? PUBLISH_FORM : step.key === 'clone' ? CLONE_FORM : null;
  return page === null ? (
    <ActionForm id={id} frame={frame} form={STEP_FORM} subject={{ ...subject, step }} isBare />
  ) : (
    <ConfirmLink id={id} frame={frame} form={page} subject={subject} text={step.title} />
  );
}

/** Status changes that affect visitors have a confirmation page. */
function MoveAction({ id, frame, subject, move }: Omit<StepActionProps, 'step'> & { move: Move }) {
  const moved = { ...subject, to: move.to };
  return move.isLive ? (
    <ConfirmLink
      id={id}
      frame={frame}
      form={STATUS_FORM}
      subject={moved}
      text={move.title}
      query={`?to=${move.to}`}
    />
  ) : (
    <ActionForm id={id} frame={frame} form={STATUS_FORM} subject={moved} isBare />
  );
}

interface ConfirmLinkProps<S extends FormSubject> {
  id: string;
  frame: Frame;
  form: ConsoleForm<S>;
  subject: S;
  text: string;
  query?: string;
}

/** A button that links to a form's page, with the form's API call. */
function ConfirmLink<S extends FormSubject>(props: ConfirmLinkProps<S>) {
  const { id, frame, form, subject, text, query = '' } = props;
  const call = callOf(form, subject, newForm());
  return <LinkAction id={id} frame={frame} path={`${form.path(subject)}${query}`} text={text} call={call} />;
}

interface LinkActionProps {
  id: string;
  frame: Frame;
  path: string;
  text: string;
  call: ApiCall;
}

function LinkAction({ id, frame, path, text, call }: LinkActionProps) {
  return (
    <div class="action">
      <p>
        <a class="button" href={`${frame.base}${path}`}>
          {text}
        </a>
      </p>
      <ShowAsCurl id={`${id}-curl`} frame={frame} call={call} />
    </div>
  );
}

interface Action {
  path: string;
  text: string;
  isDanger?: boolean;
}

/** Links to the user's other available actions. */
export function ExperimentActions({
  frame,
  subject,
  steps,
}: {
  frame: Frame;
  subject: ExperimentSubject;
  /** The next steps, which have their own buttons. */
  steps: readonly NextStep[];
}) {
  const actions = actionsOf(subject, steps);
  return actions.length === 0 ? null : (
    <ul class="action-links plain-list screen-only" aria-label="Actions">
      {actions.map(({ path, text, isDanger = false }) => (
        <li key={path}>
          <a class={isDanger ? 'danger-link' : ''} href={`${frame.base}${path}`}>
            {text}
          </a>
        </li>
      ))}
    </ul>
  );
}

function actionsOf(subject: ExperimentSubject, steps: readonly NextStep[]): Action[] {
  const may = <S extends FormSubject>(
    form: ConsoleForm<S>,
    about: S,
    action: Omit<Action, 'path'>,
  ): Action[] =>
    roleAllows(subject.role, form.permission(about)) ? [{ path: form.path(about), ...action }] : [];
  return [
    ...may(EDIT_FORM, subject, { text: 'Edit' }),
    ...(subject.experiment.started_at === null
      ? []
      : may(DECISION_FORM, subject, { text: 'Record the decision' })),
    ...(isUnscheduled(subject) ? may(SCHEDULE_FORM, subject, { text: 'Schedule' }) : []),
    ...may(CLONE_FORM, subject, { text: 'Clone' }),
    ...otherMoves(subject, steps).flatMap(({ to, title }) =>
      may(STATUS_FORM, { ...subject, to }, { text: title }).map(({ path, text }) => ({
        path: `${path}?to=${to}`,
        text,
      })),
    ),
    ...may(DELETE_FORM, subject, { text: 'Delete', isDanger: true }),
  ];
}

/** Whether a schedule can be added: an existing schedule has its own link, and archived experiments cannot have one. */
const isUnscheduled = ({ experiment: { status, ...schedule } }: ExperimentSubject): boolean =>
  status !== 'archive' && !hasSchedule(schedule);

/** The status changes that are not next steps. */
function otherMoves(subject: ExperimentSubject, steps: readonly NextStep[]): Move[] {
  const isReady = readinessFailures(subject.experiment).all.length === 0;
  return movesOf(statusStateOf(subject), isReady).filter(({ to }) => steps.every(({ key }) => key !== to));
}

/** The next steps. Users without the required permission see who has it. */
export function NextStepsCard({ frame, ...page }: ExperimentView & { frame: Frame }) {
  const { project, advice, steps, role, results } = page;
  const isPartial =
    results.outcome === 'results' && !isWithoutEffect(results.filter, results.everybody.hasWindows);
  const allowed = steps.filter(({ permission }) => roleAllows(role, permission));
  const [refused] = steps.filter(({ permission }) => !roleAllows(role, permission));
  return advice === null && steps.length === 0 ? null : (
    <section class="card stack screen-only" aria-labelledby="next">
      <h2 id="next">Next step</h2>
      {advice !== null && (
        <AdviceText
          frame={frame}
          projectId={project.id}
          {...advice}
          title={isPartial ? `All participants: ${advice.title}` : advice.title}
        />
      )}
      {allowed.map((step, index) => (
        <div key={step.key} class="step">
          <h3>{step.title}</h3>
          <p class="muted">{step.text}</p>
          <StepAction id={`step-${index}`} frame={frame} subject={page} step={step} />
        </div>
      ))}
      {allowed.length === 0 && refused !== undefined && (
        <p class="who-may">
          {refused.title}: {whoMay(role, refused.permission)}
        </p>
      )}
    </section>
  );
}

function AdviceText({
  frame,
  projectId,
  title,
  text,
  isAboutEvents,
}: Advice & { frame: Frame; projectId: number }) {
  return (
    <div class="advice">
      <h3>{title}</h3>
      <p>{text}</p>
      {isAboutEvents && (
        <p class="page-links">
          <a href={`${frame.base}${projectPath(projectId)}#installation`}>Installation</a>
          <a href={`${frame.base}${liveEventsPath(projectId)}`}>Live events</a>
        </p>
      )}
    </div>
  );
}
