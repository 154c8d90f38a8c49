import type { FormFields } from '../../common/http/json-body';
import type { GoalRecord } from '../../resources/goals/goal.record';
import type { PageMatch } from '../../resources/pages/page-conditions';
import { GOAL_TYPES } from '../definitions/definition-facts';
import type { ConsoleForm } from '../forms/console-form';
import { chosenIn, linesOf, numberOrText, textOrNull } from '../../presentation/text/form-text';
import type { TeamSubject } from '../members/team-subject';
import { experimentPagePath, projectPath } from '../pages/console-page';
import { Choices, ExamplePage, optionsOf, Select, TextArea, TextInput } from '../pages/form-fields';
import { goalsIn, Offered, OfferedAudiences, OfferedGoals } from '../pages/offered-fields';
import {
  listCrumbs,
  listPath,
  newExclusionGroupPath,
  newExperimentPath,
  newGoalPath,
  newPagePath,
  newProjectPath,
  projectCrumbs,
} from './paths';
import { MAX_OFFERED, type OfferingSubject, type ProjectSubject } from './project-subject';

/** Creates an experiment with its variations, pages, audiences and goals. */
export const NEW_EXPERIMENT_FORM: ConsoleForm<OfferingSubject> = {
  path: ({ project }) => newExperimentPath(project.id),
  crumbs: projectCrumbs,
  title: () => 'New experiment',
  permission: () => 'definitions:write',
  values: () => ({ name: '', variations: 'Original\nVariation', example_url: '', primary_goal: '' }),
  Body: ({ subject: { audiences, goals, pages }, form }) => (
    <>
      <TextInput form={form} name="name" label="Name" />
      <TextArea
        form={form}
        name="variations"
        label="Variations"
        hint="One name per line. The first one is the original."
      />
      <Offered form={form} name="pages" label="Pages where the experiment runs" listed={pages} />
      <ExamplePage form={form} />
      <OfferedAudiences form={form} listed={audiences} />
      <OfferedGoals form={form} listed={goals} />
      <p class="small muted">
        The experiment starts as a draft. You can also attach pages, audiences and goals later. The experiment
        page shows what is missing before it can start.
      </p>
    </>
  ),
  button: () => 'Create experiment',
  call: ({ project }, fields) => ({
    method: 'POST',
    path: `/api${projectPath(project.id)}/experiments`,
    body: bodyOf(fields),
  }),
  done: ({ project }, { body }) => ({
    path: experimentPagePath(project.id, (body as { id: number }).id),
    notice: 'experimentCreated',
  }),
};

function bodyOf({ name = '', variations, example_url, ...fields }: FormFields): object {
  const [pages, audiences] = ['pages', 'audiences'].map((name) => chosenIn(name, fields).map(Number));
  const goals = goalsIn(fields);
  const example = textOrNull(example_url);
  return {
    name,
    variations: linesOf(variations).map((line) => ({ name: line })),
    ...(example !== null && { example_url: example }),
    ...(pages.length > 0 && { pages }),
    ...(audiences.length > 0 && { audiences }),
    ...(goals.length > 0 && { goals }),
  };
}

const VALUES: Record<GoalRecord['value_type'], string> = {
  none: 'No value',
  number: 'A number',
  revenue: 'Revenue',
};

const DIRECTIONS: Record<GoalRecord['direction'], string> = {
  increase: 'An increase',
  decrease: 'A decrease',
};

const pagesHint = (offered: number): string =>
  offered === MAX_OFFERED
    ? `For page views only. Only the first ${MAX_OFFERED} pages by name are listed. To create a goal for another page, use the API.`
    : 'For page views only.';

/** Creates a goal. */
export const NEW_GOAL_FORM: ConsoleForm<OfferingSubject> = {
  path: ({ project }) => newGoalPath(project.id),
  crumbs: (subject) => listCrumbs(subject, 'goals', 'Goals'),
  title: () => 'New goal',
  permission: () => 'definitions:write',
  values: () => ({
    name: '',
    type: 'custom',
    selector: '',
    page_id: '',
    value_type: 'none',
    direction: 'increase',
  }),
  Body: ({ subject: { pages }, form }) => (
    <>
      <TextInput
        form={form}
        name="name"
        label="Name"
        hint="Events are sent with the API name, which is derived from this name: “Order placed” becomes order-placed."
      />
      <Choices form={form} name="type" label="Type" options={optionsOf(GOAL_TYPES)} />
      <Select
        form={form}
        name="page_id"
        label="Page"
        hint={pagesHint(pages.length)}
        options={[{ value: '', label: 'None' }, ...pages]}
      />
      <TextInput
        form={form}
        name="selector"
        label="CSS selector"
        hint="For clicks only, such as .buy-button"
      />
      <Choices
        form={form}
        name="value_type"
        label="Conversion value"
        hint="Events can have a value; page views and clicks cannot."
        options={optionsOf(VALUES)}
      />
      <Choices form={form} name="direction" label="An improvement is" options={optionsOf(DIRECTIONS)} />
    </>
  ),
  button: () => 'Create goal',
  call: ({ project }, fields) => ({
    method: 'POST',
    path: `/api${projectPath(project.id)}/goals`,
    body: goalIn(fields),
  }),
  done: ({ project }) => ({ path: listPath(project.id, 'goals'), notice: 'created' }),
};

const goalIn = ({ name = '', type, selector, page_id, value_type, direction }: FormFields): object => ({
  name,
  type,
  selector: textOrNull(selector),
  page_id: numberOrText(page_id),
  value_type,
  direction,
});

const MATCHES: Record<PageMatch, string> = {
  simple: 'Is this URL, ignoring query and fragment',
  exact: 'Is exactly this URL',
  contains: 'Contains this text',
  starts_with: 'Starts with this text',
  ends_with: 'Ends with this text',
  regex: 'Matches this regular expression',
};

/** Creates a page. */
export const NEW_PAGE_FORM: ConsoleForm<ProjectSubject> = {
  path: ({ project }) => newPagePath(project.id),
  crumbs: (subject) => listCrumbs(subject, 'pages', 'Pages'),
  title: () => 'New page',
  permission: () => 'definitions:write',
  values: () => ({ name: '', match: 'simple', conditions: '' }),
  Body: ({ form }) => (
    <>
      <TextInput form={form} name="name" label="Name" />
      <Choices form={form} name="match" label="The URL" options={optionsOf(MATCHES)} />
      <TextArea
        form={form}
        name="conditions"
        label="URLs or texts"
        hint="One per line; the page matches if any line matches. Exact URLs and prefixes include https://. If empty, every URL matches."
      />
    </>
  ),
  button: () => 'Create page',
  call: ({ project }, { name = '', match, conditions }) => ({
    method: 'POST',
    path: `/api${projectPath(project.id)}/pages`,
    body: { name, conditions: linesOf(conditions).map((value) => ({ match, value })) },
  }),
  done: ({ project }) => ({ path: listPath(project.id, 'pages'), notice: 'created' }),
};

/** Creates an exclusion group. The form that edits an experiment sets its group. */
export const NEW_EXCLUSION_GROUP_FORM: ConsoleForm<ProjectSubject> = {
  path: ({ project }) => newExclusionGroupPath(project.id),
  crumbs: (subject) => listCrumbs(subject, 'exclusion_groups', 'Exclusion groups'),
  title: () => 'New exclusion group',
  permission: () => 'definitions:write',
  values: () => ({ name: '', description: '' }),
  Body: ({ form }) => (
    <>
      <p>
        A visitor takes part in at most one experiment in the group. To add an experiment to the group, use
        “Edit” on the experiment page while the experiment is neither running nor archived.
      </p>
      <TextInput form={form} name="name" label="Name" />
      <TextArea form={form} name="description" label="Description" />
    </>
  ),
  button: () => 'Create exclusion group',
  call: ({ project }, { name = '', description }) => ({
    method: 'POST',
    path: `/api${projectPath(project.id)}/exclusion-groups`,
    body: { name, description: textOrNull(description) },
  }),
  done: ({ project }) => ({ path: listPath(project.id, 'exclusion_groups'), notice: 'created' }),
};

const STORAGE_OPTIONS = [
  { value: 'localStorage', label: 'In local storage, for one host' },
  { value: 'cookie', label: 'In a cookie, for all subdomains of a site' },
];

/** Creates a project in the team. */
export const NEW_PROJECT_FORM: ConsoleForm<TeamSubject> = {
  path: ({ team }) => newProjectPath(team.id),
  crumbs: () => [],
  title: ({ team }) => `New project in ${team.name}`,
  permission: () => 'projects:create',
  values: () => ({ name: '', storage: 'localStorage' }),
  Body: ({ form }) => (
    <>
      <TextInput form={form} name="name" label="Name" hint="A site usually has one project." />
      <Choices
        form={form}
        name="storage"
        label="Where the snippet stores a visitor's variation"
        hint="This cannot be changed later."
        options={STORAGE_OPTIONS}
      />
    </>
  ),
  button: () => 'Create project',
  call: ({ team }, { name = '', storage }) => ({
    method: 'POST',
    path: `/api/teams/${team.id}/projects`,
    body: { name, storage },
  }),
  done: (_, { body }) => ({ path: projectPath((body as { id: number }).id), notice: 'projectCreated' }),
};
