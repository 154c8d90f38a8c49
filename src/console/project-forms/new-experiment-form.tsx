import type { FormFields } from '../../common/http/json-body';
import type { ConsoleForm } from '../forms/console-form';
import { chosenIn, linesOf } from '../forms/fields';
import { experimentPagePath, projectPath } from '../pages/console-page';
import { TextArea, TextInput } from '../pages/form-fields';
import { goalsIn, Offered, OfferedGoals } from '../pages/offered-fields';
import { newExperimentPath, projectCrumbs } from './paths';
import type { OfferingSubject } from './project-subject';

/** Creates an experiment with its variations, pages, audiences and goals. */
export const NEW_EXPERIMENT_FORM: ConsoleForm<OfferingSubject> = {
  path: ({ project }) => newExperimentPath(project.id),
  crumbs: projectCrumbs,
  title: () => 'New experiment',
  permission: () => 'definitions:write',
  values: () => ({ name: '', variations: 'Original\nVariation', primary_goal: '' }),
  Body: ({ subject: { audiences, goals, pages }, form }) => (
    <>
      <TextInput form={form} name="name" label="Name" />
      <TextArea
        form={form}
        name="variations"
        label="Variations"
        hint="One name on each line. The first one is the original."
      />
      <Offered form={form} name="pages" label="Pages where it runs" listed={pages} />
      <Offered
        form={form}
        name="audiences"
        label="Audiences (without one, everyone takes part)"
        listed={audiences}
      />
      <OfferedGoals form={form} listed={goals} />
      <p class="small muted">
        It starts as a draft. Pages, audiences and goals can also be attached later. Its page shows what it
        needs to start.
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

function bodyOf({ name = '', variations, ...fields }: FormFields): object {
  const [pages, audiences] = ['pages', 'audiences'].map((name) => chosenIn(name, fields).map(Number));
  const goals = goalsIn(fields);
  return {
    name,
    variations: linesOf(variations).map((line) => ({ name: line })),
    ...(pages.length > 0 && { pages }),
    ...(audiences.length > 0 && { audiences }),
    ...(goals.length > 0 && { goals }),
  };
}
