import type { FormFields } from '../../common/http/json-body';
import { apiPathOf, experimentCrumbs, type ExperimentSubject, pagePathOf } from '../experiment-subject';
import type { ConsoleForm } from '../forms/console-form';
import { checked, chosenIn } from '../forms/fields';
import type { SelectOption } from '../pages/form-fields';
import { goalsIn, Offered, OfferedGoals } from '../pages/offered-fields';
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
  Body: ({ subject, form }) => {
    const { pages, goals, guardrails } = subject.experiment;
    return (
      <>
        <LiveNote experiment={subject.experiment} />
        <Offered
          form={form}
          name="pages"
          label="Pages where it runs"
          options={withChosen(pages, subject.pages)}
        />
        <OfferedGoals form={form} options={withChosen(goals, without(guardrails, subject.goals))} />
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

type Attached = readonly { id: number; name: string }[];

const primaryGoalOf = ({ goals }: ExperimentSubject['experiment']): string => String(goals[0]?.id ?? '');

const idsOf = (attached: Attached): number[] => attached.map(({ id }) => id);

const without = (attached: Attached, options: readonly SelectOption[]): SelectOption[] =>
  options.filter(({ value }) => attached.every(({ id }) => String(id) !== value));

/** The attached records in their order, which is that of a form that changes nothing, then the others. */
const withChosen = (attached: Attached, options: readonly SelectOption[]): SelectOption[] => [
  ...attached.map(({ id, name }) => ({ value: String(id), label: name })),
  ...without(attached, options),
];

const changesIn = ({ experiment }: AttachmentsSubject, fields: FormFields): object => ({
  pages: chosenIn('pages', fields).map(Number),
  goals: goalsIn(fields, primaryGoalOf(experiment)),
});
