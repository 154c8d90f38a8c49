import type { FormFields } from '../../common/http/json-body';
import { MATCHES, SUBJECTS } from '../definitions/condition-words';
import type { ConsoleForm, FilledForm } from '../forms/console-form';
import { linesOf, numberOrText, textOrNull } from '../forms/fields';
import { projectPath } from '../pages/console-page';
import { Choices, optionsOf, Select, TextArea, TextInput } from '../pages/form-fields';
import { listCrumbs, listPath, newAudiencePath } from './paths';
import type { ProjectSubject } from './project-subject';

/** The places of the offered conditions in the API's list, which begins with the operator. */
const PLACES = [1, 2, 3];

const PARTS = ['type', 'name', 'match', 'value'] as const;

/** Fields have the API's paths, so that its messages are shown beside them. */
const fieldAt = (place: number, part: (typeof PARTS)[number]): string => `conditions.${place}.${part}`;

/** Creates an audience with a few conditions. The API takes more, and groups of them. */
export const NEW_AUDIENCE_FORM: ConsoleForm<ProjectSubject> = {
  path: ({ project }) => newAudiencePath(project.id),
  crumbs: (subject) => listCrumbs(subject, 'audiences', 'Audiences'),
  title: () => 'New audience',
  permission: () => 'definitions:write',
  values: () => ({
    name: '',
    operator: 'and',
    ...Object.fromEntries(
      PLACES.flatMap((place) => PARTS.map((part) => [fieldAt(place, part), part === 'match' ? 'exact' : ''])),
    ),
  }),
  Body: ({ form }) => (
    <>
      <TextInput form={form} name="name" label="Name" />
      <Choices
        form={form}
        name="operator"
        label="A visitor is in the audience if"
        options={[
          { value: 'and', label: 'All conditions are met' },
          { value: 'or', label: 'At least one condition is met' },
        ]}
      />
      <p class="small muted">
        Without conditions, the audience includes everyone. Values are desktop, mobile or tablet for devices,
        new or returning for visitors, and codes such as DE for countries. Query parameters, cookies and
        attributes need a name. For “{MATCHES.in}”, enter one value on each line. To create an audience with
        more conditions, or groups of them, use the API.
      </p>
      {PLACES.map((place) => (
        <Condition key={place} form={form} place={place} />
      ))}
    </>
  ),
  button: () => 'Create audience',
  call: ({ project }, fields) => ({
    method: 'POST',
    path: `/api${projectPath(project.id)}/audiences`,
    body: { name: fields.name ?? '', conditions: conditionsIn(fields) },
  }),
  done: ({ project }) => ({ path: listPath(project.id, 'audiences'), notice: 'created' }),
};

function Condition({ form, place }: { form: FilledForm; place: number }) {
  return (
    <div class="fields">
      <Select
        form={form}
        name={fieldAt(place, 'type')}
        label={`Condition ${place}`}
        options={[{ value: '', label: 'None' }, ...optionsOf(SUBJECTS)]}
      />
      <TextInput form={form} name={fieldAt(place, 'name')} label={`Name in condition ${place}`} />
      <Select
        form={form}
        name={fieldAt(place, 'match')}
        label={`Comparison in condition ${place}`}
        options={optionsOf(MATCHES)}
      />
      <TextArea form={form} name={fieldAt(place, 'value')} label={`Value of condition ${place}`} rows={2} />
    </div>
  );
}

/** Null for everyone. A condition that is left out before another one stays, so that the API's messages fit. */
function conditionsIn(fields: FormFields): unknown[] | null {
  const last = PLACES.findLast((place) =>
    (['type', 'name', 'value'] as const).some((part) => textOrNull(fields[fieldAt(place, part)]) !== null),
  );
  return last === undefined
    ? null
    : [
        fields.operator,
        ...PLACES.filter((place) => place <= last).map((place) => conditionAt(place, fields)),
      ];
}

function conditionAt(place: number, fields: FormFields): object {
  const [type, name, match, value = ''] = PARTS.map((part) => fields[fieldAt(place, part)]);
  const condition = { type: textOrNull(type), name: textOrNull(name) };
  // Code is not compared, and the field of the comparison always has a value.
  return type === 'javascript'
    ? { ...condition, value: textOrNull(value) }
    : { ...condition, match, value: valueIn(match, value) };
}

function valueIn(match: string | undefined, text: string): unknown {
  switch (match) {
    case 'in':
      return linesOf(text);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return numberOrText(text);
    default:
      return textOrNull(text.trim());
  }
}
