import type { ComponentChildren } from 'preact';
import type { FilledForm } from '../forms/console-form';
import { inTextArea } from '../../presentation/components/text';
import { checkName, isAbout, messageInWords } from '../../presentation/text/form-text';
import type { FormState } from '../forms/form-state';

const LINE_BREAK = /[\r\n]/;

interface FieldProps {
  form: FilledForm;
  /** The API's name of the field. The field also shows messages for its parts, such as `tags.0`. */
  name: string;
  label: string;
  hint?: string;
  /** The options, for a field that has them. */
  options?: readonly Option[];
}

interface Option {
  value: string;
  label: ComponentChildren;
}

/** The messages about a field and its parts. */
export const messagesFor = ({ form: { errors, values }, name, label }: FieldProps): string[] =>
  Object.entries(errors).flatMap(([path, messages = []]) =>
    isAbout(path, name)
      ? messages.map((message) => messageInWords(message, path, { name, label, text: values[name] }))
      : [],
  );

/** Whether the field gets the focus because it is the first rejected one. Each field calls this once, in order. */
function takesFocus(field: FieldProps): boolean {
  const { form, name, label } = field;
  const earlier = [...form.labels].filter(([other]) => other !== name);
  form.labels.set(name, label);
  const isWrong = (one: FieldProps): boolean => messagesFor(one).length > 0;
  return isWrong(field) && !earlier.some(([other, text]) => isWrong({ form, name: other, label: text }));
}

/** A single-line text field. Text with line breaks gets a text area, because browsers would remove the line breaks. */
export function TextInput({ inputmode, ...field }: FieldProps & { inputmode?: 'decimal' }) {
  const { form, name } = field;
  const value = form.values[name] ?? '';
  if (LINE_BREAK.test(value)) {
    return <TextArea rows={2} {...field} />;
  }
  return (
    <Field {...field}>
      <input
        type="text"
        id={name}
        name={name}
        value={value}
        autocomplete="off"
        {...(inputmode !== undefined && { inputmode })}
        autofocus={takesFocus(field)}
        {...describedBy(field)}
      />
    </Field>
  );
}

/** The field for the page that an experiment's preview links open. */
export const ExamplePage = ({ form }: { form: FilledForm }) => (
  <TextInput
    form={form}
    name="example_url"
    label="Example page (URL)"
    hint="A page where the experiment runs. The preview links of the variations open it; without it, there are none."
  />
);

type TimeType = 'date' | 'datetime-local';

/** A date field without a time zone and, by default, with a time. */
export function MomentInput({ type = 'datetime-local', ...field }: FieldProps & { type?: TimeType }) {
  const { form, name } = field;
  return (
    <Field {...field}>
      <input
        type={type}
        id={name}
        name={name}
        value={form.values[name] ?? ''}
        autofocus={takesFocus(field)}
        {...describedBy(field)}
      />
    </Field>
  );
}

/** A multi-line text field. */
export function TextArea({ rows = 4, ...field }: FieldProps & { rows?: number }) {
  const { form, name } = field;
  return (
    <Field {...field}>
      <textarea id={name} name={name} rows={rows} autofocus={takesFocus(field)} {...describedBy(field)}>
        {inTextArea(form.values[name] ?? '')}
      </textarea>
    </Field>
  );
}

interface ChoicesProps extends FieldProps {
  options: readonly Option[];
}

export interface SelectOption {
  value: string;
  label: string;
}

/** The options of a field, given the label of each value. */
export const optionsOf = <Value extends string>(texts: Record<Value, string>): SelectOption[] =>
  Object.entries<string>(texts).map(([value, label]) => ({ value, label }));

/** A field with a few options, one of which is chosen. */
export function Choices({ options, ...field }: ChoicesProps) {
  const { form, name, label } = field;
  const hasFocus = takesFocus(field);
  return (
    <fieldset class="field" {...describedBy(field)}>
      <legend id={name}>{label}</legend>
      {options.map((option, index) => (
        <label class="choice" key={option.value}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={form.values[name] === option.value}
            autofocus={hasFocus && index === 0}
          />
          <span>{option.label}</span>
        </label>
      ))}
      <Notes {...field} options={options} />
    </fieldset>
  );
}

/** A field with several options, any number of which can be chosen. Each option is a form field. See `chosenIn`. */
export function Checks({ options, ...field }: ChoicesProps) {
  const { form, name, label } = field;
  const hasFocus = takesFocus(field);
  return (
    <fieldset class="field" {...describedBy(field)}>
      <legend id={name}>{label}</legend>
      {options.map(({ value, label: text }, index) => {
        const option = checkName(name, value);
        return (
          <label class="choice" key={value}>
            <input
              type="checkbox"
              name={option}
              value="on"
              checked={form.values[option] === 'on'}
              autofocus={hasFocus && index === 0}
            />
            <span>{text}</span>
          </label>
        );
      })}
      <Notes {...field} />
    </fieldset>
  );
}

/** A field with many options, one of which is chosen. */
export function Select({ options, ...field }: FieldProps & { options: readonly SelectOption[] }) {
  const { form, name } = field;
  return (
    <Field {...field} options={options}>
      <select id={name} name={name} autofocus={takesFocus(field)} {...describedBy(field)}>
        {options.map(({ value, label }) => (
          <option key={value} value={value} selected={form.values[name] === value} dir="auto">
            {label}
          </option>
        ))}
      </select>
    </Field>
  );
}

function Field({ children, ...field }: FieldProps & { children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={field.name}>{field.label}</label>
      {children}
      <Notes {...field} />
    </div>
  );
}

function Notes(field: FieldProps) {
  const { name, hint } = field;
  const messages = messagesFor(field);
  const change = changeOf(field);
  return (
    <>
      {hint !== undefined && (
        <span class="small muted" id={`${name}-hint`}>
          {hint}
        </span>
      )}
      {change !== null && (
        <span class="small" id={`${name}-now`}>
          {change}
        </span>
      )}
      {messages.length > 0 && (
        <span class="error" id={`${name}-error`}>
          {messages.join(' ')}
        </span>
      )}
    </>
  );
}

/**
 * A note about someone else's change. If the user's input differs from the current value, the note shows that value;
 * otherwise, it says that the change is already in the field.
 */
function changeOf(field: FieldProps): ComponentChildren {
  const { form, name, options } = field;
  const { isStale, replaced, values, current } = form;
  if (replaced.some((other) => other === name || other.startsWith(checkName(name, '')))) {
    return 'Someone else has changed this.';
  }
  if (!isStale || values[name] === current[name]) {
    return null;
  }
  const text = current[name] ?? '';
  const shown = options?.find(({ value }) => value === text)?.label ?? text;
  return <>Current value: {shown === '' ? 'empty' : <q dir="auto">{shown}</q>}</>;
}

function describedBy(field: FieldProps): Record<string, string> {
  const { name, hint } = field;
  const isWrong = messagesFor(field).length > 0;
  const notes = [
    ...(isWrong ? [`${name}-error`] : []),
    ...(changeOf(field) === null ? [] : [`${name}-now`]),
    ...(hint === undefined ? [] : [`${name}-hint`]),
  ];
  return {
    ...(isWrong && { 'aria-invalid': 'true' }),
    ...(notes.length > 0 && { 'aria-describedby': notes.join(' ') }),
  };
}

interface RefusalProps {
  state: Pick<FormState, 'problem' | 'errors' | 'submitted'>;
  /** The labels of the form's fields by name, in form order. */
  labels: ReadonlyMap<string, string>;
}

/** The errors of a rejected form; screen readers announce them immediately. Messages link to their fields. */
export function Refusal({ state: { problem, errors, submitted }, labels }: RefusalProps) {
  const fields = [...labels].map(([name, label]) => ({ name, label, text: submitted?.[name] }));
  const entries = Object.entries(errors).flatMap(([path, texts = []]) =>
    texts.map((text) => ({ path, text })),
  );
  // In field order, followed by messages that are not about a field.
  const messages = [
    ...fields.flatMap((field) =>
      entries
        .filter(({ path }) => isAbout(path, field.name))
        .map(({ path, text }) => <a href={`#${field.name}`}>{messageInWords(text, path, field)}</a>),
    ),
    ...entries.filter(({ path }) => !fields.some(({ name }) => isAbout(path, name))).map(({ text }) => text),
  ];
  if (problem === null) {
    return null;
  }
  return (
    <div class="message tone-worse" role="alert">
      {messages.length === 0 ? (
        <p>{problem}</p>
      ) : (
        <ul class="plain-list">
          {messages.map((message, index) => (
            <li key={index}>{message}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
