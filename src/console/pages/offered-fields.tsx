import type { FormFields } from '../../common/http/json-body';
import { Name } from '../../presentation/components/text';
import type { FilledForm } from '../forms/console-form';
import { chosenIn } from '../forms/fields';
import { MAX_OFFERED } from '../project-forms/project-subject';
import { Checks, messagesFor, Select, type SelectOption } from './form-fields';

interface OfferedProps {
  form: FilledForm;
  name: string;
  label: string;
  options: readonly SelectOption[];
}

/** Without any to choose from, the field is shown only with messages about those that were deleted meanwhile. */
export function Offered({ options, ...field }: OfferedProps) {
  return options.length === 0 && messagesFor(field).length === 0 ? null : (
    <Checks
      {...field}
      options={options.map(({ value, label }) => ({ value, label: <Name>{label}</Name> }))}
      {...(options.length >= MAX_OFFERED && {
        hint: `The first ${MAX_OFFERED} by name. Attach others with the API.`,
      })}
    />
  );
}

/** The goals of an experiment, and which of them is the primary goal. */
export function OfferedGoals({ form, options }: { form: FilledForm; options: readonly SelectOption[] }) {
  return (
    <>
      <Offered form={form} name="goals" label="Goals" options={options} />
      {options.length > 1 && (
        <Select
          form={form}
          name="primary_goal"
          label="Primary goal"
          hint="It decides the verdict. Choose it before you look at results."
          options={[{ value: '', label: 'The first chosen goal' }, ...options]}
        />
      )}
    </>
  );
}

/**
 * The ids of the goals, the primary goal first. It need not be checked, unless the form opened with it as the primary
 * goal: then clearing its box removes it.
 * @param stored the id of the current primary goal
 */
export function goalsIn({ primary_goal: primary = '', ...fields }: FormFields, stored = ''): number[] {
  const chosen = chosenIn('goals', fields);
  const isLeft = primary === '' || (primary === stored && !chosen.includes(primary));
  return (isLeft ? chosen : [...new Set([primary, ...chosen])]).map(Number);
}
