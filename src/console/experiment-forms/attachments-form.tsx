import { OPENING_GOAL_FIELD } from '../../account/pages/kept-form-page';
import type { FormFields } from '../../common/http/json-body';
import { apiPathOf, experimentCrumbs, type ExperimentSubject, pagePathOf } from '../experiment-subject';
import type { ConsoleForm } from '../forms/console-form';
import { checked, chosenIn } from '../../presentation/text/form-text';
import type { SelectOption } from '../pages/form-fields';
import { goalsIn, Offered, OfferedAudiences, OfferedGoals } from '../pages/offered-fields';
import { newAudiencePath, newGoalPath, newPagePath } from '../project-forms/paths';
import { LiveNote } from './variation-form';

export interface AttachmentsSubject extends ExperimentSubject {
  /** Pages, audiences and goals of the project, by name. */
  pages: readonly SelectOption[];
  audiences: readonly SelectOption[];
  goals: readonly SelectOption[];
}

/** The path of the form. */
export const attachmentsPagePath = (subject: Pick<ExperimentSubject, 'project' | 'experiment'>): string =>
  `${pagePathOf(subject)}/attachments`;

/** Chooses the pages where an experiment runs, the audiences that take part, its goals and its primary goal. */
export const ATTACHMENTS_FORM: ConsoleForm<AttachmentsSubject> = {
  path: attachmentsPagePath,
  crumbs: experimentCrumbs,
  title: () => 'Pages, audiences and goals',
  permission: () => 'definitions:write',
  etag: ({ experimentTag }) => experimentTag,
  values: ({ experiment }) => ({
    ...checked('pages', idsOf(experiment.pages)),
    ...checked('audiences', idsOf(experiment.audiences)),
    audiences_match_type: experiment.audiences_match_type,
    ...checked('goals', idsOf(experiment.goals)),
    primary_goal: primaryGoalOf(experiment),
    [OPENING_GOAL_FIELD]: primaryGoalOf(experiment),
  }),
  Body: ({ subject, form, base }) => {
    const { project, experiment } = subject;
    const { pages, audiences, goals, guardrails } = experiment;
    return (
      <>
        <LiveNote experiment={experiment} />
        <Offered
          form={form}
          name="pages"
          label="Pages where the experiment runs"
          listed={subject.pages}
          attached={pages}
          none={
            <p>
              <strong>The project has no pages.</strong>{' '}
              <a href={`${base}${newPagePath(project.id)}`}>Create a page</a> first.
            </p>
          }
        />
        <OfferedAudiences
          form={form}
          listed={subject.audiences}
          attached={audiences}
          canCombine
          none={
            <p>
              Everyone takes part: the project has no audiences.{' '}
              <a href={`${base}${newAudiencePath(project.id)}`}>Create an audience</a> to limit the
              experiment.
            </p>
          }
        />
        <OfferedGoals
          form={form}
          listed={subject.goals}
          attached={goals}
          excluded={guardrails}
          none={
            <p>
              <strong>The project has no {guardrails.length > 0 ? 'other goal' : 'goals'}.</strong>{' '}
              <a href={`${base}${newGoalPath(project.id)}`}>Create a goal</a> first.
            </p>
          }
        />
        {guardrails.length > 0 && <p class="small muted">A guardrail cannot also be a goal.</p>}
      </>
    );
  },
  button: () => 'Save',
  call: (subject, fields) => ({
    method: 'PATCH',
    path: apiPathOf(subject),
    body: changesIn(fields),
  }),
  done: (subject) => ({ path: pagePathOf(subject), notice: 'saved' }),
};

const primaryGoalOf = ({ goals }: ExperimentSubject['experiment']): string => String(goals[0]?.id ?? '');

const idsOf = (attached: readonly { id: number }[]): number[] => attached.map(({ id }) => id);

const changesIn = (fields: FormFields): object => ({
  pages: chosenIn('pages', fields).map(Number),
  audiences: chosenIn('audiences', fields).map(Number),
  audiences_match_type: fields.audiences_match_type,
  goals: goalsIn(fields),
});
