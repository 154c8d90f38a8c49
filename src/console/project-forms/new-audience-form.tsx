import type { FormFields } from '../../common/http/json-body';
import { MATCHES, SUBJECTS } from '../definitions/condition-words';
import type { ConsoleForm, FilledForm } from '../forms/console-form';
import { linesOf, numberOrText, textOrNull } from '../../presentation/text/form-text';
import { projectPath } from '../pages/console-page';
import { Choices, optionsOf, Select, TextArea, TextInput } from '../pages/form-fields';
import { listCrumbs, listPath, newAudiencePath } from './paths';
import type { ProjectSubject } from './project-subject';

/** The indices of the offered conditions in the API's list, which begins with the operator. */
const PLACES = [1, 2, 3];

const PARTS = ['type', 'name', 'match', 'value'] as const;

/** Fields are named by their API paths, so the API's messages are shown next to them. */
const fieldAt = (place: number, part: (typeof PARTS)[number]): string => `conditions.${place}.${part}`;

/** Creates an audience with a few conditions. The API accepts more conditions, and nested groups. */
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
      <div class="small muted stack form-help">
        <p>Without conditions, the audience includes everyone.</p>
        <ul>
          <li>
            Devices (desktop, mobile, tablet), browsers, operating systems, countries (such as DE) and
            languages (such as de or en-GB): “{MATCHES.exact}” or “{MATCHES.in}”, with one value per line.
            Visitors are new or returning.
          </li>
          <li>
            URLs, referrers, query parameters and cookies: any comparison from “{MATCHES.exact}” to “
            {MATCHES.regex}”. Query parameters and cookies need a name. “{MATCHES.exists}” needs no value.
          </li>
          <li>Attributes: a name and any comparison. Enter numbers without separators, such as 10000.</li>
        </ul>
        <p>To create an audience with more conditions or with groups of conditions, use the API.</p>
      </div>
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

/**
 * The conditions; null for everyone. An empty condition that precedes another condition is kept, so the indices in the
 * API's messages match.
 */
function conditionsIn(fields: FormFields): unknown[] | null {
  const last = PLACES.findLast((place) =>
    (['type', 'name', 'value'] as const).some((part) => textOrNull(fields[fieldAt(place, part)]) !== null),
  );
  return last === undefined
    ? null
    : [fields.operator, ...PLACES.slice(0, last).map((place) => conditionAt(place, fields))];
}

function conditionAt(place: number, fields: FormFields): object {
  const [type, name, match, value = ''] = PARTS.map((part) => fields[fieldAt(place, part)]);
  const condition = { type: textOrNull(type), name: textOrNull(name?.trim()) };
  // The comparison is omitted for JavaScript: it has nothing to compare, but the comparison field always has a value.
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
      return orderedValue(text);
    default:
      return textOrNull(text.trim());
  }
}

/** Numbers such as `10,000`, which could mean ten or ten thousand. */
const DIGIT_GROUPS = /^[-−+]?\d[\d.,]*$/;

/**
 * A number, or text such as a date. A number with separators is sent as a list, which the API rejects, because as text,
 * it would match no visitors.
 */
function orderedValue(text: string): unknown {
  const value = numberOrText(text);
  return typeof value === 'string' && DIGIT_GROUPS.test(value) ? [value] : value;
}
