import type { FormFields } from '../../common/http/json-body';
import { Name } from '../../presentation/components/text';
import { apiPathOf, experimentCrumbs, type ExperimentSubject, pagePathOf } from '../experiment-subject';
import type { ConsoleForm, FilledForm } from '../forms/console-form';
import { linesOf, numberOrText, textOrNull } from '../../presentation/text/form-text';
import { PlanWarning, plannedEndHint } from './plan-warning';
import { Choices, ExamplePage, MomentInput, TextArea, TextInput } from '../pages/form-fields';

export interface EditSubject extends ExperimentSubject {
  /** The groups to choose from; only on the form's own page. */
  exclusionGroups?: readonly { id: number; name: string }[];
}

/**
 * Changes an experiment's text fields, traffic, exclusion group, plan and tags. For archived experiments, only the
 * hypothesis can change.
 */
export const EDIT_FORM: ConsoleForm<EditSubject> = {
  path: (subject) => `${pagePathOf(subject)}/edit`,
  crumbs: experimentCrumbs,
  title: () => 'Edit the experiment',
  permission: () => 'definitions:write',
  etag: ({ experimentTag }) => experimentTag,
  values: valuesOf,
  Body: ({ subject, form }) => (
    <>
      {subject.experiment.status === 'running' && (
        <p>The experiment is running. A traffic change goes live when the project is published.</p>
      )}
      {subject.experiment.status === 'archive' ? (
        <p>The experiment is archived. Only its hypothesis can change.</p>
      ) : (
        <Definition form={form} />
      )}
      {isGroupOpen(subject) && <Exclusion form={form} groups={subject.exclusionGroups ?? []} />}
      {isPlanOpen(subject) && <Plan subject={subject} form={form} />}
      <TextArea
        form={form}
        name="hypothesis"
        label="Hypothesis"
        hint="What you expect, and why. Write this before you start the experiment."
      />
    </>
  ),
  button: () => 'Save',
  call: (subject, fields) => ({ method: 'PATCH', path: apiPathOf(subject), body: changesIn(fields) }),
  done: (subject) => ({ path: pagePathOf(subject), notice: 'saved' }),
};

function Definition({ form }: { form: FilledForm }) {
  return (
    <>
      <TextInput form={form} name="name" label="Name" />
      <TextArea form={form} name="description" label="Description" />
      <ExamplePage form={form} />
      <TextInput
        form={form}
        name="traffic_allocation"
        label="Traffic (% of eligible visitors)"
        inputmode="decimal"
      />
      <TextArea form={form} name="tags" label="Tags" hint="One tag per line." />
      <TextInput
        form={form}
        name="minimum_effect"
        label="Smallest effect worth detecting (%)"
        hint="Relative to the original: 10 is a change from 4 % to 4.4 %."
        inputmode="decimal"
      />
    </>
  );
}

/**
 * Whether the exclusion group can change. While the experiment runs, other experiments rely on its share of the group.
 */
const isGroupOpen = ({ experiment: { status }, exclusionGroups = [] }: EditSubject): boolean =>
  exclusionGroups.length > 0 && status !== 'running' && status !== 'archive';

function Exclusion({ form, groups }: { form: FilledForm; groups: readonly { id: number; name: string }[] }) {
  return (
    <>
      <Choices
        form={form}
        name="exclusion_group_id"
        label="Exclusion group"
        hint="A visitor takes part in at most one experiment in a group. The group cannot change while the experiment is running."
        options={[
          ...groups.map(({ id, name }) => ({ value: String(id), label: <Name>{name}</Name> })),
          { value: '', label: 'None' },
        ]}
      />
      <TextInput
        form={form}
        name="exclusion_share"
        label="Share of the exclusion group (% of its visitors)"
        inputmode="decimal"
      />
    </>
  );
}

/**
 * Whether the plan can change. Sample size and end are fixed at the first start, because choosing them after looking at
 * results would bias the results.
 */
const isPlanOpen = ({ experiment: { status, started_at } }: EditSubject): boolean =>
  started_at === null && status !== 'archive';

function Plan({ subject, form }: { subject: EditSubject; form: FilledForm }) {
  return (
    <>
      <PlanWarning subject={subject} />
      <TextInput
        form={form}
        name="planned_participants"
        label="Planned participants, across all variations"
        hint="Use “Plan the sample size of an experiment” on the project page to compute this number. It cannot change after the first start."
        inputmode="decimal"
      />
      <MomentInput
        form={form}
        name="planned_end"
        type="date"
        label="Planned last day (UTC)"
        hint={`This cannot change after the first start. If empty, the experiment has no planned end. ${plannedEndHint(subject)}`.trimEnd()}
      />
    </>
  );
}

function valuesOf(subject: EditSubject): FormFields {
  const { experiment } = subject;
  const { name, description, example_url, traffic_allocation, tags, minimum_effect, hypothesis } = experiment;
  return {
    hypothesis: hypothesis ?? '',
    ...(experiment.status !== 'archive' && {
      name,
      description: description ?? '',
      example_url: example_url ?? '',
      traffic_allocation: String(traffic_allocation),
      tags: tags.join('\n'),
      minimum_effect: String(minimum_effect ?? ''),
    }),
    ...(isGroupOpen(subject) && {
      exclusion_group_id: String(experiment.exclusion_group_id ?? ''),
      exclusion_share: String(experiment.exclusion_share),
    }),
    ...(isPlanOpen(subject) && {
      planned_participants: String(experiment.planned_participants ?? ''),
      planned_end: experiment.planned_end ?? '',
    }),
  };
}

/** Fields that the form does not contain keep their values. */
const changesIn = ({
  name,
  description,
  example_url,
  traffic_allocation,
  tags,
  hypothesis,
  exclusion_group_id: group,
  exclusion_share: share,
  minimum_effect: effect,
  planned_participants: participants,
  planned_end: end,
}: FormFields): object => ({
  ...(name !== undefined && { name }),
  ...(description !== undefined && { description: textOrNull(description) }),
  ...(example_url !== undefined && { example_url: textOrNull(example_url) }),
  ...(hypothesis !== undefined && { hypothesis: textOrNull(hypothesis) }),
  ...(traffic_allocation !== undefined && { traffic_allocation: numberOrText(traffic_allocation) }),
  ...(tags !== undefined && { tags: linesOf(tags) }),
  ...(group !== undefined && { exclusion_group_id: numberOrText(group) }),
  ...(share !== undefined && { exclusion_share: numberOrText(share) }),
  ...(effect !== undefined && { minimum_effect: numberOrText(effect) }),
  ...(participants !== undefined && { planned_participants: numberOrText(participants) }),
  ...(end !== undefined && { planned_end: textOrNull(end) }),
});
