import type { ComponentChildren } from 'preact';
import { OPENING_GOAL_FIELD } from '../../account/pages/kept-form-page';
import type { FormFields } from '../../common/http/json-body';
import { Name } from '../../presentation/components/text';
import type { FilledForm } from '../forms/console-form';
import { chosenIn } from '../../presentation/text/form-text';
import { MAX_OFFERED } from '../project-forms/project-subject';
import { Checks, Choices, messagesFor, Select, type SelectOption } from './form-fields';

type Attached = readonly { id: number; name: string }[];

interface OfferedProps {
  form: FilledForm;
  name: string;
  label: string;
  /** The project's first records by name, at most `MAX_OFFERED`. */
  listed: readonly SelectOption[];
  /** Records that the experiment already has. They come first. */
  attached?: Attached;
  /** Records that cannot be chosen. */
  excluded?: Attached;
  /** Shown if there are no records to choose from. Links to the field lead here. */
  none?: ComponentChildren;
}

/**
 * A field that offers records. If there are no records to choose from, the field appears only to show messages about
 * chosen records that have been deleted since the form was opened.
 */
export function Offered({ listed, attached = [], excluded = [], none = null, ...field }: OfferedProps) {
  const options = offered({ listed, attached, excluded });
  return options.length === 0 && messagesFor(field).length === 0 ? (
    none !== null && <div id={field.name}>{none}</div>
  ) : (
    <Checks
      {...field}
      options={options.map(({ value, label }) => ({ value, label: <Name>{label}</Name> }))}
      {...(listed.length === MAX_OFFERED && {
        hint: `Lists ${attached.length > 0 ? 'the attached records and ' : ''}the first ${MAX_OFFERED} by name. To attach others, use the API.`,
      })}
    />
  );
}

/**
 * The attached records in their current order, so an unchanged form changes nothing. The other records follow. Labels
 * come from the list if it has the record, because they distinguish records with the same name.
 */
function offered({
  listed,
  attached = [],
  excluded = [],
}: Pick<OfferedProps, 'listed' | 'attached' | 'excluded'>): SelectOption[] {
  const others = [...attached, ...excluded].map(({ id }) => String(id));
  return [
    ...attached.map(
      ({ id, name }) =>
        listed.find(({ value }) => value === String(id)) ?? { value: String(id), label: name },
    ),
    ...listed.filter(({ value }) => !others.includes(value)),
  ];
}

interface OfferedAudiencesProps extends Omit<OfferedProps, 'name' | 'label'> {
  /** Whether the form also asks how to combine several audiences. */
  canCombine?: boolean;
}

/** The field for an experiment's audiences. */
export function OfferedAudiences({ canCombine = false, ...props }: OfferedAudiencesProps) {
  return (
    <>
      <Offered {...props} name="audiences" label="Audiences (if none, everyone takes part)" />
      {canCombine && offered(props).length > 1 && (
        <Choices
          form={props.form}
          name="audiences_match_type"
          label="With several audiences, visitors must be"
          options={[
            { value: 'any', label: 'In at least one of them' },
            { value: 'all', label: 'In all of them' },
          ]}
        />
      )}
    </>
  );
}

/** The fields for an experiment's goals and its primary goal. */
export function OfferedGoals(props: Omit<OfferedProps, 'name' | 'label'>) {
  const options = offered(props);
  const { isStale, current, values } = props.form;
  const opening = (isStale ? current : values)[OPENING_GOAL_FIELD];
  return (
    <>
      {opening !== undefined && <input type="hidden" name={OPENING_GOAL_FIELD} value={opening} />}
      <Offered {...props} name="goals" label="Goals" />
      {options.length > 1 && (
        <Select
          form={props.form}
          name="primary_goal"
          label="Primary goal"
          hint="The primary goal decides the verdict. Choose it before you look at results."
          options={[{ value: '', label: 'The first selected goal' }, ...options]}
        />
      )}
    </>
  );
}

/**
 * The goal ids, with the primary goal first. The box of the primary goal need not be checked, unless it was already the
 * primary goal when the form was opened. In that case, unchecking the box removes the goal. The current primary goal
 * does not matter, so submitting the form again has the same effect.
 */
export function goalsIn(fields: FormFields): number[] {
  const { primary_goal: primary = '', [OPENING_GOAL_FIELD]: opening } = fields;
  const chosen = chosenIn('goals', fields);
  const isLeft = primary === '' || (primary === opening && !chosen.includes(primary));
  return (isLeft ? chosen : [...new Set([primary, ...chosen])]).map(Number);
}
