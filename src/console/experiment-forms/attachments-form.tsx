import type { FormFields } from '../../common/http/json-body';
import { apiPathOf, experimentCrumbs, type ExperimentSubject, pagePathOf } from '../experiment-subject';
import type { ConsoleForm } from '../forms/console-form';
import { checked, chosenIn } from '../forms/fields';
import type { SelectOption } from '../pages/form-fields';
import { goalsIn, Offered, OfferedGoals } from '../pages/offered-fields';
import { newGoalPath, newPagePath } from '../project-forms/paths';
import { LiveNote } from './live-note';

export interface AttachmentsSubject extends ExperimentSubject {
  /** Pages and goals of the project, by name. */
  pages: readonly SelectOption[];
  goals: readonly SelectOption[];
}

/** The path of the form. */
export const attachmentsPagePath = (subject: Pick<ExperimentSubject, 'project' | 'experiment'>): string =>
  `${pagePathOf(subject)}/attachments`;

/** Chooses the pages where an experiment runs, its goals and its primary goal. */
export const ATTACHMENTS_FORM: ConsoleForm<AttachmentsSubject> = {
  path: attachmentsPagePath,
  crumbs: experimentCrumbs,
  title: () => 'Pages and goals',
  permission: () => 'definitions:write',
  etag: ({ experimentTag }) => experimentTag,
  values: ({ experiment }) => ({
    ...checked('pages', idsOf(experiment.pages)),
    ...checked('goals', idsOf(experiment.goals)),
    primary_goal: primaryGoalOf(experiment),
  }),
  Body: ({ subject, form, base }) => {
    const { project, experiment } = subject;
    const { pages, goals, guardrails } = experiment;
    return (
      <>
        <LiveNote experiment={experiment} />
        <Offered
          form={form}
          name="pages"
          label="Pages where it runs"
          listed={subject.pages}
          attached={pages}
          none={
            <p>
              <strong>The project has no pages.</strong>{' '}
              <a href={`${base}${newPagePath(project.id)}`}>Create a page</a> first.
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
    body: changesIn(subject, fields),
  }),
  done: (subject) => ({ path: pagePathOf(subject), notice: 'saved' }),
};

const primaryGoalOf = ({ goals }: ExperimentSubject['experiment']): string => String(goals[0]?.id ?? '');

const idsOf = (attached: readonly { id: number }[]): number[] => attached.map(({ id }) => id);

const changesIn = ({ experiment }: AttachmentsSubject, fields: FormFields): object => ({
  pages: chosenIn('pages', fields).map(Number),
  goals: goalsIn(fields, primaryGoalOf(experiment)),
});
